import { randomBytes } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(DIGITS.length)
/**
 * Bytes from here on are rejected (rejection sampling): `byte % 62` over all 256 would favour the first eight digits.
 */
const FAIR_BYTES = 248

/** So many random digits in base 62, uniformly distributed. */
export function randomBase62(length: number): string {
  let digits = ''
  while (digits.length < length) {
    for (const byte of randomBytes(length - digits.length)) {
      if (byte < FAIR_BYTES) digits += DIGITS[byte % DIGITS.length]
    }
  }
  return digits
}

/** The integer in base 62 (digits `0-9A-Za-z`), padded with `0` to the width; RangeError if it does not fit. */
export function base62(value: number | bigint, width: number): string {
  let rest = BigInt(value)
  let digits = ''
  while (rest > 0n) {
    digits = DIGITS[Number(rest % BASE)] + digits
    rest /= BASE
  }
  if (rest < 0n || digits.length > width)
    throw new RangeError(`${value} does not fit ${width} base 62 digits`)
  return digits.padStart(width, '0')
}
