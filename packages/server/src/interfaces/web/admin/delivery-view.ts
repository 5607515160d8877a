import type { Delivery } from '../../../events/webhooks/schema.ts'
import { buttonForm, doneNotice } from '../controls.ts'
import { type Html, html } from '../html.ts'
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

/** A delivery in the list of its webhook. */
export function deliveryRow(webhookId: string, delivery: Delivery): Row {
  const { id, event, status, attempts, createdAt } = delivery
  const last = attempts.at(-1)
  return {
    title: html`<a href="${deliveryUrl(webhookId, id)}"><code>${event}</code></a>`,
    badges: [badge(status, TONES[status])],
    about: html`${moment(createdAt)}; ${attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}${last && html`, last result: ${renderOutcome(last)}`}`,
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
    heading: `Delivery of ${event}`,
    here: 'Delivery',
    main: html`${doneNotice(view.done, status === 'failed' ? 'error' : 'success')}
<dl class="facts">
<dt>State</dt><dd>${badge(status, TONES[status])}</dd>
<dt>Id</dt><dd><code class="mono">${id}</code></dd>
<dt>Made</dt><dd>${moment(createdAt)}</dd>
${completedAt !== null && html`<dt>Completed</dt><dd>${moment(completedAt)}</dd>`}
${nextAttemptAt !== null && html`<dt>Next attempt</dt><dd>${moment(nextAttemptAt)}</dd>`}
</dl>
<div class="buttons">${redelivery(webhookId, delivery)} <a class="button" href="${adminUrl('webhooks', webhookId)}">All deliveries</a></div>
<h2>Attempts</h2>
${attempts.length === 0 ? html`<p>None yet: ${status === 'pending' ? 'the first attempt is in progress. Refresh in a moment.' : 'the address is not allowed.'}</p>` : html`<ol class="attempts">${attempts.map(attemptItem)}</ol>`}
<h2>What was sent</h2>
<pre class="payload" tabindex="0" role="region" aria-label="Payload"><code>${JSON.stringify(payload, undefined, 2)}</code></pre>`,
  })
}

export function deliveryUrl(webhookId: string, id: string): string {
  return adminUrl('webhooks', webhookId, 'deliveries', id)
}

function redelivery(webhookId: string, { id, event }: Delivery): Html {
  const action = `${deliveryUrl(webhookId, id)}/redeliver`
  return buttonForm({ action, text: 'Send again', label: `Send again: ${event}` })
}

function attemptItem(attempt: Attempted): Html {
  const { at, durationMs, responseBody } = attempt
  return html`<li><p>${moment(at)}: ${renderOutcome(attempt)}, after ${durationMs} ms</p>
${responseBody !== null && responseBody !== '' && html`<pre class="payload" tabindex="0" role="region" aria-label="Answer"><code>${responseBody}</code></pre>`}</li>
`
}

function renderOutcome({ responseStatus, error }: Attempted): Html {
  return html`${responseStatus !== null && `answered ${responseStatus}`}${responseStatus !== null && error !== null && ', '}${error}`
}
