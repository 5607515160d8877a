/** WebAuthn takes memory, which only those pay who use passkeys. */
export function loadKit(): Promise<typeof import('@simplewebauthn/server')> {
  return import('@simplewebauthn/server')
}
