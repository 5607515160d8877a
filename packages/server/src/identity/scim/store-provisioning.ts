import { sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import type { Actor } from '../../access/caller.ts'
import { type Db, hasRows, queryRow, queryRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

export interface ProvisioningRow {
  /** Null: provisioning is off. */
  readonly hash: Buffer | null
  readonly hint: string
  readonly created_at: Date
  readonly created_by: Actor
  readonly last_used_at: Date | null
  /** The agent that acts in the audit log. */
  readonly principal: Actor
}

/** The token of SCIM; undefined: there was never one. */
export async function findToken(db: Db): Promise<ProvisioningRow | undefined> {
  return queryRow<ProvisioningRow>(db)`
    select token.hash, token.hint, token.created_at, token.last_used_at,
      ${actorJson('creator')} as created_by,
      ${actorJson('agent')} as principal
    from scim_token token join principal creator on creator.id = token.created_by
      join principal agent on agent.id = token.principal_id`
}

/** How many people and groups the provider keeps. */
export async function countProvisioned(db: Db): Promise<{ readonly users: number; readonly groups: number }> {
  const rows = await queryRows<{ users: number; groups: number }>(db)`
    select (select count(*)::int from scim_user where deleted_at is null) as users,
      (select count(*)::int from principal_group where managed_by = 'scim') as groups`
  return rows[0] ?? { users: 0, groups: 0 }
}

/** Waits until no other transaction changes the token. */
export async function lockToken(tx: Pick<Tx, 'db'>): Promise<void> {
  await sql`lock table scim_token in share row exclusive mode`.execute(tx.db)
}

/** Sets the token; the old one ends. */
export async function putToken(
  tx: Pick<Tx, 'db'>,
  token: {
    readonly id: string
    readonly hash: Buffer
    readonly hint: string
    readonly principalId: string
    readonly createdBy: string
    readonly now: Date
  },
): Promise<void> {
  await sql`insert into scim_token (id, hash, hint, principal_id, created_at, created_by)
    values (${token.id}, ${token.hash}, ${token.hint}, ${token.principalId}, ${token.now}, ${token.createdBy})
    on conflict (singleton) do update set id = excluded.id, hash = excluded.hash, hint = excluded.hint,
      created_at = excluded.created_at, created_by = excluded.created_by, last_used_at = null`.execute(tx.db)
}

/** Ends the token; false if there is none. */
export async function endToken(tx: Pick<Tx, 'db'>): Promise<boolean> {
  return hasRows(tx.db)`update scim_token set hash = null
    where hash is not null returning 1`
}
