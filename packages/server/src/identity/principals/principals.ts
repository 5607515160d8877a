import { AppError, inputError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { type PrincipalKind, requireOrgAdmin, requireUnlimitedPerson } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { checkIfMatch, type IfMatch } from '../../access/entity-tag.ts'
import { joinConditions } from '../../platform/database/conditions.ts'
import { type Db, queryRow, queryRows } from '../../platform/database/database.ts'
import { type RowFor, toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { msg } from '../../platform/language/t.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import type { createPrincipalSchema, principalQuery, principalSchema, updatePrincipalSchema } from './admin-schema.ts'
import { type AuditedTx, recordAuditEntry } from './audit.ts'
import { orEmailTaken, parseEmail } from './email.ts'
import { ensureAdminRemains } from './last-admin.ts'

/** A person or an agent, as organisation admins see them. */
export type Principal = Static<typeof principalSchema>

export type NewPrincipal = Static<typeof createPrincipalSchema>

export type PrincipalChange = Static<typeof updatePrincipalSchema>

export type PrincipalFilter = Static<typeof principalQuery>

const MERGED = msg('This account was merged into another one: it stays disabled, and has its name.')

/** The principals of the organisation, the oldest first. */
export async function listPrincipals(ctx: Ctx, filter: PrincipalFilter): Promise<List<Principal>> {
  requireOrgAdmin(ctx)
  const { kind, role, guest, disabled, name } = filter
  const window = parseWindow(ctx, `principals/${kind}/${role}/${guest}/${disabled}/${name}`, filter, ['id'])
  const { after, limit } = toKeyset(window)
  const conditions = joinConditions([
    kind && sql`kind = ${kind}`,
    role && sql`role = ${role}`,
    guest !== undefined && sql`guest = ${guest}`,
    disabled !== undefined && sql`(disabled_at is not null) = ${disabled}`,
    name !== undefined && sql`position(lower(${name}) in lower(name)) > 0`,
    after !== undefined && sql`id > ${after}`,
  ])
  const rows = await queryRows<PrincipalRow>(ctx.db)`${SELECT} where ${conditions} order by id limit ${limit}`
  return buildPage(window, rows, ['id'], toPrincipal)
}

export async function readPrincipal(ctx: Ctx, id: string): Promise<Principal> {
  requireOrgAdmin(ctx)
  const row = await findPrincipal(ctx.db, id)
  if (!row) throw noSuchPrincipal()
  return toPrincipal(row)
}

/** Creates a principal, which can do nothing until it has a key or a password. */
export async function createPrincipal(ctx: Ctx, input: NewPrincipal): Promise<Principal> {
  requireOrgAdmin(ctx)
  if (input.kind === 'human') requireUnlimitedPerson(ctx, 'Making an account of a person')
  if (input.role === 'admin' || input.email) await requireConfirmation(ctx)
  rejectImpossibleGuest(input)
  const id = uuid7()
  const email = emailFor(input.kind, input.email)
  const row = await orEmailTaken(() =>
    inTransaction(ctx, async (tx) => {
      const already = tx.commitOutcomeUnknown ? await findPrincipal(tx.db, id) : undefined
      if (already) return already
      const newPrincipal = await insertPrincipal(tx, { ...input, email, id, now: ctx.now() })
      await recordAuditEntry(tx, {
        action: 'principal.created',
        target: { type: 'principal', id, name: input.name },
        details: { kind: newPrincipal.kind, role: newPrincipal.role, ...(email !== null && { email }) },
      })
      return newPrincipal
    }),
  )
  return toPrincipal(row)
}

/** Changes name, role, e-mail address, or whether it is disabled; without a difference nothing is recorded. */
export async function updatePrincipal(
  ctx: Ctx,
  id: string,
  change: PrincipalChange,
  condition: IfMatch = {},
): Promise<Principal> {
  requireOrgAdmin(ctx)
  if (change.email !== undefined) requireUnlimitedPerson(ctx, 'Changing an e-mail address')
  if (!isUuid(id)) throw noSuchPrincipal()
  const row = await orEmailTaken(() =>
    inTransaction(ctx, (tx) =>
      ensureAdminRemains(tx, async () => {
        const before = await lockPrincipal(tx, id)
        if (!before) throw noSuchPrincipal()
        if (before.merged_into !== null) throw new AppError('accounts_not_mergeable', MERGED)
        checkIfMatch(tx, condition, toPrincipal(before), change)
        if (changesAccess(before, change)) await requireConfirmation(tx)
        return changePrincipal(tx, before, change)
      }),
    ),
  )
  return toPrincipal(row)
}

/** Whether a change gives or takes permissions, or lets somebody else sign in to the account. */
function changesAccess(before: PrincipalRow, change: PrincipalChange): boolean {
  const isDisabled = before.disabled_at !== null
  const { role = before.role, guest = before.guest, email = before.email, disabled = isDisabled } = change
  return role !== before.role || guest !== before.guest || email !== before.email || disabled !== isDisabled
}

export interface PrincipalRow extends RowFor<Omit<Principal, 'disabled'>> {
  readonly merged_into: string | null
  /** The language that they have chosen for screens and mails. */
  readonly language: string | null
}

const SELECT = sql`select id, name, kind, role, guest, email, disabled_at, created_at, merged_into,
  (select language from person_setting where principal_id = principal.id) as language from principal`

/** The principal of an id, enabled or not. */
export async function findPrincipal(db: Db, id: string): Promise<PrincipalRow | undefined> {
  if (!isUuid(id)) return undefined
  return queryRow<PrincipalRow>(db)`${SELECT} where id = ${id}`
}

/**
 * The principal of an id, locked until the transaction ends. A running transaction of its own holds the row by foreign
 * keys: this lock does not wait for it, so that nobody delays being disabled.
 */
export async function lockPrincipal(tx: Pick<Tx, 'db'>, id: string): Promise<PrincipalRow | undefined> {
  return queryRow<PrincipalRow>(tx.db)`${SELECT} where id = ${id} for no key update`
}

/** Adds a principal; a member, unless a role is given. */
export async function insertPrincipal(
  tx: Pick<Tx, 'db'>,
  input: NewPrincipal & { readonly id: string; readonly now: Date },
): Promise<PrincipalRow> {
  const { id, name, kind, role = 'member', guest = false, email = null, now } = input
  await sql`insert into principal (id, name, kind, role, guest, email, created_at)
    values (${id}, ${name}, ${kind}, ${role}, ${guest}, ${email}, ${now})`.execute(tx.db)
  return { id, name, kind, role, guest, email, disabled_at: null, created_at: now, merged_into: null, language: null }
}

export async function deleteLinks(tx: Pick<Tx, 'db'>, id: string): Promise<void> {
  await sql`delete from one_time_link where principal_id = ${id}`.execute(tx.db)
}

/** Agents have no e-mail address: they use keys. */
function emailFor(kind: PrincipalKind, email: string | null | undefined): string | null {
  if (email === undefined || email === null) return null
  if (kind === 'human') return parseEmail(email)
  throw inputError('invalid_request', 'An agent has no e-mail address.', '/email', 'is for people only')
}

/** Rejects a guest who is an agent, or an admin of the organisation. */
function rejectImpossibleGuest({ kind, role, guest }: Pick<NewPrincipal, 'kind' | 'role' | 'guest'>): void {
  if (!guest || (kind === 'human' && role !== 'admin')) return
  throw inputError(
    'invalid_request',
    'A guest is a person, and no admin of the organisation.',
    '/guest',
    'is impossible here',
  )
}

/** The error for every id without a principal. */
export function noSuchPrincipal(): AppError {
  return new AppError('not_found', 'There is no principal with this id.')
}

/** Changes a locked principal, and records the difference. What may remove an admin is in `ensureAdminRemains`. */
export async function changePrincipal(
  tx: AuditedTx,
  before: PrincipalRow,
  change: PrincipalChange,
): Promise<PrincipalRow> {
  const after = await applyChange(tx, before, change)
  await recordChange(tx, before, after)
  return after
}

async function applyChange(tx: AuditedTx, before: PrincipalRow, change: PrincipalChange): Promise<PrincipalRow> {
  const after: PrincipalRow = {
    ...before,
    name: change.name ?? before.name,
    role: change.role ?? before.role,
    guest: change.guest ?? before.guest,
    email: change.email === undefined ? before.email : emailFor(before.kind, change.email),
    disabled_at:
      change.disabled === undefined ? before.disabled_at : change.disabled ? (before.disabled_at ?? tx.now()) : null,
  }
  rejectImpossibleGuest(after)
  const { name, role, guest, email, disabled_at } = after
  await sql`update principal set name = ${name}, role = ${role}, guest = ${guest}, email = ${email},
    disabled_at = ${disabled_at}
    where id = ${before.id}`.execute(tx.db)
  if (name !== before.name)
    await sql`update principal set name = ${name} where merged_into = ${before.id}`.execute(tx.db)
  // A disabled principal has to sign in again once enabled.
  if (disabled_at !== null) await sql`delete from session where principal_id = ${before.id}`.execute(tx.db)
  // Open links were sent to the old address.
  if (disabled_at !== null || email !== before.email) await deleteLinks(tx, before.id)
  return after
}

async function recordChange(tx: AuditedTx, before: PrincipalRow, after: PrincipalRow): Promise<void> {
  const target = { type: 'principal', id: after.id, name: after.name } as const
  const changedFields = (['name', 'role', 'guest', 'email'] as const).filter(
    (member) => before[member] !== after[member],
  )
  if (changedFields.length > 0) {
    const details = Object.fromEntries(
      changedFields.map((member) => [member, { from: before[member], to: after[member] }]),
    )
    await recordAuditEntry(tx, { action: 'principal.updated', target, details })
  }
  const wasDisabled = before.disabled_at !== null
  const isDisabled = after.disabled_at !== null
  if (wasDisabled !== isDisabled) {
    await recordAuditEntry(tx, { action: isDisabled ? 'principal.disabled' : 'principal.enabled', target })
  }
}

/** A principal on the wire. */
export function toPrincipal({ merged_into: _, language: __, ...row }: PrincipalRow): Principal {
  return { ...toItem(row), disabled: row.disabled_at !== null }
}
