import type { ChangeRequest, RequestState } from '../../../content/change-requests/schema.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { doneNotice, hidden, renderChoice } from '../controls.ts'
import { type Html, html, msg, t } from '../html.ts'
import { badge, moment, pager, personName, type Row, rows, type Tone } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { spaceFrame } from '../space-screen.ts'
import { changeRequestUrl, TO_REVIEW, toReviewUrl } from '../urls.ts'

export interface RequestListView {
  /** Absent: the requests of all spaces. */
  readonly space: Space | undefined
  readonly requests: List<ChangeRequest>
  readonly state: RequestState | 'all'
  readonly by: 'me' | 'asked' | undefined
  readonly cursor?: string | undefined
  readonly done?: string | undefined
}

const STATES = ['open', 'merged', 'closed', 'all'] as const
/** One message: as a word of its own, "Open" is what one does with a file. */
const STATE_CHOICE = msg('{state, select, open {Open} merged {Merged} closed {Closed} other {In every state}}')
const STATE_NAMES: Readonly<Record<RequestState, string>> = {
  open: msg('open'),
  merged: msg('merged'),
  closed: msg('closed'),
}
const TONES: Readonly<Record<RequestState, Tone>> = { open: 'info', merged: 'success', closed: 'plain' }

/** The change requests of a space, or of all spaces that the reader can see. */
export function requestListScreen(view: RequestListView): Screen {
  const { space, requests, state, by, cursor } = view
  const query = { space: space?.slug, state, by }
  const screen = {
    title: `${t('To review')} · ${space?.name ?? 'Recto'}`,
    heading: space ? t('Change requests of {space}', { space: space.name }) : t('Change requests'),
    main: html`${doneNotice(view.done)}
<form class="toolbar" action="${TO_REVIEW}">
${space && hidden('space', space.slug)}${renderChoice(
  'state',
  t('State'),
  state,
  STATES.map((value) => [value, t(STATE_CHOICE, { state: value })]),
)}
${renderChoice('by', t('Author'), by, [
  ['', t('By everybody')],
  ['me', t('By you')],
  ['asked', t('You are asked for a review')],
])}
<button type="submit" class="button">${t('Show')}</button>
${space && html`<a href="${TO_REVIEW}">${t('All spaces')}</a>`}
</form>
${rows(
  t('Change requests'),
  requests.items.map((request) => requestRow(request, space === undefined)),
  html`<p>${t('No change requests. Whoever suggests a change of a page opens one.')}</p>`,
)}
${pager(TO_REVIEW, query, { cursor, nextCursor: requests.nextCursor })}`,
  }
  return space
    ? spaceFrame(space, 'Pages', { ...screen, crumbs: [{ text: t('To review'), href: toReviewUrl(space.slug) }] })
    : screen
}

function requestRow(request: ChangeRequest, namesSpace: boolean): Row {
  const { space, number, title, state, author, updatedAt, changes } = request
  return {
    title: html`<a href="${changeRequestUrl(request)}">${title}</a>`,
    badges: [state !== 'open' && stateBadge(state)],
    about: html`${namesSpace && html`<bdi>${space}</bdi> `}${t('#{number} by {name}', {
      number,
      name: personName(author),
    })} · ${t('{count, plural, =1 {one page} other {# pages}}', { count: changes })} · ${moment(updatedAt)}`,
  }
}

/** The state of a request as a label. */
export function stateBadge(state: RequestState): Html {
  return badge(t(STATE_NAMES[state]), TONES[state])
}
