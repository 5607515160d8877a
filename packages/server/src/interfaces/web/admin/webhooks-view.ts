import type { Webhook } from '../../../events/webhooks/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import { checkBoxes, doneNotice, errorNotice, selectField, textField, translateChoices } from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
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
  { value: 'json', text: msg('Signed JSON, for programs') },
  { value: 'slack', text: msg('Message to a Slack channel') },
  { value: 'teams', text: msg('Message to a Microsoft Teams channel') },
]

/** The list of webhooks, and the form for a new one. */
export function webhooksScreen(view: WebhooksView): Screen {
  const { webhooks, spaces, cursor, failed } = view
  return adminScreen({
    tab: 'Webhooks',
    heading: t('Webhooks'),
    actions: html`<a class="button" href="#add">${t('New webhook')}</a>`,
    main: html`${doneNotice(view.done)}
${rows(
  t('Webhooks'),
  webhooks.items.map(webhookRow),
  html`<h2>${t('No webhooks yet')}</h2><p>
${t(
  'A webhook sends signed HTTP requests to your URL, or messages to a channel of Slack or Teams, ' +
    'when pages and spaces change, and retries until they arrive.',
)}</p>`,
)}
${pager(adminUrl('webhooks'), {}, { cursor, nextCursor: webhooks.nextCursor })}
<section aria-labelledby="add"><h2 id="add">${t('New webhook')}</h2>
${errorNotice(failed)}
<form class="form" method="post" action="${adminUrl('webhooks')}">
${CSRF_FIELD}
${webhookFields({ kinds: webhooks.eventKinds, spaces, failed })}
<button type="submit" class="button primary">${t('Create')}</button>
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
  return html`${textField('url', t('URL'), {
    type: 'url',
    required: true,
    maxLength: 2048,
    value: webhook?.url ?? '',
    failed,
    help: t('Must be a public https:// address.'),
  })}
${selectField('format', t('Format'), {
  value: webhook?.format ?? 'json',
  choices: translateChoices(FORMATS),
  failed,
  help: t('For a channel of a chat, take the URL of its incoming webhook.'),
})}
${checkBoxes('events', t('Events'), {
  values: webhook?.events ?? ['*'],
  failed,
  choices: [
    { value: '*', text: t('All events, including future ones') },
    ...kinds.map((kind) => ({ value: kind, text: kind })),
  ],
})}
${spaceField({ name: 'spaceSlug', spaces, isShared: true, value: webhook?.spaceSlug ?? '', failed })}
${textField('description', t('Description'), { maxLength: 2000, rows: 2, value: webhook?.description ?? '', failed })}`
}

/** Whether a webhook is enabled, and if not, why. */
export function webhookState({ enabled, disabledReason }: Webhook): Html {
  if (enabled) return badge(t('enabled'), 'success')
  if (disabledReason === null) return badge(t('disabled'), 'warning')
  const isGone = disabledReason === 'gone'
  return badge(isGone ? t('disabled: the receiver answered 410 Gone') : t('disabled: failing'), 'error')
}

function webhookRow(webhook: Webhook): Row {
  const { id, url, events, spaceSlug, description, createdAt } = webhook
  return {
    title: html`<a href="${adminUrl('webhooks', id)}">${url}</a>`,
    badges: [webhookState(webhook)],
    about: html`${
      description !== null && description !== '' && html`${description}<br>`
    }${events.includes('*') ? t('all events') : events.join(', ')}; ${
      spaceSlug === null ? t('all shared spaces') : t('only {spaces}', { spaces: spaceSlug })
    }; ${t('since {when}', { when: moment(createdAt, 'absolute') })}`,
  }
}
