import type { AuditEvent } from '../../../content/metadata/history.ts'
import type { List } from '../../../platform/http/paging.ts'
import { type Html, html } from '../html.ts'
import type { ScreenPage } from '../page-screen.ts'
import { actorName } from '../rows.ts'
import { time } from '../time.ts'
import { metadataUrl } from '../urls.ts'
import { valueView } from '../views/cells.ts'

const OPS: Readonly<Record<AuditEvent['op'], string>> = {
  set: 'set',
  append: 'added to',
  appendUnique: 'added to',
  delete: 'removed',
}

/** The changes of the metadata of a page, of one key or of all. */
export function auditView(view: {
  readonly page: ScreenPage
  readonly history: List<AuditEvent>
  readonly key: string | undefined
  readonly first: boolean
}): Html {
  const { page, history, key, first } = view
  const toUrl = (query: { readonly key?: string; readonly cursor?: string }) =>
    `${metadataUrl(page.space, page.path, query)}#history`
  const keyFilter = key === undefined ? {} : { key }
  return html`<h2 id="history">History${key !== undefined && html` of ${key}`}</h2>
${key !== undefined && html`<p><a href="${toUrl({})}">Show all properties</a></p>`}
${
  history.items.length === 0
    ? html`<p class="empty">${key === undefined ? 'No changes to properties yet.' : 'No changes to this property yet.'}</p>`
    : html`<div class="table-wrap" tabindex="0" role="region" aria-label="History"><table class="data stacks">
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Property</th><th scope="col">What</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
<tbody>${history.items.map((event) => row(event, toUrl({ key: event.key })))}</tbody>
</table></div>
<nav class="pagination" aria-label="Pages of the history">${!first && html`<a class="button" href="${toUrl(keyFilter)}">Newest</a>`}
${history.nextCursor !== null && html`<a class="button" rel="next" href="${toUrl({ ...keyFilter, cursor: history.nextCursor })}">Older</a>`}</nav>`
}`
}

function row({ key, op, value, previousValue, existed, actor, createdAt }: AuditEvent, href: string): Html {
  return html`<tr><td data-label="When">${time(new Date(createdAt))}</td>
<td data-label="Who"><span>${actorName(actor)}</span></td>
<td data-label="Property"><a href="${href}">${key}</a></td>
<td data-label="What">${OPS[op]}</td>
<td data-label="Before"><span>${valueView(existed ? previousValue : undefined)}</span></td>
<td data-label="After"><span>${valueView(op === 'delete' ? undefined : value)}</span></td></tr>\n`
}
