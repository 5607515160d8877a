import type { Delivery, Webhook } from '../../../events/webhooks/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { buttonForm, confirmed, doneNotice, errorNotice, renderChoice } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { actorName, moment, pager, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import type { SpaceChoices } from '../space-field.ts'
import { adminUrl } from '../urls.ts'
import { deliveryRow } from './delivery-view.ts'
import { adminScreen } from './frame.ts'
import { webhookFields, webhookState } from './webhooks-view.ts'

export interface WebhookView extends Shown {
  readonly webhook: Webhook
  readonly eventKinds: readonly string[]
  readonly spaces: SpaceChoices
  readonly deliveries: List<Delivery>
  readonly filter: { readonly status?: string | undefined; readonly event?: string | undefined }
}

const GRACE = [
  ['0', 'Not at all (the old secret was lost or leaked)'],
  ['3600', 'For an hour'],
  ['86400', 'For a day'],
  ['604800', 'For a week'],
] as const

/** A webhook: its deliveries and its settings. */
export function webhookScreen(view: WebhookView): Screen {
  const { webhook, failed } = view
  const { id, url, description, enabled, createdAt, createdBy } = webhook
  const action = adminUrl('webhooks', id)
  return adminScreen({
    tab: 'Webhooks',
    heading: 'Webhook',
    here: new URL(url).host,
    islands: ['copy'],
    main: html`${view.secret}
${doneNotice(view.done)}
${errorNotice(failed)}
<p class="long">${url}</p>
<p>${webhookState(webhook)} created ${moment(createdAt)} by ${actorName(createdBy)}${description !== null && description !== '' && html`: ${description}`}</p>
<div class="buttons">${buttonForm({ action: `${action}/test`, text: 'Send a test' })}
${buttonForm({ action: `${action}/state`, text: enabled ? 'Disable' : 'Enable', fields: { enabled: enabled ? 'false' : 'true' } })}</div>
${renderDeliveries(view)}
<section aria-labelledby="change"><h2 id="change">Change</h2>
<form class="form" method="post" action="${action}">
${CSRF_FIELD}
${webhookFields({ kinds: view.eventKinds, spaces: view.spaces, webhook, failed: failed && 'url' in failed.fields ? failed : undefined })}
<button type="submit" class="button primary">Save</button>
</form></section>
<section aria-labelledby="secret-heading"><h2 id="secret-heading">Signing secret</h2>
<p>The secret was shown once when it was created. Creating a new secret replaces it at once.</p>
<form class="form" method="post" action="${action}/rotate">
${CSRF_FIELD}
<div class="field"><label for="graceSeconds">Keep the old secret valid</label>
${choiceWithId(GRACE)}</div>
<button type="submit" class="button">Create a new secret</button>
</form></section>
<section aria-labelledby="delete"><h2 id="delete">Delete</h2>
${confirmed({ action: `${action}/delete`, text: 'Delete the webhook', about: url, sure: 'Delete permanently', warning: 'No more deliveries are sent and pending ones are dropped. This cannot be undone.' })}</section>`,
  })
}

function choiceWithId(options: typeof GRACE): Html {
  return html`<select id="graceSeconds" name="graceSeconds">${options.map(([value, text]) => html`<option value="${value}"${value === '86400' && html` selected`}>${text}</option>`)}</select>`
}

function renderDeliveries({ webhook, eventKinds, deliveries, filter, cursor }: WebhookView): Html {
  const url = adminUrl('webhooks', webhook.id)
  const kinds = [...eventKinds, 'webhook.test'].map((kind) => [kind, kind] as const)
  const filterText = filter.status || filter.event
  return html`<section aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>
<form class="toolbar" method="get" action="${url}" aria-label="Filter deliveries">
${renderChoice('status', 'State', filter.status, [
  ['', 'Any state'],
  ['pending', 'Pending'],
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
  ['blocked', 'Blocked'],
])}
${renderChoice('event', 'Event', filter.event, [['', 'Any event'], ...kinds])}
<button type="submit" class="button">Filter</button>
</form>
${rows(
  'Deliveries',
  deliveries.items.map((delivery) => deliveryRow(webhook.id, delivery)),
  filterText
    ? html`<p>No matching deliveries. <a href="${url}">Show all</a></p>`
    : html`<p>No deliveries yet. Send a test or change a page.</p>`,
)}
${pager(url, { ...filter }, { cursor, nextCursor: deliveries.nextCursor })}</section>`
}
