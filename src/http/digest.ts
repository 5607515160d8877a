import { AppError } from '../errors.ts'
import { splitHeader } from '../lib/network/header-list.ts'

/** A member of `Repr-Digest`: a key of RFC 9651 and a byte sequence. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;.*)?$/

/** The SHA-256 in `Repr-Digest` (RFC 9530), if there is one; other algorithms are ignored, as the RFC allows. */
export function parseDigest(header: string | undefined, name: string): Buffer | undefined {
  if (header === undefined) return undefined
  let found: Buffer | undefined
  for (const member of splitHeader(header, ',')) {
    const [, algorithm, base64 = ''] = MEMBER.exec(member.trim()) ?? []
    if (algorithm === undefined) throw invalidDigest(name)
    if (algorithm !== 'sha-256') continue
    found = Buffer.from(base64, 'base64')
    if (found.length !== 32) throw invalidDigest(name)
  }
  return found
}

/** `Repr-Digest` of a representation with this SHA-256. */
export function formatDigest(digest: Buffer): string {
  return `sha-256=:${digest.toString('base64')}:`
}

function invalidDigest(name: string): AppError {
  const message = 'must be a dictionary such as sha-256=:…: with the digest in base64'
  return new AppError('invalid_request', `${name} ${message} (RFC 9530).`, {
    issues: [{ path: name, message }],
  })
}
