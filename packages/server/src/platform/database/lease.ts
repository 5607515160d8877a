import { sql } from 'kysely'
import { hasRows, type WriteDb } from './database.ts'

/**
 * Leader election by a lease in the database: acquires or renews the lease of a job that one node at a time does; false
 * while another node holds it. The holder must renew it within `seconds`.
 */
export async function takeNodeLease(
  db: WriteDb,
  lease: { readonly name: string; readonly holder: string; readonly seconds: number },
): Promise<boolean> {
  return hasRows(db)`
    insert into lease (name, holder, expires_at)
    values (${lease.name}, ${lease.holder}::uuid, now() + make_interval(secs => ${lease.seconds}::float8))
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where lease.holder = excluded.holder or lease.expires_at <= now()
    returning 1`
}

/** Releases the lease before it expires. */
export async function returnNodeLease(
  db: WriteDb,
  lease: { readonly name: string; readonly holder: string },
): Promise<void> {
  await sql`delete from lease where name = ${lease.name} and holder = ${lease.holder}::uuid`.execute(db)
}
