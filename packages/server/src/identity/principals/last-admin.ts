import { AppError } from '@recto/contract/errors.ts'
import { sql } from 'kysely'
import type { Config } from '../../platform/config.ts'
import { queryValue } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

/** Any number, the same on every node. */
const LOCK = 7_202_612

type AdminTx = Pick<Tx, 'db'> & { readonly config: Config }

/**
 * Runs a change that may remove an admin; throws `last_admin` if it would remove the last one who can sign in:
 * an enabled admin with a key of scope `admin` for all spaces, a password, a passkey, or an identity at the provider.
 * Such changes are serialised by an advisory lock, so that two admins cannot remove each other.
 */
export async function ensureAdminRemains<T>(tx: AdminTx, change: () => Promise<T>): Promise<T> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx.db)
  const before = await hasAdmin(tx)
  const result = await change()
  if (before && !(await hasAdmin(tx))) {
    const detail =
      'This would remove the last organisation admin. First make another principal an admin, with a password, ' +
      'a passkey or a key with the scope admin.'
    throw new AppError('last_admin', detail)
  }
  return result
}

async function hasAdmin(tx: AdminTx): Promise<boolean> {
  return queryValue<boolean>(tx.db, false)`
    select exists (
      select 1 from principal
      where role = 'admin' and disabled_at is null and (
        exists (select 1 from api_key
          where api_key.principal_id = principal.id and revoked_at is null and 'admin' = any(scopes)
            and space_ids is null
            and (expires_at is null or expires_at > now()))
        or (email is not null and exists (select 1 from password where password.principal_id = principal.id))
        or exists (select 1 from passkey where passkey.principal_id = principal.id)
        or (${tx.config.oidc !== undefined} and exists (select 1
        from identity where identity.principal_id = principal.id)))) as found`
}
