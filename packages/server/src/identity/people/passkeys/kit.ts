/** The WebAuthn library takes memory, so it is loaded on first use. */
export function loadKit(): Promise<typeof import('@simplewebauthn/server')> {
  return import('@simplewebauthn/server')
}
