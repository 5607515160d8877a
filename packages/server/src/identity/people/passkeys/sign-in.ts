import { AppError } from '@recto/contract/errors.ts'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Runtime } from '../../../access/ctx.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import type { FailedAuthentications } from '../../principals/failed-authentications.ts'
import { createFailureLimiter } from '../../principals/failure-limiter.ts'
import { newChallenge, openChallenge, requireRelyingParty } from './challenges.ts'
import { loadKit } from './kit.ts'
import { findCredential, listCredentials, type PasskeyCredential, takeChallenge, usePasskey } from './store.ts'

/** A sign-in: of anybody, by default, or again of the person of a session. */
export interface PasskeyUse {
  readonly purpose: string
  readonly principalId?: string
}

const SIGN_IN: PasskeyUse = { purpose: 'sign-in' }
/** WebAuthn, section 4: at most 1023 bytes. */
const MAX_CREDENTIAL_BYTES = 1023

/** The response of the browser, and the encrypted challenge that it got. */
interface Answer {
  readonly sealed: string | undefined
  readonly response: AuthenticationResponseJSON
}

export type PasskeySignIn = ReturnType<typeof createPasskeySignIn>

type Deps = Pick<Runtime, 'db' | 'config' | 'log' | 'now' | 'cursors'> & {
  readonly failures: Pick<FailedAuthentications, 'add'>
}

/** Signing in with a passkey; failures are limited by address. */
export function createPasskeySignIn(deps: Deps) {
  const byAddress = createFailureLimiter()
  return {
    /** The options for the browser, and the encrypted challenge. For a sign-in they are the same for everybody. */
    async options({ purpose, principalId }: PasskeyUse = SIGN_IN) {
      const party = requireRelyingParty(deps.config.publicUrl)
      const { challenge, sealed } = newChallenge(deps, purpose)
      const own = principalId === undefined ? [] : await listCredentials(deps.db, principalId)
      const { generateAuthenticationOptions } = await loadKit()
      const options = await generateAuthenticationOptions({
        rpID: party.id,
        challenge: Buffer.from(challenge, 'base64url'),
        userVerification: 'required',
        allowCredentials: own.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
      })
      return { options, sealed }
    },
    /** The id of the person; throws `sign_in_failed` for any reason. */
    async signIn(answer: Answer, address: string, use = SIGN_IN): Promise<string> {
      const end = await byAddress.begin(address)
      try {
        const principalId = await verify(deps, answer, use)
        end(0)
        return principalId
      } catch (error) {
        const isFailure = error instanceof AppError && error.code === 'sign_in_failed'
        end(isFailure ? 1 : 0)
        if (isFailure) deps.failures.add(address, { throttled: false })
        throw error
      }
    },
  }
}

async function verify(deps: Deps, { sealed, response }: Answer, { purpose, principalId }: PasskeyUse): Promise<string> {
  const challenge = openChallenge(deps, purpose, sealed)?.challenge
  const credentialId = Buffer.from(String(response.id), 'base64url')
  if (challenge === undefined || credentialId.length > MAX_CREDENTIAL_BYTES) throw failed()
  const passkey = await findCredential(deps.db, credentialId)
  if (!passkey || (principalId !== undefined && passkey.principal_id !== principalId)) throw failed()
  const counter = await newCounter(deps, response, challenge, passkey)
  const now = deps.now()
  await inTransaction(deps, async (tx) => {
    // After a lost response to the commit, this sign-in itself has used the challenge.
    if (!(await takeChallenge(tx, challenge))) {
      if (tx.commitOutcomeUnknown) return
      throw failed()
    }
    if (!(await usePasskey(tx, { id: passkey.id, counter, now }))) throw failed()
  })
  return passkey.principal_id
}

async function newCounter(
  { config, log }: Deps,
  response: AuthenticationResponseJSON,
  expectedChallenge: string,
  { public_key, counter }: PasskeyCredential,
): Promise<number> {
  const party = requireRelyingParty(config.publicUrl)
  const { verifyAuthenticationResponse } = await loadKit()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id: response.id, publicKey: new Uint8Array(public_key), counter: Number(counter) },
      requireUserVerification: true,
    })
    if (verified) return authenticationInfo.newCounter
  } catch (error) {
    // It throws for any mismatch.
    log.info({ err: error }, 'a sign-in with a passkey failed')
  }
  throw failed()
}

function failed(): AppError {
  return new AppError('sign_in_failed', 'The passkey did not sign you in. Try again, or sign in another way.')
}
