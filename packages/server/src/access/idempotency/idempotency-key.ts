import { AppError } from '@recto/contract/errors.ts'

const MAX_LENGTH = 255
/** The bare form that many clients send: visible characters without quotes. */
const WORD = /^[^\s",;\\]+$/
/** A String of structured fields (RFC 9651, section 3.3.3), as in draft-ietf-httpapi-idempotency-key-header-07. */
const STRING = /^"(?:[ !#-[\]-~]|\\["\\])*"$/
const VISIBLE = /^[ -~]+$/

/** The key of an `Idempotency-Key` header, quoted or bare; throws `idempotency_key_invalid`. */
export function parseIdempotencyKey(header: string | readonly string[]): string {
  const text = String(header).trim()
  const key = STRING.test(text) ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : WORD.test(text) ? text : ''
  if (key.length <= MAX_LENGTH && VISIBLE.test(key)) return key
  const detail = `An Idempotency-Key is one string of 1 to ${MAX_LENGTH} visible ASCII characters, in double quotes or without: a random UUID is a good one.`
  throw new AppError('idempotency_key_invalid', detail)
}
