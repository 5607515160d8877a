import { AppError } from '@recto/contract/errors.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Ctx } from '../../../access/ctx.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import { recordAuditEntry } from '../../principals/audit.ts'
import { lockPrincipal } from '../../principals/principals.ts'
import { requireConfirmation } from '../../sessions/confirmation.ts'
import { requireOwnProfile, requireOwnSignIn } from '../profile.ts'
import { findOwnPassword } from '../store.ts'
import { newChallenge, openChallenge } from './challenges.ts'
import { creationOptions, notRegistered, verifiedCredential } from './creation.ts'
import { insertPasskey, listCredentials, takeChallenge } from './store.ts'

/** The maximum of passkeys of a person. */
const MAX_PASSKEYS = 20

/** The options with which the browser creates a passkey for the caller, and the encrypted challenge of this session. */
export async function registrationOptions(ctx: Ctx) {
  const session = requireSession(ctx)
  await requireConfirmation(ctx)
  const { id, name } = ctx.actor
  const storedPasskeys = await listCredentials(ctx.db, id)
  checkRoom(storedPasskeys.length)
  const own = await findOwnPassword.first(ctx.db, { id })
  const { challenge, sealed } = newChallenge(ctx, `register/${session}`)
  const options = await creationOptions(ctx, {
    id,
    name: own?.name ?? name,
    email: own?.email ?? null,
    challenge,
    known: storedPasskeys.map(({ credential_id }) => credential_id),
  })
  return { options, sealed }
}

/** Stores the passkey that the browser created for the challenge of this session. */
export async function registerPasskey(
  ctx: Ctx,
  input: { readonly sealed: string | undefined; readonly response: RegistrationResponseJSON; readonly name: string },
): Promise<void> {
  const challenge = openChallenge(ctx, `register/${requireSession(ctx)}`, input.sealed)?.challenge
  if (challenge === undefined) throw notRegistered()
  const credential = await verifiedCredential(ctx, input.response, challenge)
  const { id: principalId, name } = ctx.actor
  const now = ctx.now()
  const id = uuid7()
  await inTransaction(ctx, async (tx) => {
    const person = await lockPrincipal(tx, principalId)
    if (!person || person.disabled_at) throw notRegistered()
    const storedPasskeys = await listCredentials(tx.db, principalId)
    const isOurs = (one: Buffer) => one.equals(credential.credentialId)
    if (tx.commitOutcomeUnknown && storedPasskeys.some(({ credential_id }) => isOurs(credential_id))) return
    checkRoom(storedPasskeys.length)
    if (!(await takeChallenge(tx, challenge))) throw notRegistered()
    const insertedPasskey = await insertPasskey(tx, { ...credential, id, principalId, name: input.name, now })
    if (!insertedPasskey) throw notRegistered()
    const target = { type: 'principal', id: principalId, name } as const
    await recordAuditEntry(tx, { action: 'passkey.added', target, details: { passkey: input.name } })
  })
}

function requireSession(ctx: Ctx): string {
  requireOwnProfile(ctx)
  const { kind, sessionId } = ctx.actor
  if (kind !== 'human' || sessionId === undefined) {
    throw new AppError('invalid_request', 'People create passkeys in the browser in which they are signed in.')
  }
  requireOwnSignIn(ctx)
  return sessionId
}

function checkRoom(count: number): void {
  if (count < MAX_PASSKEYS) return
  throw new AppError('invalid_request', `You have ${MAX_PASSKEYS} passkeys: remove one first.`)
}
