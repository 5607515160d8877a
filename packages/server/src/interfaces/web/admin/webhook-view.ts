import type { Delivery, Webhook } from '../../../events/webhooks/schema.ts'
import type { List } from '../../../platform/http/paging.ts'
import {
  buttonForm,
  confirmed,
  doneNotice,
  errorNotice,
  renderChoice,
  selectField,
  translateChoices,
} from '../controls.ts'
import { CSRF_FIELD } from '../forms.ts'
import { type Html, html, msg, t } from '../html.ts'
import { actorName, moment, pager, rows } from '../rows.ts'
import type { Screen, Shown } from '../screen.ts'
import { sectionsWithList } from '../sections.ts'
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
  { value: '0', text: msg('Not at all (the old secret was lost or leaked)') },
  { value: '3600', text: msg('For an hour') },
  { value: '86400', text: msg('For a day') },
  { value: '604800', text: msg('For a week') },
] as const

/** A webhook: its deliveries and its settings. */
export function webhookScreen(view: WebhookView): Screen {
  const { webhook, failed } = view
  const { id, url, description, enabled, createdAt, createdBy } = webhook
  const action = adminUrl('webhooks', id)
  return adminScreen({
    tab: 'Webhooks',
    heading: t('Webhook'),
    here: new URL(url).host,
    islands: ['copy'],
    main: html`${view.secret}
${doneNotice(view.done)}
${errorNotice(failed)}
<p class="long">${url}</p>
<p>${webhookState(webhook)} ${t('created {when} by {name}', {
      when: moment(createdAt, 'absolute'),
      name: actorName(createdBy),
    })}${description !== null && description !== '' && html`: ${description}`}</p>
<div class="buttons">${buttonForm(`${action}/test`, t('Send a test'))}
${buttonForm(`${action}/state`, enabled ? t('Disable') : t('Enable'), {
  fields: { enabled: enabled ? 'false' : 'true' },
})}</div>
${sectionsWithList(html`${renderDeliveries(view)}
<section aria-labelledby="change"><h2 id="change">${t('Change')}</h2>
<form class="form" method="post" action="${action}">
${CSRF_FIELD}
${webhookFields({
  kinds: view.eventKinds,
  spaces: view.spaces,
  webhook,
  failed: failed && 'url' in failed.fields ? failed : undefined,
})}
<button type="submit" class="button primary">${t('Save')}</button>
</form></section>
<section aria-labelledby="secret-heading"><h2 id="secret-heading">${t('Signing secret')}</h2>
<p>${t('The secret was shown once when it was created. Creating a new secret replaces it at once.')}</p>
<form class="form" method="post" action="${action}/rotate">
${CSRF_FIELD}
${selectField('graceSeconds', t('Keep the old secret valid'), { value: '86400', choices: translateChoices(GRACE) })}
<button type="submit" class="button">${t('Create a new secret')}</button>
</form></section>
<section aria-labelledby="delete"><h2 id="delete">${t('Delete')}</h2>
${confirmed({
  action: `${action}/delete`,
  text: t('Delete the webhook'),
  about: url,
  sure: t('Delete permanently'),
  warning: t('No more deliveries are sent and pending ones are dropped. This cannot be undone.'),
})}</section>`)}`,
  })
}

function renderDeliveries({ webhook, eventKinds, deliveries, filter, cursor }: WebhookView): Html {
  const url = adminUrl('webhooks', webhook.id)
  const kinds = [...eventKinds, 'webhook.test'].map((kind) => [kind, kind] as const)
  const filterText = filter.status || filter.event
  return html`<section aria-labelledby="deliveries"><h2 id="deliveries">${t('Deliveries')}</h2>
<form class="toolbar" method="get" action="${url}" aria-label="${t('Filter deliveries')}">
${renderChoice('status', t('State'), filter.status, [
  ['', t('Any state')],
  ['pending', t('Pending')],
  ['succeeded', t('Succeeded')],
  ['failed', t('Failed')],
  ['blocked', t('Blocked')],
])}
${renderChoice('event', t('Event'), filter.event, [['', t('Any event')], ...kinds])}
<button type="submit" class="button">${t('Filter')}</button>
</form>
${rows(
  t('Deliveries'),
  deliveries.items.map((delivery) => deliveryRow(webhook.id, delivery)),
  filterText
    ? html`<p>${t('No matching deliveries.')} <a href="${url}">${t('Show all')}</a></p>`
    : html`<p>${t('No deliveries yet. Send a test or change a page.')}</p>`,
)}
${pager(url, { ...filter }, { cursor, nextCursor: deliveries.nextCursor })}</section>`
}
