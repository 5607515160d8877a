import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto'

export const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
/** First byte of what is sealed, so that another form can be told from this one. */
const FORM = 1

/** Seals the secrets of webhooks for the database. */
export interface SecretBox {
  /** Names the key without telling it. */
  readonly keyId: string
  /** The secret, encrypted and bound to its webhook. */
  seal(webhookId: string, secret: string): Buffer
  /** The secret again; throws when it was sealed with another key, for another webhook, or was changed. */
  open(webhookId: string, sealed: Buffer): string
}

/** A new signing secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks writes it. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** Seals with AES-256-GCM. */
export function createSecretBox(bytes: Buffer): SecretBox {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`A key has ${KEY_BYTES} bytes, not ${bytes.length}`)
  // Prepared once: from bytes each delivery would pay for it.
  const key = createSecretKey(bytes)
  return {
    keyId: createHash('sha256').update('recto secret key\0').update(bytes).digest('hex').slice(0, 16),
    seal(webhookId, secret) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(webhookId),
      )
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(FORM), iv, text, cipher.getAuthTag()])
    },
    open(webhookId, sealed) {
      if (sealed[0] !== FORM)
        throw new Error('the secret was sealed in a form that this release does not know')
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, 1 + IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(webhookId)).setAuthTag(sealed.subarray(-TAG_BYTES))
      const text = decipher.update(sealed.subarray(1 + IV_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}
