import { Lru } from '@recto/lib/lru.ts'
import { sendAttempt, type Transport } from '../../platform/outbound/attempt.ts'
import type { AttemptRecord } from '../../platform/outbound/attempt-record.ts'
import { formatBody } from './chat-message.ts'
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
  readonly onAttempt: (finishedAttempt: FinishedAttempt) => void
}

/** The secrets whose keys are kept. */
const MAX_KEYS = 1_000

export function createDeliverySender(options: DeliverySenderOptions) {
  const { transport, schedule, onAttempt } = options
  const getKeys = createKeyring(options.secrets)
  return {
    /** Signs and sends a claimed delivery in one attempt; undefined if `signal` aborted it. */
    async send(delivery: ClaimedRow, signal?: AbortSignal) {
      const { webhook_id: webhookId, id, event, previous_secret: previous } = delivery
      const body = formatBody(delivery.format, delivery.body)
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
      const finishedAttempt: FinishedAttempt = { webhookId, id, claim: delivery.claim, ...outcome, attempt }
      onAttempt(finishedAttempt)
      return { outcome, finished: finishedAttempt }
    },
  }
}

/** Opens the sealed secrets of webhooks, and keeps the keys of those that were used last. */
function createKeyring(secrets: SecretBox): (webhookId: string, sealedSecret: Buffer) => SigningKeys {
  const keyring = new Lru<string, SigningKeys>({ maxWeight: MAX_KEYS, weigh: () => 1 })
  return (webhookId, sealedText) => {
    // A sealed secret is bound to its webhook.
    const id = `${webhookId} ${sealedText.toString('latin1')}`
    const knownKeys = keyring.get(id)
    if (knownKeys) return knownKeys
    const keys = signingKeys(secrets.open(webhookId, sealedText))
    keyring.set(id, keys)
    return keys
  }
}
