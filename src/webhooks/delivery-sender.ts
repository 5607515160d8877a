import { type AttemptResult, sendAttempt, type Transport } from '../outbound/attempt.ts'
import { decide, type Outcome } from './schedule.ts'
import type { SecretBox } from './secret.ts'
import { signedHeaders } from './signature.ts'
import type { ClaimedRow, Finished } from './store-queue.ts'

/** Attempts claimed deliveries. */
export interface DeliverySender {
  /** One attempt and what it leads to; undefined when `stop` came first. */
  send(delivery: ClaimedRow, stop?: AbortSignal): Promise<SendResult | undefined>
}

export interface SendResult {
  readonly result: AttemptResult
  readonly outcome: Outcome
  readonly finished: Finished
}

export interface DeliverySenderOptions {
  readonly transport: Transport
  readonly secrets: SecretBox
  readonly schedule: readonly number[]
  readonly onAttempt: (finished: Finished) => void
}

export function createDeliverySender({
  transport,
  secrets,
  schedule,
  onAttempt,
}: DeliverySenderOptions): DeliverySender {
  return {
    async send(delivery, stop) {
      const { webhook_id: webhookId, id, event, body, previous_secret: previous } = delivery
      const number = delivery.attempts + 1
      const headers = signedHeaders({
        webhookId,
        deliveryId: id,
        event,
        attempt: number,
        at: new Date(),
        body,
        secret: secrets.open(webhookId, delivery.secret),
        previousSecret: previous === null ? undefined : secrets.open(webhookId, previous),
      })
      const result = await sendAttempt(transport, { url: delivery.url, headers, body }, stop)
      if (!result) return undefined
      // A test is one attempt: whoever sent it waits for the answer.
      const outcome = decide(result, number, event === 'webhook.test' ? [] : schedule)
      const { at, durationMs, responseStatus, error, responseBody } = result
      const logged = { at: at.toISOString(), durationMs, responseStatus, error, responseBody }
      const finished: Finished = { webhookId, id, claim: delivery.claim, ...outcome, attempt: logged }
      onAttempt(finished)
      return { result, outcome, finished }
    },
  }
}
