import { sql } from 'kysely'
import { type Db, queryRow, queryRows, queryValues, type WriteDb } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'

/** The digest of the stored version of each remote template. */
export async function listDigests(db: Db): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await queryRows<{ id: string; digest: Buffer }>(db)`
    select id, digest from space_template where source = 'remote' and digest is not null`
  return new Map(rows.map(({ id, digest }) => [id, digest]))
}

/** Deletes the remote templates that are not listed any more; returns their ids. */
export async function deleteOthers(tx: Pick<Tx, 'db'>, listedIds: readonly string[]): Promise<string[]> {
  return queryValues<string>(tx.db)`
    delete from space_template
    where source = 'remote' and id <> all(${listedIds}::text[]) returning id`
}

/** Records the result of a refresh. */
export async function recordFetch(
  db: WriteDb,
  fetchRecord: {
    readonly url: string
    readonly now: Date
    readonly succeeded: boolean
    readonly problems: readonly { readonly id: string; readonly message: string }[]
  },
): Promise<void> {
  const { url, now, succeeded, problems } = fetchRecord
  await sql`
    insert into catalogue_fetch (url, fetched_at, succeeded_at, problems)
    values (${url}, ${now}, ${succeeded ? now : null}, ${JSON.stringify(problems)}::jsonb)
    on conflict (url) do update set fetched_at = excluded.fetched_at,
      succeeded_at = coalesce(excluded.succeeded_at, catalogue_fetch.succeeded_at),
      problems = excluded.problems`.execute(db)
}

export interface FetchRow {
  readonly fetched_at: Date
  readonly succeeded_at: Date | null
  readonly problems: readonly { readonly id: string; readonly message: string }[]
}

/** The result of the last refresh. */
export async function readFetch(db: Db, url: string): Promise<FetchRow | undefined> {
  return queryRow<FetchRow>(db)`
    select fetched_at, succeeded_at, problems from catalogue_fetch where url = ${url}`
}
