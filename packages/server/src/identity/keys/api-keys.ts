import { AppError, inputError } from '@recto/contract/errors.ts'
import { newToken } from '@recto/lib/encoding/token.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import {
  type Actor,
  isUnlimited,
  requireOrgAdmin,
  requireUnlimited,
  requireUnlimitedPerson,
  scopesUpTo,
  widest,
} from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { parseTime } from '../../access/time.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import type { apiKeySchema, createdKeySchema, createOwnKeySchema, keyQuery } from '../principals/admin-schema.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { hashKey, KEY_PREFIX } from '../principals/authenticate.ts'
import { ensureAdminRemains } from '../principals/last-admin.ts'
import { findPrincipal, noSuchPrincipal } from '../principals/principals.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import { spaceIdsFor } from './key-spaces.ts'
import { findKey, HINT_LENGTH, insertKey, type KeyRow, listKeys, revokeKey } from './store.ts'

/** A key as lists show it: never the secret itself. */
export type ApiKey = Static<typeof apiKeySchema>

export type NewApiKey = Static<typeof createOwnKeySchema>

/** A new key with its secret, which only this response contains. */
export type CreatedApiKey = Static<typeof createdKeySchema>

export type KeyFilter = Static<typeof keyQuery> & { readonly name?: string }

/** Tells a person with this e-mail address and language that somebody else made a key for them. */
export type TellOwner = (
  owner: { readonly email: string; readonly language: string | null },
  key: { readonly name: string; readonly by: string },
) => void

/** Creates a key for any principal. For organisation admins. */
export async function createKeyFor(
  ctx: Ctx,
  input: NewApiKey & { readonly principal: string },
  tellOwner: TellOwner,
): Promise<CreatedApiKey> {
  requireOrgAdmin(ctx)
  const owner = await findPrincipal(ctx.db, input.principal)
  if (!owner) throw noSuchPrincipal()
  if (owner.kind === 'human') requireUnlimitedPerson(ctx, 'Making a key for a person')
  const createdKey = await createKey(ctx, input, owner)
  const { email, language } = owner
  if (email !== null && owner.id !== ctx.actor.id)
    tellOwner({ email, language }, { name: input.name, by: ctx.actor.name })
  return createdKey
}

/** Creates a key for the caller; needs scope `admin` for all spaces: no key creates one with broader access. */
export async function createOwnKey(ctx: Ctx, input: NewApiKey): Promise<CreatedApiKey> {
  requireUnlimited(ctx.actor, 'Managing keys')
  return createKey(ctx, input, ctx.actor)
}

/** The keys of the organisation, or of one principal, the oldest first. For organisation admins. */
export async function listAllKeys(ctx: Ctx, filter: KeyFilter): Promise<List<ApiKey>> {
  requireOrgAdmin(ctx)
  if (filter.principal !== undefined && !(await findPrincipal(ctx.db, filter.principal))) throw noSuchPrincipal()
  return list(ctx, filter)
}

/** The caller's own keys, the oldest first. A limited credential sees none but its own. */
export async function listOwnKeys(ctx: Ctx, filter: Omit<KeyFilter, 'principal'>): Promise<List<ApiKey>> {
  const only = isUnlimited(ctx.actor) ? undefined : ctx.actor.keyId
  return list(ctx, { ...filter, principal: ctx.actor.id }, only)
}

/** Revokes any key permanently; every node rejects it within one second. For organisation admins. */
export async function revokeAnyKey(ctx: Ctx, id: string): Promise<void> {
  requireOrgAdmin(ctx)
  await revoke(ctx, id, undefined)
}

/** Revokes one of the caller's own keys. The key of the request itself can be revoked with any scope. */
export async function revokeOwnKey(ctx: Ctx, id: string): Promise<void> {
  const own = isUuid(id) ? await findKey(ctx.db, ctx.actor, id, ctx.actor.id) : undefined
  if (!own) throw noSuchKey()
  if (own.id !== ctx.actor.keyId) requireUnlimited(ctx.actor, 'Managing keys')
  await revoke(ctx, id, ctx.actor.id)
}

