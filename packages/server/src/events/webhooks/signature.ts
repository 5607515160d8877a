import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { SECRET_PREFIX } from './secret.ts'

/** A secret that is ready to sign: to set up its keys takes twice as long as both signatures. */
export interface SigningKeys {
  /** The text of the secret, prefix included. */
  readonly text: KeyObject
  /** The decoded bytes of the secret. */
  readonly bytes: KeyObject
}

export function signingKeys(secret: string): SigningKeys {
  return { text: createSecretKey(secret, 'utf8'), bytes: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64') }
}

export interface Signing {
  readonly webhookId: string
  readonly deliveryId: string
  readonly event: string
  /** From 1. */
  readonly attempt: number
  readonly at: Date
  readonly body: string
  readonly keys: SigningKeys
  /** Sign as well during the grace time after a rotation. */
  readonly previousKeys: SigningKeys | undefined
}

/** The headers that identify and sign an attempt, in the forms of GitHub and of Standard Webhooks. */
export function signedHeaders(signing: Signing): Record<string, string> {
  const { deliveryId, body, keys, previousKeys } = signing
  const timestamp = String(Math.floor(signing.at.getTime() / 1000))
  const content = `${deliveryId}.${timestamp}.${body}`
  const allKeys = previousKeys === undefined ? [keys] : [keys, previousKeys]
  return {
    'X-Svc-Event': signing.event,
    'X-Svc-Delivery': deliveryId,
    'X-Svc-Webhook': signing.webhookId,
    'X-Svc-Attempt': String(signing.attempt),
    'X-Svc-Timestamp': timestamp,
    'X-Svc-Signature': githubSignature(keys.text, body),
    ...(previousKeys !== undefined && { 'X-Svc-Signature-Previous': githubSignature(previousKeys.text, body) }),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': allKeys.map(({ bytes }) => standardSignature(bytes, content)).join(' '),
  }
}

/** `X-Svc-Signature`. */
export function githubSignature(text: KeyObject, body: string): string {
  return `sha256=${createHmac('sha256', text).update(body).digest('hex')}`
}

function standardSignature(bytes: KeyObject, content: string): string {
  return `v1,${createHmac('sha256', bytes).update(content).digest('base64')}`
}
