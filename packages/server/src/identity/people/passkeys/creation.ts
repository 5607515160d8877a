import { AppError } from '@recto/contract/errors.ts'
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Runtime } from '../../../access/ctx.ts'
import { requireRelyingParty } from './challenges.ts'
import { loadKit } from './kit.ts'
import type { NewPasskey } from './store.ts'

/** EdDSA, ES256 and RS256 (COSE): the algorithms of authenticators. */
const ALGORITHMS = [-8, -7, -257]

/** The part of a new passkey that the authenticator determines. */
export type NewCredential = Pick<NewPasskey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

/** The options with which a browser creates a passkey for an account. */
export async function creationOptions(
  { config }: Pick<Runtime, 'config'>,
  account: {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly challenge: string
    /** The credential ids that the account has. */
    readonly known: readonly Buffer[]
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const party = requireRelyingParty(config.publicUrl)
  const { generateRegistrationOptions } = await loadKit()
  return generateRegistrationOptions({
    rpName: 'Recto',
    rpID: party.id,
    userID: Buffer.from(account.id.replaceAll('-', ''), 'hex'),
    userName: account.email ?? account.name,
    userDisplayName: account.name,
    challenge: Buffer.from(account.challenge, 'base64url'),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: account.known.map((id) => ({ id: id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** The credential that a browser created for a challenge; throws `invalid_request` if anything does not match. */
export async function verifiedCredential(
  { config, log }: Pick<Runtime, 'config' | 'log'>,
  response: RegistrationResponseJSON,
  expectedChallenge: string,
): Promise<NewCredential> {
  const party = requireRelyingParty(config.publicUrl)
  const { verifyRegistrationResponse } = await loadKit()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (registrationInfo) {
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential
      const credentialId = Buffer.from(id, 'base64url')
      return { credentialId, publicKey: Buffer.from(publicKey), counter, transports }
    }
  } catch (error) {
    // It throws for any mismatch.
    log.info({ err: error }, 'a passkey was not registered')
  }
  throw notRegistered()
}

export function notRegistered(): AppError {
  return new AppError('invalid_request', 'The passkey could not be added. Try again.')
}
