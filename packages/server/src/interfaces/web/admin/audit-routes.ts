import { Type } from 'typebox'
import { AUDIT_ACTIONS, type AuditEntry, auditLog } from '../../../identity/principals/audit.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { type Html, html, msg, t } from '../html.ts'
import { actorName, moment, pager, type Row, rows } from '../rows.ts'
import { screenRoute } from '../screen.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { adminScreen } from './frame.ts'

const field = Type.Optional(Type.String({ maxLength: 8192 }))
const query = strictObject({ actor: field, action: field, target: field, since: field, until: field, cursor: field })
const DAY_MS = 24 * 3600_000

/** The audit log. */
export const auditRoutes = registerRoutes(
  screenRoute('/manage/audit', {
    query,
    view: async ({ ctx, query }) => {
      // An empty field of the form is no filter.
      const filterValues = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
      const { since, until, ...rest } = filterValues
      const entries = await auditLog(ctx, {
        ...rest,
        ...(since !== undefined && { since: `${since}T00:00:00Z` }),
        ...(until !== undefined && { until: dayAfter(until) }),
      })
      const { cursor, ...filters } = filterValues
      return adminScreen({
        tab: 'Audit log',
        heading: t('Audit log'),
        main: html`${filterForm(filters)}
${rows(
  t('Entries'),
  entries.items.map((entry) => entryRow(entry, filters)),
  html`<p>${t('No matching entries.')} <a href="${adminUrl('audit')}">${t('Show all entries')}</a></p>`,
)}
${pager(adminUrl('audit'), { ...filters }, { cursor, nextCursor: entries.nextCursor })}`,
      })
    },
  }),
)

/** The end of a day, for the filter of the audit log, which rejects invalid days. */
function dayAfter(day: string): string {
  const from = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  return Number.isNaN(from) ? day : new Date(from + DAY_MS).toISOString()
}

interface AuditFilters {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly target?: string | undefined
  /** Days, such as `2030-01-31`: from the first on, and up to the end of the second. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

const TARGETS: Readonly<Record<string, string>> = {
  principal: msg('principal'),
  api_key: msg('api key'),
  space: msg('space'),
  group: msg('group'),
  session: msg('session'),
  webhook: msg('webhook'),
  invitation: msg('invitation'),
  space_template: msg('space template'),
  app: msg('app'),
  address: msg('address'),
  job: msg('job'),
}

function filterForm({ actor, action, target, since, until }: AuditFilters): Html {
  return html`<form class="toolbar" method="get" action="${adminUrl('audit')}" role="search"
    aria-label="${t('Filter the audit log')}">
<input class="input" dir="auto" name="action" list="actions" aria-label="${t('Action')}"
  placeholder="${t('Any action')}" value="${action}" maxlength="100" autocomplete="off">
<datalist id="actions">${AUDIT_ACTIONS.map((knownAction) => html`<option value="${knownAction}"></option>`)}</datalist>
<input class="input" dir="auto" name="target" aria-label="${t('Id or slug of the target')}"
  placeholder="${t('Id or slug of the target')}" value="${target}" maxlength="200" autocomplete="off">
<label class="check">${t('From')} <input class="input" type="date" name="since" value="${since}"></label>
<label class="check">${t('to')} <input class="input" type="date" name="until" value="${until}"></label>
${actor !== undefined && html`<input type="hidden" name="actor" value="${actor}">`}
<button type="submit" class="button">${t('Filter')}</button>
<a href="${adminUrl('audit')}">${t('Clear')}</a>
</form>
${
  actor !== undefined &&
  html`<p class="quiet">
${t('Only actions by <link>one person or agent</link>.', {
  link: (text) => html`<a href="${adminUrl('people', actor)}">${text}</a>`,
})}</p>`
}`
}

function entryRow(entry: AuditEntry, filters: AuditFilters): Row {
  const { createdAt, action, actor, target, details, address } = entry
  const by =
    actor && html`<a href="${withQuery(adminUrl('audit'), { ...filters, actor: actor.id })}">${actorName(actor)}</a>`
  return {
    title: html`<a href="${withQuery(adminUrl('audit'), {
      ...filters,
      action,
    })}"><code>${action}</code></a> ${target.name} <span class="quiet">${t(
      TARGETS[target.type] ?? target.type,
    )}</span>`,
    about: html`${moment(createdAt)}${by && html` ${t('by {name}', { name: by })}`}${
      address !== null && html` ${t('from {address}', { address })}`
    }${renderDetails(details)}`,
    actions: html`<a class="button small" href="${withQuery(adminUrl('audit'), { target: target.id })}"
      aria-label="${t('All on this: {name}', { name: target.name })}">${t('All on this')}</a>`,
  }
}

/** `{"apiKey":"1","spaces":["a","b"]}` is `api key 1 · spaces a, b`. */
function renderDetails(details: AuditEntry['details']): Html | undefined {
  const detailValues = Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  if (detailValues.length === 0) return undefined
  const name = (key: string) => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return html`<br>${detailValues.map(
    ([key, value], index) => html`${index > 0 && ' · '}${name(key)} <strong>${toText(value)}</strong>`,
  )}`
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
