import { AUDIT_ACTIONS, type AuditEntry } from '../../../identity/principals/audit.ts'
import type { List } from '../../../platform/http/paging.ts'
import { type Html, html } from '../html.ts'
import { actorName, moment, pager, type Row, rows } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { adminScreen } from './frame.ts'

export interface AuditFilters {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
  /** Days, such as `2030-01-31`: from the first on, and up to the end of the second. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** The audit log. */
export function auditScreen(view: {
  readonly entries: List<AuditEntry>
  readonly filters: AuditFilters
  readonly cursor?: string | undefined
}): Screen {
  const { entries, filters, cursor } = view
  return adminScreen({
    tab: 'Audit log',
    heading: 'Audit log',
    main: html`${filterForm(filters)}
${rows(
  'Entries',
  entries.items.map((entry) => entryRow(entry, filters)),
  html`<p>No matching entries. <a href="${adminUrl('audit')}">Show all entries</a></p>`,
)}
${pager(adminUrl('audit'), { ...filters }, { cursor, nextCursor: entries.nextCursor })}`,
  })
}

function filterForm({ actor, action, target, since, until }: AuditFilters): Html {
  return html`<form class="toolbar" method="get" action="${adminUrl('audit')}" role="search" aria-label="Filter the audit log">
<input class="input" dir="auto" name="action" list="actions" aria-label="Action" placeholder="Any action" value="${action}" maxlength="100" autocomplete="off">
<datalist id="actions">${AUDIT_ACTIONS.map((knownAction) => html`<option value="${knownAction}"></option>`)}</datalist>
<input class="input" dir="auto" name="target" aria-label="Id or slug of the target" placeholder="Id or slug of the target" value="${target}" maxlength="200" autocomplete="off">
<label class="check">From <input class="input" type="date" name="since" value="${since}"></label>
<label class="check">to <input class="input" type="date" name="until" value="${until}"></label>
${actor !== undefined && html`<input type="hidden" name="actor" value="${actor}">`}
<button type="submit" class="button">Filter</button>
<a href="${adminUrl('audit')}">Clear</a>
</form>
${actor !== undefined && html`<p class="quiet">Only actions by <a href="${adminUrl('people', actor)}">one person or agent</a>.</p>`}`
}

function entryRow(entry: AuditEntry, filters: AuditFilters): Row {
  const { createdAt, action, actor, target, details, address } = entry
  return {
    title: html`<a href="${withQuery(adminUrl('audit'), { ...filters, action })}"><code>${action}</code></a> ${target.name} <span class="quiet">${target.type.replaceAll('_', ' ')}</span>`,
    about: html`${moment(createdAt)}${actor && html` by <a href="${withQuery(adminUrl('audit'), { ...filters, actor: actor.id })}">${actorName(actor)}</a>`}${address !== null && html` from ${address}`}${renderDetails(details)}`,
    actions: html`<a class="button small" href="${withQuery(adminUrl('audit'), { target: target.id })}" aria-label="All on this: ${target.name}">All on this</a>`,
  }
}

/** `{"apiKey":"1","spaces":["a","b"]}` is `api key 1 · spaces a, b`. */
function renderDetails(details: AuditEntry['details']): Html | undefined {
  const detailValues = Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  if (detailValues.length === 0) return undefined
  const name = (key: string) => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return html`<br>${detailValues.map(([key, value], index) => html`${index > 0 && ' · '}${name(key)} <strong>${toText(value)}</strong>`)}`
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
