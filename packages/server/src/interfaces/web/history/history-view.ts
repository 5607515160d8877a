import { pageUrl } from '@recto/contract/page-url.ts'
import type { Revision } from '../../../content/pages/revisions.ts'
import { formatBytes, type Html, hiddenText, html, t, trusted } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { authorName, pagination, personName } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { time } from '../time.ts'
import { changeRequestUrl, historyUrl } from '../urls.ts'

export interface HistoryView {
  readonly page: ScreenPage
  readonly revisions: readonly Revision[]
  readonly nextCursor: string | null
  /** Whether this is the first page of results. */
  readonly first: boolean
}

/** The revisions of a page, newest first; any two can be compared. */
export function historyScreen(view: HistoryView): Screen {
  const { page, revisions, nextCursor, first } = view
  const address = historyUrl(page.space, page.path)
  const single = revisions.length === 1 && first
  return pageFrame(page, 'History', {
    sheets: ['history.css'],
    heading: t('History of {title}', { title: page.title }),
    column: '',
    main: html`${single && html`<p>${t('The page has one version. Every save adds a version here.')}</p>`}
<form action="${address}">
<div class="toolbar">
${!single && html`<button class="button">${t('Compare selected versions')}</button> `}<a class="button"
  href="${historyUrl(page.space, page.path, { blame: page.version })}">${t('Blame')}</a></div>
<div class="table-wrap" tabindex="0" role="region" aria-label="${t('Versions')}"><table class="data stacks revisions">
<thead><tr>${!single && html`<th scope="col">${t('From')}</th><th scope="col">${t('To')}</th>`}<th scope="col">
${t('Version')}</th><th scope="col">${t('When')}</th><th scope="col">${t('Who')}</th><th scope="col">${t('Note')}</th>
<th scope="col" class="number">${t('Size')}</th>
<th scope="col"><span class="visually-hidden">${t('Actions')}</span></th></tr></thead>
<tbody>
${revisions.map((revision, index) => row(view, revision, index, single))}
</tbody>
</table></div>
</form>
${pagination(
  t('Pages of the history'),
  !first && [address, t('Newest')],
  nextCursor !== null && [historyUrl(page.space, page.path, { cursor: nextCursor }), t('Older versions')],
)}`,
  })
}

function row({ page, revisions }: HistoryView, revision: Revision, index: number, single: boolean): Html {
  const { version, note, createdAt, createdBy, restoredFrom, isLatest, changeRequest: number, mergedBy } = revision
  const before = revisions[index + 1]
  const at = `${pageUrl(page.space, page.path)}?version=${version}`
  return html`<tr>
${
  !single &&
  html`<td data-label="${t('From')}">${choice('from', version, index === 1)}</td><td data-label="${t('To')}">
${choice('to', version, index === 0)}</td>`
}
<th scope="row" data-label="${t('Version')}">
<span><a href="${at}">${version}</a>${isLatest && html` <span class="badge success">${t('latest')}</span>`}</span></th>
<td data-label="${t('When')}">${time(new Date(createdAt))}</td>
<td data-label="${t('Who')}"><span>${personName(createdBy)}</span></td>
<td data-label="${t('Note')}">
<span>${note ?? (restoredFrom === null ? html`<span class="quiet">${t('none')}</span>` : '')}${
    restoredFrom !== null &&
    html` <span class="badge">${t('restored from version {version}', { version: restoredFrom })}</span>`
  }${
    typeof number === 'number' &&
    mergedBy &&
    html` <span class="quiet">${t('merged from <link>change request {number}</link> by {name}', {
      number,
      name: authorName(mergedBy),
      link: (text) => html`<a href="${changeRequestUrl({ space: page.space, number })}">${text}</a>`,
    })}</span>`
  }</span></td>
<td data-label="${t('Size')}" class="number">
<bdi>${formatBytes(revision.size)}${before && change(revision.size - before.size)}</bdi></td>
<td class="actions">
${
  before &&
  html`<a class="button small" href="${historyUrl(page.space, page.path, { from: before.version, to: version })}">${t(
    'Compare<hidden> version {version} with the one before</hidden>',
    { version, hidden: hiddenText },
  )}</a>`
}
${
  page.editable &&
  !isLatest &&
  html`<a class="button small" href="${historyUrl(page.space, page.path, {
    promote: version,
  })}">${t('Restore this version')}<span class="visually-hidden">: ${t('version {version}', { version })}</span></a>`
}
</td>
</tr>`
}

function choice(name: 'from' | 'to', version: number, checked: boolean): Html {
  const label =
    name === 'from' ? t('Compare from version {version}', { version }) : t('Compare to version {version}', { version })
  return html`<input type="radio" name="${name}" value="${version}"
    aria-label="${label}"${checked && trusted(' checked')}>`
}

function change(bytes: number): Html {
  const sign = bytes > 0 ? '+' : bytes < 0 ? '−' : '±'
  return html` <span class="quiet">${sign}${formatBytes(Math.abs(bytes))}</span>`
}
