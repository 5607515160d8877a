import { Lru } from '../../../../lib/src/lru.ts'
import { sendAttempt, type Transport } from '../../platform/outbound/attempt.ts'
import type { AttemptRecord } from '../../platform/outbound/attempt-record.ts'
import { decideOutcome } from './schedule.ts'
import type { SecretBox } from './secret.ts'
import { type SigningKeys, signedHeaders, signingKeys } from './signature.ts'
import type { ClaimedRow, FinishedAttempt } from './store-queue.ts'

export type DeliverySender = ReturnType<typeof createDeliverySender>

export interface DeliverySenderOptions {
  readonly transport: Transport
  readonly secrets: SecretBox
  /** Seconds before each retry. */
  readonly schedule: readonly number[]
  readonly onAttempt: (finished: FinishedAttempt) => void
}

/** The secrets whose keys are kept. */
const MAX_KEYS = 1_000

export function createDeliverySender(options: DeliverySenderOptions) {
  const { transport, schedule, onAttempt } = options
  const getKeys = createKeyring(options.secrets)
  return {
    /** Signs and sends a claimed delivery in one attempt; undefined if `signal` aborted it. */
    async send(delivery: ClaimedRow, signal?: AbortSignal) {
      const { webhook_id: webhookId, id, event, body, previous_secret: previous } = delivery
      const attemptNumber = delivery.attempts + 1
      const headers = signedHeaders({
        webhookId,
        deliveryId: id,
        event,
        attempt: attemptNumber,
        at: new Date(),
        body,
        keys: getKeys(webhookId, delivery.secret),
        previousKeys: previous === null ? undefined : getKeys(webhookId, previous),
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

/** Opens the sealed secrets of webhooks, and keeps the keys of those that were used last. */
function createKeyring(secrets: SecretBox): (webhookId: string, sealed: Buffer) => SigningKeys {
  const known = new Lru<string, SigningKeys>({ maxWeight: MAX_KEYS, weigh: () => 1 })
  return (webhookId, sealed) => {
    // A sealed secret is bound to its webhook.
    const id = `${webhookId} ${sealed.toString('latin1')}`
    const kept = known.get(id)
    if (kept) return kept
    const keys = signingKeys(secrets.open(webhookId, sealed))
    known.set(id, keys)
    return keys
  }
}
