import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export type Position = readonly (string | number | boolean | null)[]

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
/** Lengths are padded to this, so that they do not disclose how large the numbers of a position are. */
const BLOCK_BYTES = 32

export type CursorSealer = ReturnType<typeof createCursorSealer>

/**
 * Creates opaque cursors: a position in a list, encrypted and bound to the query of the list. Seals with AES-256-GCM,
 * with keys derived from the service's secret by HKDF. The nonce is synthetic (as in RFC 8452): an HMAC of what is
 * sealed, so that it never repeats for another position, and one position has one cursor.
 */
export function createCursorSealer(secret: Buffer) {
  const key = derive(secret, 'recto cursor encryption')
  const nonceKey = derive(secret, 'recto cursor nonce')
  return {
    /** `query` names the list and all its parameters: the cursor is valid for that query only. */
    seal(query: string, position: Position): string {
      const text = padded(Buffer.from(JSON.stringify(position)))
      // The length of the query goes first: no other query and position make the same input.
      const iv = createHmac('sha256', nonceKey).update(`${query.length}:${query}`).update(text).digest()
      const cipher = createCipheriv(CIPHER, key, iv.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(query))
      const sealedBytes = Buffer.concat([iv.subarray(0, IV_BYTES), cipher.update(text), cipher.final()])
      return Buffer.concat([sealedBytes, cipher.getAuthTag()]).toString('base64url')
    },
    /** The position in the cursor; undefined if it was changed or created for another query or with another key. */
    open(query: string, cursor: string): Position | undefined {
      const bytes = Buffer.from(cursor, 'base64url')
      // Buffer skips invalid characters: only the canonical encoding is valid.
      if (bytes.toString('base64url') !== cursor || bytes.length < IV_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(query)).setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
      try {
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString())
      } catch {
        // Authentication failed: changed, or of another query or key.
        return undefined
      }
    },
  }
}

function derive(secret: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
}

/** JSON allows white space at its end, which is the padding. */
function padded(text: Buffer): Buffer {
  return Buffer.concat([text], Math.ceil(text.length / BLOCK_BYTES) * BLOCK_BYTES).fill(' ', text.length)
}
