import { createHmac } from 'node:crypto'
import { SECRET_PREFIX } from './secret.ts'

export interface Signing {
  readonly webhookId: string
  readonly deliveryId: string
  readonly event: string
  /** From 1. */
  readonly attempt: number
  readonly at: Date
  readonly body: string
  readonly secret: string
  /** Signs as well during the grace time after a rotation. */
  readonly previousSecret: string | undefined
}

/** The headers that identify and sign an attempt, in the forms of GitHub and of Standard Webhooks. */
export function signedHeaders(signing: Signing): Record<string, string> {
  const { deliveryId, body, secret, previousSecret } = signing
  const timestamp = String(Math.floor(signing.at.getTime() / 1000))
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  return {
    'X-Svc-Event': signing.event,
    'X-Svc-Delivery': deliveryId,
    'X-Svc-Webhook': signing.webhookId,
    'X-Svc-Attempt': String(signing.attempt),
    'X-Svc-Timestamp': timestamp,
    'X-Svc-Signature': githubSignature(secret, body),
    ...(previousSecret !== undefined && {
      'X-Svc-Signature-Previous': githubSignature(previousSecret, body),
    }),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets
      .map((one) => standardSignature(one, `${deliveryId}.${timestamp}.${body}`))
      .join(' '),
  }
}

/** `X-Svc-Signature`: keyed with the text of the secret, prefix included. */
export function githubSignature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** `webhook-signature`: keyed with the decoded bytes of the secret. */
function standardSignature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
