import { pageUrl } from '../../http/addresses/page-address.ts'
import type { List } from '../../http/paging.ts'
import { emojiOf } from '../../lib/text/emoji.ts'
import type { Favourite } from '../../pages/favourites/favourites.ts'
import type { Page } from '../../pages/page.ts'
import type { FirstStep } from '../../people/first-steps.ts'
import type { Space } from '../../spaces/schema.ts'
import { islandTags } from '../assets/assets.ts'
import { doneNotice } from '../controls.ts'
import { favouriteRow } from '../favourites/favourites-view.ts'
import { type Html, html } from '../html.ts'
import { emoji } from '../icons.ts'
import { actorName, badge, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { adminUrl, browseUrl, FAVOURITES, GALLERY, NEW_SPACE, spaceUrl } from '../urls.ts'
import { stepsSection } from './steps-view.ts'

/** The latest changes, by others and by the reader. */
interface RecentChanges {
  readonly others: readonly Page[]
  readonly own: readonly Page[]
}

export interface HomeView {
  readonly spaces: List<Space>
  readonly favourites: List<Favourite>
  readonly recent: RecentChanges
  /** What the person has neither done nor dismissed. */
  readonly steps: readonly FirstStep[]
  readonly csrf: Html | undefined
  readonly mayMakeSpaces: boolean
  readonly mayInvite: boolean
  readonly warning?: Html
  readonly cursor?: string | undefined
  readonly done?: string | undefined
}

/** The start screen: the spaces, and recent changes. */
export function homeScreen(view: HomeView): Screen {
  const { spaces, recent, steps, csrf, mayMakeSpaces, cursor } = view
  const shared = spaces.items.filter(({ kind }) => kind === 'shared')
  const hasSpace = shared.length > 0
  const hasFavourites = cursor === undefined && view.favourites.items.length > 0
  return {
    title: 'Recto',
    head: islandTags('home', true),
    main: html`<div class="screen">
${view.warning}
${doneNotice(view.done)}
${hasFavourites && favouritesSection(view)}
${listInBrowser('drafts', 'Your unsaved drafts')}
<div class="title-row">${hasFavourites ? html`<h2>Spaces</h2>` : html`<h1>${hasSpace || !steps.includes('space') ? 'Spaces' : 'Welcome'}</h1>`}
${mayMakeSpaces && hasSpace && html`<p class="buttons">${view.mayInvite && html`<a class="button" href="${adminUrl('invitations')}">Invite people</a> `}<a class="button" href="${GALLERY}">From a template</a> <a class="button" href="${NEW_SPACE}">New space</a></p>`}</div>
${!hasSpace && cursor === undefined ? noSpaces(view) : html`<ul class="cards">${spaces.items.map(card)}</ul>`}
${pager('/', {}, { cursor, nextCursor: spaces.nextCursor })}
${cursor === undefined && stepsSection(steps, { hasSpace, csrf })}
${listInBrowser('visited', 'Recently read')}
${recent.others.length > 0 && changes('others', 'Changed by others', recent.others)}
${recent.own.length > 0 && changes('own', 'Changed by you', recent.own)}
${recent.own.length + recent.others.length === 0 && changes('recent', 'Recent changes', [])}
</div>`,
  }
}

function favouritesSection({ favourites }: HomeView): Html {
  return html`<h1>Home</h1>
<section aria-labelledby="favourites"><h2 id="favourites">Favourites</h2>
${rows('Favourites', favourites.items.map(favouriteRow), html``)}
${favourites.nextCursor !== null && html`<p><a href="${FAVOURITES}">All favourites</a></p>`}
</section>`
}

function noSpaces({ mayMakeSpaces, steps }: HomeView): Html | false {
  if (steps.includes('space')) return false
  if (!mayMakeSpaces) {
    return html`<div class="empty"><h2>You don’t have access to any space yet</h2>
<p>Ask a space admin to add you as a member.</p></div>`
  }
  return html`<div class="empty"><h2>Create your first space</h2>
<p>Spaces group related pages. Start from a template or with an empty space.</p>
<p class="buttons"><a class="button primary" href="${GALLERY}">Choose a template</a> <a class="button" href="${NEW_SPACE}">Create an empty space</a></p>
<p>Or write <a href="${browseUrl('personal')}">pages of your own</a>, which nobody else sees.</p></div>`
}

function card({ slug, name, icon, kind, description, visibility }: Space): Html {
  return html`<li class="card"><h2><a class="cover" href="${spaceUrl(slug)}">${emoji(icon)}${name}</a></h2>
${description !== '' && html`<p dir="auto">${description}</p>`}
<p class="quiet">${slug}${kind === 'personal' ? html` ${badge('only you')}` : visibility === 'private' && html` ${badge('private')}`}</p></li>
`
}

function changes(id: string, title: string, pages: readonly Page[]): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${rows(title, pages.map(change), html`<p>Recent edits will appear here.</p>`)}
</section>`
}

/** A list that the island fills before the first paint, from what only the browser knows. */
function listInBrowser(id: string, title: string): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title" hidden><h2 id="${id}-title">${title}</h2>
<ul class="rows action-list"></ul>
</section>`
}

function change({ space, path, title, frontmatter, updatedAt, updatedBy }: Page): Row {
  return {
    title: html`<a href="${pageUrl(space, path)}">${emoji(emojiOf(frontmatter.icon))}${title}</a>`,
    about: html`${space}/${path}, ${moment(updatedAt)} by ${actorName(updatedBy)}`,
  }
}
