import { sql } from 'kysely'
import { read } from '../database/statement.ts'
import type { Tx } from '../database/transaction.ts'

export type LinkPurpose = 'setup' | 'password'

export interface NewLink {
  readonly hash: Buffer
  readonly purpose: LinkPurpose
  readonly principalId: string
  readonly now: Date
  readonly expiresAt: Date
}

/** A link that still works. */
export interface LinkRow {
  readonly purpose: LinkPurpose
  readonly principal_id: string
  readonly name: string
  readonly email: string | null
  readonly expires_at: Date
}

/** The link of a token's hash. */
export const findLink = read(
  'find_one_time_link',
  (args: { hash: Buffer }) => sql<LinkRow>`
    select link.purpose, link.principal_id, principal.name, principal.email, link.expires_at
    from one_time_link link join principal on principal.id = link.principal_id
    where link.hash = ${args.hash} and link.expires_at > now() and principal.disabled_at is null`,
)

/** Inserts a link, and deletes earlier ones of the same purpose and expired ones. */
export async function insertLink(tx: Pick<Tx, 'db'>, link: NewLink): Promise<void> {
  const { hash, purpose, principalId, now, expiresAt } = link
  await sql`delete from one_time_link
    where expires_at < now() or (principal_id = ${principalId} and purpose = ${purpose})`.execute(tx.db)
  await sql`insert into one_time_link (hash, purpose, principal_id, created_at, expires_at)
    values (${hash}, ${purpose}, ${principalId}, ${now}, ${expiresAt})`.execute(tx.db)
}

/** Consumes a link: of concurrent transactions one succeeds. False if it is not valid any more. */
export async function takeLink(tx: Pick<Tx, 'db'>, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from one_time_link where hash = ${hash} and expires_at > now() returning 1`.execute(tx.db)
  return rows.length > 0
}
