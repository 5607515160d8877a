import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Tx } from '../database/transaction.ts'
import { AppError } from '../errors.ts'

/** Any number: it only has to be the same in every node. */
const LOCK = 7_202_612

type Change = Pick<Tx, 'db'> & { readonly config: Config }

/**
 * Runs a change that may take an admin away, and refuses it with `last_admin` when nobody is left who could
 * administer the organisation: an enabled admin with a key of scope `admin` for all spaces, or one who signs in through
 * the identity provider. Such changes go one after the other, so that two admins cannot remove each other.
 */
export async function ensureAdminRemains<T>(tx: Change, change: () => Promise<T>): Promise<T> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx.db)
  const before = await hasAdmin(tx)
  const result = await change()
  if (before && !(await hasAdmin(tx))) {
    throw new AppError(
      'last_admin',
      'Nobody would be left who can administer the organisation: first give someone else the role admin and a key with the scope admin.',
    )
  }
  return result
}

async function hasAdmin(tx: Change): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select 1 from principal p
      where p.role = 'admin' and p.disabled_at is null and (
        exists (select 1 from api_key k
          where k.principal_id = p.id and k.revoked_at is null and 'admin' = any(k.scopes) and k.space_ids is null
            and (k.expires_at is null or k.expires_at > now()))
        or (${tx.config.oidc !== undefined} and exists (select 1 from identity i where i.principal_id = p.id)))) as found`.execute(
    tx.db,
  )
  return rows[0]?.found ?? false
}
