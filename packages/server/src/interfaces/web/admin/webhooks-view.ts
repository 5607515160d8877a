import type { Webhook } from '../../../events/webhooks/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { checkBoxes, doneNotice, errorNotice, selectField, textField } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html } from '../html.ts'
import { badge, moment, pager, type Row, rows } from '../rows.ts'
import type { FailedForm, Screen, Shown } from '../screen.ts'
import { type SpaceChoices, spaceField } from '../space-field.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

export interface WebhooksView extends Shown {
  readonly webhooks: List<Webhook> & { readonly eventKinds: readonly string[] }
  readonly spaces: SpaceChoices
}

const FORMATS = [
  { value: 'json', text: 'Signed JSON, for programs' },
  { value: 'slack', text: 'Message to a Slack channel' },
  { value: 'teams', text: 'Message to a Microsoft Teams channel' },
]

/** The list of webhooks, and the form for a new one. */
export function webhooksScreen(view: WebhooksView): Screen {
  const { webhooks, spaces, cursor, failed } = view
  return adminScreen({
    tab: 'Webhooks',
    heading: 'Webhooks',
    actions: html`<a class="button" href="#add">New webhook</a>`,
    main: html`${doneNotice(view.done)}
${rows(
  'Webhooks',
  webhooks.items.map(webhookRow),
  html`<h2>No webhooks yet</h2><p>A webhook sends signed HTTP requests to your URL, or messages to a channel of Slack or Teams, when pages and spaces change, and retries until they arrive.</p>`,
)}
${pager(adminUrl('webhooks'), {}, { cursor, nextCursor: webhooks.nextCursor })}
<section aria-labelledby="add"><h2 id="add">New webhook</h2>
${errorNotice(failed)}
<form class="form" method="post" action="${adminUrl('webhooks')}">
${CSRF_FIELD}
${webhookFields({ kinds: webhooks.eventKinds, spaces, failed })}
<button type="submit" class="button primary">Create</button>
</form></section>`,
  })
}

/** The fields of a webhook, in a new form or filled in. */
export function webhookFields(fields: {
  readonly kinds: readonly string[]
  readonly spaces: SpaceChoices
  readonly webhook?: Webhook
  readonly failed?: FailedForm | undefined
}): Html {
  const { kinds, spaces, webhook, failed } = fields
  return html`${textField({ name: 'url', label: 'URL', type: 'url', required: true, maxLength: 2048, value: webhook?.url ?? '', failed, help: 'Must be a public https:// address.' })}
${selectField({ name: 'format', label: 'Format', value: webhook?.format ?? 'json', choices: FORMATS, failed, help: 'For a channel of a chat, take the URL of its incoming webhook.' })}
${checkBoxes({ name: 'events', label: 'Events', values: webhook?.events ?? ['*'], failed, choices: [{ value: '*', text: 'All events, including future ones' }, ...kinds.map((kind) => ({ value: kind, text: kind }))] })}
${spaceField({ name: 'spaceSlug', spaces, all: 'All shared spaces', value: webhook?.spaceSlug ?? '', failed })}
${textField({ name: 'description', label: 'Description', maxLength: 2000, rows: 2, value: webhook?.description ?? '', failed })}`
}

/** Whether a webhook is enabled, and if not, why. */
export function webhookState({ enabled, disabledReason }: Webhook): Html {
  if (enabled) return badge('enabled', 'success')
  if (disabledReason === null) return badge('disabled', 'warning')
  return badge(
    disabledReason === 'gone' ? 'disabled: the receiver answered 410 Gone' : `disabled: ${disabledReason}`,
    'error',
  )
}

function webhookRow(webhook: Webhook): Row {
  const { id, url, events, spaceSlug, description, createdAt } = webhook
  return {
    title: html`<a href="${adminUrl('webhooks', id)}">${url}</a>`,
    badges: [webhookState(webhook)],
    about: html`${description !== null && description !== '' && html`${description}<br>`}${events.includes('*') ? 'all events' : events.join(', ')}; ${spaceSlug === null ? 'all shared spaces' : html`only ${spaceSlug}`}; since ${moment(createdAt, 'absolute')}`,
  }
}
