import type { Delivery } from '../../../events/webhooks/schema.ts'
import { translateDetail } from '../../../platform/language/details.ts'
import { buttonForm, doneNotice } from '../controls.ts'
import { type Html, html, msg, t } from '../html.ts'
import { badge, moment, type Row, type Tone } from '../rows.ts'
import type { Screen } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { adminScreen } from './frame.ts'

type Attempted = Delivery['attempts'][number]

const TONES: Readonly<Record<Delivery['status'], Tone>> = {
  pending: 'info',
  succeeded: 'success',
  failed: 'error',
  blocked: 'error',
}
const STATES = { pending: msg('pending'), succeeded: msg('succeeded'), failed: msg('failed'), blocked: msg('blocked') }

/** A delivery in the list of its webhook. */
export function deliveryRow(webhookId: string, delivery: Delivery): Row {
  const { id, event, status, attempts, createdAt } = delivery
  const last = attempts.at(-1)
  const count = attempts.length
  return {
    title: html`<a href="${deliveryUrl(webhookId, id)}"><code>${event}</code></a>`,
    badges: [badge(t(STATES[status]), TONES[status])],
    about: html`${moment(createdAt)}; ${
      last
        ? t('{count, plural, one {# attempt} other {# attempts}}, last result: {result}', {
            count,
            result: renderOutcome(last),
          })
        : t('{count, plural, one {# attempt} other {# attempts}}', { count })
    }`,
    actions: redelivery(webhookId, delivery),
  }
}

/** A delivery: the payload, and the response of each attempt. */
export function deliveryScreen(view: {
  readonly webhookId: string
  readonly delivery: Delivery
  readonly done?: string | undefined
}): Screen {
  const { webhookId, delivery } = view
  const { id, event, status, attempts, createdAt, completedAt, nextAttemptAt, payload } = delivery
  return adminScreen({
    tab: 'Webhooks',
    heading: t('Delivery of {event}', { event }),
    here: t('Delivery'),
    main: html`${doneNotice(view.done, status === 'failed' ? 'error' : 'success')}
<dl class="facts">
<dt>${t('State')}</dt><dd>${badge(t(STATES[status]), TONES[status])}</dd>
<dt>${t('Id')}</dt><dd><code class="mono">${id}</code></dd>
<dt>${t('Made')}</dt><dd>${moment(createdAt)}</dd>
${completedAt !== null && html`<dt>${t('Completed')}</dt><dd>${moment(completedAt)}</dd>`}
${nextAttemptAt !== null && html`<dt>${t('Next attempt')}</dt><dd>${moment(nextAttemptAt)}</dd>`}
</dl>
<div class="buttons">
${redelivery(
  webhookId,
  delivery,
)} <a class="button" href="${adminUrl('webhooks', webhookId)}">${t('All deliveries')}</a></div>
<h2>${t('Attempts')}</h2>
${
  attempts.length === 0
    ? html`<p>${
        status === 'pending'
          ? t('None yet: the first attempt is in progress. Refresh in a moment.')
          : t('None yet: the address is not allowed.')
      }</p>`
    : html`<ol class="attempts">${attempts.map(attemptItem)}</ol>`
}
<h2>${t('What was sent')}</h2>
<pre class="payload" tabindex="0" role="region" aria-label="${t('Payload')}"><code>${JSON.stringify(
      payload,
      undefined,
      2,
    )}</code></pre>`,
  })
}

export function deliveryUrl(webhookId: string, id: string): string {
  return adminUrl('webhooks', webhookId, 'deliveries', id)
}

function redelivery(webhookId: string, { id, event }: Delivery): Html {
  const action = `${deliveryUrl(webhookId, id)}/redeliver`
  return buttonForm(action, t('Send again'), { label: t('Send again: {event}', { event }) })
}

function attemptItem(attempt: Attempted): Html {
  const { at, durationMs, responseBody } = attempt
  return html`<li><p>${t('{when}: {result}, after {milliseconds} ms', {
    when: moment(at),
    result: renderOutcome(attempt),
    milliseconds: durationMs,
  })}</p>
${
  responseBody !== null &&
  responseBody !== '' &&
  html`<pre class="payload" tabindex="0" role="region" aria-label="${t('Answer')}"><code>${responseBody}</code></pre>`
}</li>
`
}

function renderOutcome({ responseStatus, error }: Attempted): Html {
  return html`${
    responseStatus !== null && t('answered {status}', { status: responseStatus })
  }${responseStatus !== null && error !== null && ', '}${error !== null && translateDetail(error)}`
}
