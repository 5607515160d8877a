import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto'

export const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
/** First byte of the sealed form, so that the format can change. */
const VERSION = 1

/** Encrypts the secrets of webhooks for the database (AES-256-GCM, NIST SP 800-38D). */
export interface SecretBox {
  /** Identifies the key without revealing it. */
  readonly keyId: string
  /** Encrypts the secret and binds it to its webhook (additional authenticated data). */
  seal(webhookId: string, secret: string): Buffer
  /** Decrypts; throws if it was sealed with another key or for another webhook, or was changed. */
  open(webhookId: string, sealedSecret: Buffer): string
}

/** A new signing secret in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

export function createSecretBox(bytes: Buffer): SecretBox {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`A key has ${KEY_BYTES} bytes, not ${bytes.length}`)
  // Key setup is expensive: not once for each delivery.
  const key = createSecretKey(bytes)
  return {
    keyId: createHash('sha256').update('recto secret key\0').update(bytes).digest('hex').slice(0, 16),
    seal(webhookId, secret) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(webhookId))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), iv, text, cipher.getAuthTag()])
    },
    open(webhookId, sealedSecret) {
      if (sealedSecret[0] !== VERSION)
        throw new Error('the secret was sealed in a format that this release does not support')
      const decipher = createDecipheriv(CIPHER, key, sealedSecret.subarray(1, 1 + IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(webhookId)).setAuthTag(sealedSecret.subarray(-TAG_BYTES))
      const text = decipher.update(sealedSecret.subarray(1 + IV_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}
