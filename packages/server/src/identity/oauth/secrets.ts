import { createPrivateKey, hkdfSync } from 'node:crypto'

/** The header of a private Ed25519 key in PKCS #8 (RFC 8410, section 7); the 32 bytes of the key follow. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The keys with which the authorization server signs, derived from the secret key: the same on every node. */
export function oauthSecrets(secretKey: Buffer) {
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', secretKey, '', `recto oauth ${label}`, 32))
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, derive('signing key')]),
    format: 'der',
    type: 'pkcs8',
  })
  return {
    /** Signs the cookies of pending authorization requests. */
    cookieKey: derive('cookies').toString('base64url'),
    /** A private JSON Web Key. */
    signingKey: { ...key.export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA', kid: 'recto' },
  }
}
