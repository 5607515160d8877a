/** Verification of webhook signatures (Standard Webhooks, https://www.standardwebhooks.com). */
export interface WebhookRequest {
  /** The raw body; serialised JSON can have other bytes. */
  readonly body: string | Uint8Array
  /** The headers, with names in lower case. */
  readonly headers:
    | { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The secret of the webhook: `whsec_…`. */
  readonly secret: string
  /** Maximum difference between the timestamp and the clock; default 300. */
  readonly toleranceSeconds?: number
  readonly now?: Date
}

const FIVE_MINUTES = 300
const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const

/** Resolves to whether a request was signed with the secret, recently, and is unchanged. */
export async function verifyWebhook(request: WebhookRequest): Promise<boolean> {
  const { body, headers, secret, toleranceSeconds = FIVE_MINUTES, now = new Date() } = request
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  )
  if (id === undefined || timestamp === undefined || signatures === undefined) return false
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const keyBytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (!keyBytes || keyBytes.length === 0) return false
  const key = await crypto.subtle.importKey('raw', keyBytes, HMAC, false, ['verify'])
  const signedBytes = joined(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  // During the rotation of a secret there are two signatures. `verify` compares in constant time.
  for (const signature of signatures.split(' ')) {
    const sentSignature = signature.startsWith('v1,') ? fromBase64(signature.slice('v1,'.length)) : undefined
    if (sentSignature && (await crypto.subtle.verify(HMAC.name, key, sentSignature, signedBytes))) return true
  }
  return false
}

function readHeader(headers: WebhookRequest['headers'], name: string): string | undefined {
  const value = typeof headers.get === 'function' ? headers.get(name) : Reflect.get(headers, name)
  return typeof value === 'string' ? value : undefined
}

function joined(head: Uint8Array, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const all = new Uint8Array(head.length + bytes.length)
  all.set(head)
  all.set(bytes, head.length)
  return all
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
