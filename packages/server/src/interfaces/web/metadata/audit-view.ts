import type { AuditEvent } from '../../../content/metadata/history.ts'
import type { List } from '../../../platform/http/paging.ts'
import { type Html, html, msg, t } from '../html.ts'
import type { ScreenPage } from '../page-screen.ts'
import { actorName, pagination } from '../rows.ts'
import { time } from '../time.ts'
import { metadataUrl } from '../urls.ts'
import { valueView } from '../views/cells.ts'

const OPS: Readonly<Record<AuditEvent['op'], string>> = {
  set: msg('set'),
  append: msg('added to'),
  appendUnique: msg('added to'),
  delete: msg('removed'),
}

/** The changes of the metadata of a page, of one key or of all. */
export function auditView(view: {
  readonly page: ScreenPage
  readonly history: List<AuditEvent>
  readonly key: string | undefined
  readonly first: boolean
}): Html {
  const { page, history, key, first } = view
  const { items, nextCursor } = history
  const toUrl = (query: { readonly key?: string; readonly cursor?: string }) =>
    `${metadataUrl(page.space, page.path, query)}#history`
  const keyFilter = key === undefined ? {} : { key }
  return html`<h2 id="history">${key === undefined ? t('History') : t('History of {key}', { key })}</h2>
${key !== undefined && html`<p><a href="${toUrl({})}">${t('Show all properties')}</a></p>`}
${
  items.length === 0
    ? html`<p class="empty">
${key === undefined ? t('No changes to properties yet.') : t('No changes to this property yet.')}</p>`
    : html`<div class="table-wrap" tabindex="0" role="region" aria-label="${t('History')}"><table class="data stacks">
<thead><tr><th scope="col">${t('When')}</th><th scope="col">${t('Who')}</th><th scope="col">${t('Property')}</th>
<th scope="col">${t('What')}</th><th scope="col">${t('Before')}</th><th scope="col">${t('After')}</th></tr></thead>
<tbody>${items.map((event) => row(event, toUrl({ key: event.key })))}</tbody>
</table></div>
${pagination(
  t('Pages of the history'),
  !first && [toUrl(keyFilter), t('Newest')],
  nextCursor !== null && [toUrl({ ...keyFilter, cursor: nextCursor }), t('Older')],
)}`
}`
}

function row({ key, op, value, previousValue, existed, actor, createdAt }: AuditEvent, href: string): Html {
  return html`<tr><td data-label="${t('When')}">${time(new Date(createdAt))}</td>
<td data-label="${t('Who')}"><span>${actorName(actor)}</span></td>
<td data-label="${t('Property')}"><a href="${href}">${key}</a></td>
<td data-label="${t('What')}">${t(OPS[op])}</td>
<td data-label="${t('Before')}"><span>${valueView(existed ? previousValue : undefined)}</span></td>
<td data-label="${t('After')}"><span>${valueView(op === 'delete' ? undefined : value)}</span></td></tr>\n`
}
