import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { recordAuditEntry } from '../../access/audit.ts'
import type { Ctx } from '../../access/ctx.ts'
import { lockPrincipal } from '../../access/principals.ts'
import { inTransaction } from '../../database/transaction.ts'
import { AppError } from '../../errors.ts'
import { uuid7 } from '../../lib/uuid7.ts'
import { requireOwnProfile } from '../profile.ts'
import { findOwnPassword } from '../store.ts'
import { newChallenge, openChallenge, requireRelyingParty } from './challenges.ts'
import { loadKit } from './kit.ts'
import { insertPasskey, listCredentials, takeChallenge } from './store.ts'

/** EdDSA, ES256 and RS256 (COSE): the algorithms of authenticators. */
const ALGORITHMS = [-8, -7, -257]
/** The maximum of passkeys of a person. */
const MOST_PASSKEYS = 20

/** The options with which the browser creates a passkey for the caller, and the encrypted challenge of this session. */
export async function registrationOptions(
  ctx: Ctx,
): Promise<{ readonly options: PublicKeyCredentialCreationOptionsJSON; readonly sealed: string }> {
  const session = requireSession(ctx)
  const party = requireRelyingParty(ctx.config.publicUrl)
  const { id, name } = ctx.actor
  const known = await listCredentials(ctx.db, id)
  checkRoom(known.length)
  const own = await findOwnPassword(ctx.db, id)
  const { challenge, sealed } = newChallenge(ctx, `register/${session}`)
  const { generateRegistrationOptions } = await loadKit()
  const options = await generateRegistrationOptions({
    rpName: 'Recto',
    rpID: party.id,
    userID: Buffer.from(id.replaceAll('-', ''), 'hex'),
    userName: own?.email ?? name,
    userDisplayName: own?.name ?? name,
    challenge: Buffer.from(challenge, 'base64url'),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(({ credential_id }) => ({ id: credential_id.toString('base64url') })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return { options, sealed }
}

/** Stores the passkey that the browser created for the challenge of this session. */
export async function registerPasskey(
  ctx: Ctx,
  input: {
    readonly sealed: string | undefined
    readonly response: RegistrationResponseJSON
    readonly name: string
  },
): Promise<void> {
  const challenge = openChallenge(ctx, `register/${requireSession(ctx)}`, input.sealed)
  if (challenge === undefined) throw notRegistered()
  const { credential } = await verified(ctx, input.response, challenge)
  const { id: principalId, name } = ctx.actor
  const now = ctx.now()
  const id = uuid7()
  await inTransaction(ctx, async (tx) => {
    const person = await lockPrincipal(tx, principalId)
    if (!person || person.disabled_at) throw notRegistered()
    const known = await listCredentials(tx.db, principalId)
    const credentialId = Buffer.from(credential.id, 'base64url')
    if (tx.commitOutcomeUnknown && known.some((one) => one.credential_id.equals(credentialId))) return
    checkRoom(known.length)
    if (!(await takeChallenge(tx, challenge))) throw notRegistered()
    const made = await insertPasskey(tx, {
      id,
      principalId,
      credentialId,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
      name: input.name,
      now,
    })
    if (!made) throw notRegistered()
    const target = { type: 'principal', id: principalId, name } as const
    await recordAuditEntry(tx, { action: 'passkey.added', target, details: { passkey: input.name } })
  })
}

async function verified(ctx: Ctx, response: RegistrationResponseJSON, expectedChallenge: string) {
  const party = requireRelyingParty(ctx.config.publicUrl)
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
    if (registrationInfo) return registrationInfo
  } catch (error) {
    // It throws for any mismatch.
    ctx.log.info({ err: error }, 'a passkey was not registered')
  }
  throw notRegistered()
}

function requireSession(ctx: Ctx): string {
  requireOwnProfile(ctx)
  if (ctx.actor.kind === 'human' && ctx.actor.sessionId !== undefined) return ctx.actor.sessionId
  throw new AppError('invalid_request', 'People create passkeys in the browser in which they are signed in.')
}

function checkRoom(count: number): void {
  if (count < MOST_PASSKEYS) return
  throw new AppError('invalid_request', `You have ${MOST_PASSKEYS} passkeys: remove one first.`)
}

function notRegistered(): AppError {
  return new AppError('invalid_request', 'The passkey could not be added. Try again.')
}
