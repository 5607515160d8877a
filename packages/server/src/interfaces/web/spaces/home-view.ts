import { pageUrl } from '@recto/contract/page-url.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'
import type { Favourite } from '../../../content/pages/favourites/favourites.ts'
import type { Page } from '../../../content/pages/page.ts'
import type { UnsavedItem } from '../../../content/pages/unsaved/unsaved.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { FirstStep } from '../../../identity/people/first-steps.ts'
import type { List } from '../../../platform/http/paging.ts'
import { islandTags } from '../assets/assets.ts'
import { doneNotice } from '../controls.ts'
import { favouriteRow } from '../favourites/favourites-view.ts'
import { type Html, html, t } from '../html.ts'
import { emoji } from '../icons.ts'
import { actorName, moment, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { browseUrl, editUrl, FAVOURITES, GALLERY, NEW_SPACE, newPageUrl, SPACES } from '../urls.ts'
import { spaceButtons, spaceCards } from './space-cards.ts'
import { stepsSection } from './steps-view.ts'

export interface HomeView {
  /** A few of the spaces, or all if there are few. */
  readonly spaces: readonly Space[]
  readonly hasMoreSpaces: boolean
  readonly favourites: List<Favourite>
  readonly unsaved: readonly UnsavedItem[]
  /** The latest changes, by others and by the reader. */
  readonly recent: { readonly others: readonly Page[]; readonly own: readonly Page[] }
  /** What the person has neither done nor dismissed. */
  readonly steps: readonly FirstStep[]
  readonly mayMakeSpaces: boolean
  readonly mayInvite: boolean
  readonly warning?: Html
  readonly done?: string | undefined
}

/** The start screen: the work of the reader, what others changed, favourites and spaces. */
export function homeScreen(view: HomeView): Screen {
  const { spaces, recent, steps, mayMakeSpaces } = view
  const hasSpace = spaces.some(({ kind }) => kind === 'shared')
  const hasFavourites = view.favourites.items.length > 0
  return {
    title: 'Recto',
    head: islandTags(['home'], true),
    main: html`<div class="screen start">
${view.warning}
${doneNotice(view.done)}
<div class="title-row"><h1>${hasSpace || !steps.includes('space') ? t('Home') : t('Welcome')}</h1>
${mayMakeSpaces && hasSpace && spaceButtons(view)}</div>
${!hasSpace && noSpaces(view)}
${view.unsaved.length > 0 && unsavedSection(view)}
${recent.own.length > 0 && changes('own', t('Changed by you'), recent.own)}
${recent.others.length > 0 && changes('others', t('Changed by others'), recent.others)}
${hasFavourites && favouritesSection(view)}
${recentlyRead()}
${hasSpace && spacesSection(view)}
${stepsSection(steps, hasSpace)}
</div>`,
  }
}

function favouritesSection({ favourites }: HomeView): Html {
  return html`<section aria-labelledby="favourites"><h2 id="favourites">${t('Favourites')}</h2>
${rows(t('Favourites'), favourites.items.map(favouriteRow), html``)}
${favourites.nextCursor !== null && html`<p><a href="${FAVOURITES}">${t('All favourites')}</a></p>`}
</section>`
}

function spacesSection({ spaces, hasMoreSpaces }: HomeView): Html {
  return html`<section aria-labelledby="spaces"><h2 id="spaces">${t('Spaces')}</h2>
${spaceCards(spaces)}
${hasMoreSpaces && html`<p class="more"><a href="${SPACES}">${t('All spaces')}</a></p>`}
</section>`
}

function unsavedSection({ unsaved }: HomeView): Html {
  const list = unsaved.map(({ space, page, savedAt }) => ({
    title: html`<a href="${
      page ? editUrl(page.space, page.path) : newPageUrl(space)
    }">${page?.title ?? t('New page')}</a>`,
    about: html`${page ? `${space}/${page.path}` : space}, ${moment(savedAt)}`,
  }))
  return html`<section aria-labelledby="unsaved"><h2 id="unsaved">${t('Your unsaved text')}</h2>
${rows(t('Unsaved text'), list, html``)}
</section>`
}

function noSpaces({ mayMakeSpaces, steps }: HomeView): Html | false {
  if (steps.includes('space')) return false
  if (!mayMakeSpaces) {
    return html`<div class="empty"><h2>${t('You don’t have access to any space yet')}</h2>
<p>${t('Ask a space admin to add you as a member.')}</p></div>`
  }
  return html`<div class="empty"><h2>${t('Create your first space')}</h2>
<p>${t('Spaces group related pages. Start from a template or with an empty space.')}</p>
<p class="buttons"><a class="button primary" href="${GALLERY}">${t('Choose a template')}</a> <a class="button"
  href="${NEW_SPACE}">${t('Create an empty space')}</a></p>
<p>${t('Or write <link>pages of your own</link>, which nobody else sees.', {
    link: (text) => html`<a href="${browseUrl('personal')}">${text}</a>`,
  })}</p></div>`
}

function changes(id: string, title: string, pages: readonly Page[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${rows(
  title,
  pages.map((page) => change(page, id !== 'own')),
  html`<p>${t('Recent edits will appear here.')}</p>`,
)}
</section>`
}

/** The list that the island fills before the first paint, from what only the browser knows. */
function recentlyRead(): Html {
  return html`<section id="visited" aria-labelledby="visited-title" hidden><h2 id="visited-title">
${t('Recently read')}</h2>
<ul class="rows action-list"></ul>
</section>`
}

function change({ space, path, title, frontmatter, updatedAt, updatedBy }: Page, namesAuthor: boolean): Row {
  const about = { place: `${space}/${path}`, when: moment(updatedAt) }
  return {
    title: html`<a href="${pageUrl(space, path)}">${emoji(parseEmoji(frontmatter.icon))}${title}</a>`,
    about: namesAuthor
      ? t('{place}, {when} by {name}', { ...about, name: actorName(updatedBy) })
      : t('{place}, {when}', about),
  }
}