async function createKey(ctx: Ctx, input: NewApiKey, owner: Actor): Promise<CreatedApiKey> {
  await requireConfirmation(ctx)
  const expiresAt = await parseExpiry(ctx, input.expiresAt)
  // What another makes for a person, or makes with such a key, does not open what is theirs alone.
  const personal = owner.kind === 'agent' || (owner.id === ctx.actor.id && ctx.actor.personal)
  const spaceIds =
    input.spaces === undefined ? null : await spaceIdsFor(ctx, [...new Set(input.spaces)], { id: owner.id, personal })
  const secret = newToken(KEY_PREFIX)
  const id = uuid7()
  const scopes = scopesUpTo(widest(input.scopes))
  const row = await inTransaction(ctx, async (tx) => {
    const insertedKey = await insertKey(tx, {
      id,
      principalId: owner.id,
      name: input.name,
      hash: hashKey(secret),
      hint: secret.slice(0, HINT_LENGTH),
      scopes,
      spaceIds,
      personal,
      expiresAt,
      now: ctx.now(),
      createdBy: ctx.actor.id,
    })
    if (insertedKey)
      await recordAuditEntry(tx, { action: 'api_key.created', ...actOn(id, input.name, owner, { scopes }) })
    return findKey(tx.db, ctx.actor, id, undefined)
  })
  if (!row) throw new Error('the key that was made is not there')
  return { apiKey: toApiKey(row), secret }
}

async function revoke(ctx: Ctx, id: string, ownerId: string | undefined): Promise<void> {
  if (!isUuid(id)) throw noSuchKey()
  await inTransaction(ctx, (tx: Ctx & Tx) =>
    ensureAdminRemains(tx, async () => {
      const isRevoked = await revokeKey(tx, id, ctx.now())
      // Now its owner stays the same: a merge of accounts may have changed it.
      const keyRow = await findKey(tx.db, ctx.actor, id, ownerId)
      if (!keyRow) throw noSuchKey()
      if (!isRevoked) return
      await recordAuditEntry(tx, { action: 'api_key.revoked', ...actOn(id, keyRow.name, keyRow.principal) })
    }),
  )
}

async function list(ctx: Ctx, filter: KeyFilter, only?: string | null): Promise<List<ApiKey>> {
  const { principal, includeRevoked = false, name = '' } = filter
  const window = parseWindow(ctx, `keys/${principal}/${includeRevoked}/${only}/${name}`, filter, ['id'])
  const rows = await listKeys(ctx.db, ctx.actor, { principal, only, includeRevoked, name, ...toKeyset(window) })
  return buildPage(window, rows, ['id'], toApiKey)
}

/** A key lasts no longer than the key that makes it. */
async function parseExpiry(ctx: Ctx, text: string | undefined): Promise<Date | null> {
  const expiresAt = futureTime(ctx, text)
  const { keyId, id } = ctx.actor
  const maker = keyId === null ? undefined : await findKey(ctx.db, ctx.actor, keyId, id)
  const end = maker?.expires_at
  if (!end) return expiresAt
  if (expiresAt === null) return end
  if (expiresAt <= end) return expiresAt
  const detail = `This key ends at ${end.toISOString()}: it cannot make one that lasts longer.`
  throw inputError('invalid_request', detail, '/expiresAt', 'is later than the end of the key in use')
}

function futureTime(ctx: Ctx, text: string | undefined): Date | null {
  if (text === undefined) return null
  const at = parseTime(text, '/expiresAt')
  if (at > ctx.now()) return at
  const detail = 'The expiry time of a new key must be in the future.'
  throw inputError('invalid_request', detail, '/expiresAt', 'must be in the future')
}

function actOn(id: string, name: string, owner: Actor, more: Readonly<Record<string, unknown>> = {}) {
  return {
    target: { type: 'api_key', id, name } as const,
    details: { principal: { id: owner.id, name: owner.name, kind: owner.kind }, ...more },
  }
}

function noSuchKey(): AppError {
  return new AppError('not_found', 'There is no key with this id that you can see.')
}

function toApiKey(row: KeyRow): ApiKey {
  return { ...toItem(row), scopes: scopesUpTo(widest(row.scopes)) }
}
