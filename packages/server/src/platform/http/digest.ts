import { type AppError, inputError } from '@recto/contract/errors.ts'
import { splitHeader } from '@recto/lib/network/header-values.ts'

/** A member of `Repr-Digest`: a key of RFC 9651 and a byte sequence. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;.*)?$/

/** The bytes of the digests that are checked, by algorithm. The RFC allows to ignore others, and deprecates most. */
const DIGEST_BYTES = { 'sha-256': 32, 'sha-512': 64 } as const

/** The digests of a request that are checked. */
export type Digests = { -readonly [Algorithm in keyof typeof DIGEST_BYTES]?: Buffer | undefined }

/** The digests in `Repr-Digest` or `Content-Digest` (RFC 9530) with an algorithm that is checked. */
export function parseDigests(header: string | undefined, name: string): Digests {
  const digests: Digests = {}
  for (const member of header === undefined ? [] : splitHeader(header, ',')) {
    const [, algorithm, base64 = ''] = MEMBER.exec(member.trim()) ?? []
    if (algorithm === undefined) throw invalidDigest(name)
    if (!isChecked(algorithm)) continue
    const digest = Buffer.from(base64, 'base64')
    if (digest.length !== DIGEST_BYTES[algorithm]) throw invalidDigest(name)
    digests[algorithm] = digest
  }
  return digests
}

function isChecked(algorithm: string): algorithm is keyof typeof DIGEST_BYTES {
  return Object.hasOwn(DIGEST_BYTES, algorithm)
}

/** `Repr-Digest` of a representation with this SHA-256. */
export function formatDigest(digest: Buffer): string {
  return `sha-256=:${digest.toString('base64')}:`
}

function invalidDigest(name: string): AppError {
  const message = 'must be a dictionary such as sha-256=:…: with the digest in base64'
  return inputError('invalid_request', `${name} ${message} (RFC 9530).`, name, message)
}
