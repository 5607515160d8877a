import { isToken } from '@recto/lib/encoding/token.ts'
import { Problem } from './parse.ts'

/** The key of the first admin. */
export function apiKey(text: string): string | Problem {
  return isToken('svc_', text)
    ? text
    : new Problem(
        'must be svc_ and 36 characters, the last 6 of them a checksum; `npm run recto -- keys generate` prints one',
      )
}

/** The key that encrypts the secrets of webhooks. */
export function secretKey(text: string): Buffer | Problem {
  const key = Buffer.from(text, 'base64')
  const exact = key.length === 32 && key.toString('base64').replace(/=$/, '') === text.replace(/=$/, '')
  return exact ? key : new Problem('must be 32 bytes in base64; `openssl rand -base64 32` prints such a key')
}

/** The bearer token for metrics. */
export function metricsToken(text: string): string | Problem {
  return /^[!-~]{16,200}$/.test(text) ? text : new Problem('must be 16 to 200 visible ASCII characters')
}
