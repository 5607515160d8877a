import { crc32 } from 'node:zlib'
import { base62, randomBase62 } from './base62.ts'

const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6
const DIGITS_ONLY = /^[0-9A-Za-z]+$/

/** A new secret token: the prefix, 30 random digits of base 62 (178 bits), and their CRC32 in six more. */
export function newToken(prefix: string): string {
  const random = randomBase62(RANDOM_LENGTH)
  return prefix + random + checksum(random)
}

/** Whether the text has the prefix and a valid checksum: that detects typing errors, not forgeries. */
export function isToken(prefix: string, text: string): boolean {
  if (text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH || !text.startsWith(prefix))
    return false
  const digits = text.slice(prefix.length)
  if (!DIGITS_ONLY.test(digits)) return false
  return digits.endsWith(checksum(digits.slice(0, RANDOM_LENGTH)))
}

function checksum(random: string): string {
  return base62(crc32(random), CHECKSUM_LENGTH)
}
