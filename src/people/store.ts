import { sql } from 'kysely'
import { read } from '../database/statement.ts'
import type { Tx } from '../database/transaction.ts'

/** An enabled principal that may sign in with a password. */
export interface PasswordRow {
  readonly id: string
  readonly email: string
  /** Null: none is set yet. */
  readonly hash: string | null
}

/** The account of an e-mail address in its stored form. */
export const findByEmail = read(
  'find_password_by_email',
  (args: { email: string }) => sql<PasswordRow>`
    select principal.id, principal.email, password.hash
    from principal left join password on password.principal_id = principal.id
    where principal.email = ${args.email} and principal.disabled_at is null`,
)

/** The e-mail address and password hash of a principal. */
export const findOwnPassword = read(
  'find_password_by_principal',
  (args: { id: string }) => sql<
    Omit<PasswordRow, 'email'> & { readonly name: string; readonly email: string | null }
  >`
    select principal.id, principal.name, principal.email, password.hash
    from principal left join password on password.principal_id = principal.id
    where principal.id = ${args.id} and principal.disabled_at is null`,
)

/** Sets or replaces the password of a principal. */
export async function putPassword(
  tx: Pick<Tx, 'db'>,
  { principalId, hash, now }: { readonly principalId: string; readonly hash: string; readonly now: Date },
): Promise<void> {
  await sql`insert into password (principal_id, hash, changed_at) values (${principalId}, ${hash}, ${now})
    on conflict (principal_id) do update
    set hash = excluded.hash, changed_at = excluded.changed_at`.execute(tx.db)
}

/** Whether this hash is stored: its salt is random, so an earlier attempt of the same transaction stored it. */
export async function isStored(tx: Pick<Tx, 'db'>, principalId: string, hash: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from password where principal_id = ${principalId} and hash = ${hash}`.execute(tx.db)
  return rows.length > 0
}

/** Waits until no other transaction adds a principal, and returns whether there is one. */
export async function lockPrincipals(tx: Pick<Tx, 'db'>): Promise<boolean> {
  await sql`lock table principal in exclusive mode`.execute(tx.db)
  const { rows } = await sql`select 1 from principal limit 1`.execute(tx.db)
  return rows.length > 0
}
