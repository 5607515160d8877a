import { pageUrl } from '@recto/contract/page-url.ts'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import type { Revision } from '../../../content/pages/revisions.ts'
import { type Html, html, trusted } from '../html.ts'
import { pageFrame, type ScreenPage } from '../page-screen.ts'
import { authorName, personName } from '../rows.ts'
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
    title: `History of ${page.title} · ${page.spaceName}`,
    sheets: ['history.css'],
    main: html`<div class="screen">
<h1>History of ${page.title}</h1>
${single && html`<p>The page has one version. Every save adds a version here.</p>`}
<form action="${address}">
<div class="toolbar">${!single && html`<button class="button">Compare selected versions</button> `}<a class="button" href="${historyUrl(page.space, page.path, { blame: page.version })}">Blame</a></div>
<div class="table-wrap" tabindex="0" role="region" aria-label="Versions"><table class="data stacks revisions">
<thead><tr>${!single && html`<th scope="col">From</th><th scope="col">To</th>`}<th scope="col">Version</th><th scope="col">When</th><th scope="col">Who</th><th scope="col">Note</th><th scope="col" class="number">Size</th><th scope="col"><span class="visually-hidden">Actions</span></th></tr></thead>
<tbody>
${revisions.map((revision, index) => row(view, revision, index, single))}
</tbody>
</table></div>
</form>
<nav class="pagination" aria-label="Pages of the history">
${!first && html`<a class="button" href="${address}">Newest</a>`}
${nextCursor !== null && html`<a class="button" rel="next" href="${historyUrl(page.space, page.path, { cursor: nextCursor })}">Older versions</a>`}
</nav>
</div>`,
  })
}

function row({ page, revisions }: HistoryView, revision: Revision, index: number, single: boolean): Html {
  const { version, note, createdAt, createdBy, restoredFrom, isLatest, changeRequest: number, mergedBy } = revision
  const before = revisions[index + 1]
  const at = `${pageUrl(page.space, page.path)}?version=${version}`
  return html`<tr>
${!single && html`<td data-label="From">${choice('from', version, index === 1)}</td><td data-label="To">${choice('to', version, index === 0)}</td>`}
<th scope="row" data-label="Version"><span><a href="${at}">${version}</a>${isLatest && html` <span class="badge success">latest</span>`}</span></th>
<td data-label="When">${time(new Date(createdAt))}</td>
<td data-label="Who"><span>${personName(createdBy)}</span></td>
<td data-label="Note"><span>${note ?? (restoredFrom === null ? html`<span class="quiet">none</span>` : '')}${restoredFrom !== null && html` <span class="badge">restored from version ${restoredFrom}</span>`}${typeof number === 'number' && mergedBy && html` <span class="quiet">merged from <a href="${changeRequestUrl({ space: page.space, number })}">change request ${number}</a> by ${authorName(mergedBy)}</span>`}</span></td>
<td data-label="Size" class="number"><bdi>${byteSize(revision.size)}${before && change(revision.size - before.size)}</bdi></td>
<td class="actions">
${before && html`<a class="button small" href="${historyUrl(page.space, page.path, { from: before.version, to: version })}">Compare<span class="visually-hidden"> version ${version} with the one before</span></a>`}
${page.editable && !isLatest && html`<a class="button small" href="${historyUrl(page.space, page.path, { promote: version })}">Restore this version<span class="visually-hidden">: version ${version}</span></a>`}
</td>
</tr>`
}

function choice(name: 'from' | 'to', version: number, checked: boolean): Html {
  return html`<input type="radio" name="${name}" value="${version}" aria-label="Compare ${name} version ${version}"${checked && trusted(' checked')}>`
}

function change(bytes: number): Html {
  const sign = bytes > 0 ? '+' : bytes < 0 ? '−' : '±'
  return html` <span class="quiet">${sign}${byteSize(Math.abs(bytes))}</span>`
}
