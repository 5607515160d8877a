import { compareNaturally } from '@recto/lib/text/text-order.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { type Html, html, t } from '../html.ts'
import { emoji } from '../icons.ts'
import { badge, longListFilter, pager } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { adminUrl, GALLERY, NEW_SPACE, SPACES, spaceUrl } from '../urls.ts'

export interface SpaceActions {
  readonly mayMakeSpaces: boolean
  readonly mayInvite: boolean
}

export interface SpaceList {
  readonly spaces: List<Space>
  /** What the names or slugs of the spaces have. */
  readonly name?: string
  readonly cursor?: string
}

/** Finds a space by its name, where there are more than a screen lists. */
export function spaceFilter(url: string, { spaces, name, cursor }: SpaceList): Html {
  return html`${longListFilter(url, t('Filter spaces'), { name, cursor, list: spaces })}
${name && spaces.items.length === 0 && html`<p>${t('No matching spaces.')}</p>`}`
}

/** All spaces that the reader can see. */
export function spacesScreen(view: SpaceActions & SpaceList): Screen {
  const { spaces, name, cursor } = view
  return {
    heading: t('Spaces'),
    actions: view.mayMakeSpaces && spaceButtons(view),
    column: '',
    main: html`${spaceFilter(SPACES, view)}
${spaceCards(inNaturalOrder(spaces.items))}
${pager(SPACES, { name }, { cursor, nextCursor: spaces.nextCursor })}`,
  }
}

/** What can be done beside a list of spaces. */
export function spaceButtons({ mayInvite }: SpaceActions): Html {
  return html`<p class="buttons">
${mayInvite && html`<a class="button" href="${adminUrl('invitations')}">${t('Invite people')}</a> `}<a class="button"
  href="${GALLERY}">${t('From a template')}</a> <a class="button" href="${NEW_SPACE}">${t('New space')}</a></p>`
}

/** By name in natural order: 2 before 10. */
export function inNaturalOrder(spaces: readonly Space[]): Space[] {
  return spaces.toSorted(
    (one, other) => compareNaturally(one.name, other.name) || compareNaturally(one.slug, other.slug),
  )
}

export function spaceCards(spaces: readonly Space[]): Html {
  return html`<ul class="cards">${spaces.map(card)}</ul>`
}

function card({ slug, name, icon, kind, description, visibility }: Space): Html {
  return html`<li class="card"><h2><a class="cover" href="${spaceUrl(slug)}">${emoji(icon)}${name}</a></h2>
${description !== '' && html`<p dir="auto">${description}</p>`}
<p class="quiet">${slug}${
    kind === 'personal' ? html` ${badge(t('only you'))}` : visibility === 'private' && html` ${badge(t('private'))}`
  }</p></li>
`
}
