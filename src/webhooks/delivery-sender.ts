import { sendAttempt, type Transport } from '../outbound/attempt.ts'
import type { AttemptRecord } from '../outbound/attempt-record.ts'
import { type DeliveryOutcome, decideOutcome } from './schedule.ts'
import type { SecretBox } from './secret.ts'
import { signedHeaders } from './signature.ts'
import type { ClaimedRow, FinishedAttempt } from './store-queue.ts'

export interface DeliverySender {
  /** Signs and sends a claimed delivery in one attempt; undefined if `signal` aborted it. */
  send(delivery: ClaimedRow, signal?: AbortSignal): Promise<SendResult | undefined>
}

interface SendResult {
  readonly outcome: DeliveryOutcome
  readonly finished: FinishedAttempt
}

export interface DeliverySenderOptions {
  readonly transport: Transport
  readonly secrets: SecretBox
  /** Seconds before each retry. */
  readonly schedule: readonly number[]
  readonly onAttempt: (finished: FinishedAttempt) => void
}

export function createDeliverySender(options: DeliverySenderOptions): DeliverySender {
  const { transport, secrets, schedule, onAttempt } = options
  return {
    async send(delivery, signal) {
      const { webhook_id: webhookId, id, event, body, previous_secret: previous } = delivery
      const attemptNumber = delivery.attempts + 1
      const headers = signedHeaders({
        webhookId,
        deliveryId: id,
        event,
        attempt: attemptNumber,
        at: new Date(),
        body,
        secret: secrets.open(webhookId, delivery.secret),
        previousSecret: previous === null ? undefined : secrets.open(webhookId, previous),
      })
      const result = await sendAttempt(transport, { url: delivery.url, headers, body }, signal)
      if (!result) return undefined
      // A test has no retries: its caller waits for the outcome.
      const outcome = decideOutcome(result, attemptNumber, event === 'webhook.test' ? [] : schedule)
      const { retryAfter: _, blocked: __, ...record } = result
      const attempt: AttemptRecord = record
      const finished: FinishedAttempt = { webhookId, id, claim: delivery.claim, ...outcome, attempt }
      onAttempt(finished)
      return { outcome, finished }
    },
  }
}
