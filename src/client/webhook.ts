import { createHmac, timingSafeEqual } from 'node:crypto'

export interface WebhookRequest {
  /** The bytes of the body as they came: JSON that was parsed and written again has other bytes. */
  readonly body: string | Uint8Array
  /** The headers, named in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The secret of the webhook, as it was told: `whsec_…`. */
  readonly secret: string
  /** So many seconds a delivery may be old, or ahead of the own clock. */
  readonly toleranceSeconds?: number
  readonly now?: Date
}

const FIVE_MINUTES = 300

/** Whether a request is a delivery of this webhook: signed with its secret, a moment ago, and unchanged. */
export function verifyWebhook(request: WebhookRequest): boolean {
  const { body, headers, secret, toleranceSeconds = FIVE_MINUTES, now = new Date() } = request
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  )
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // While a secret is being replaced there are two of them.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
