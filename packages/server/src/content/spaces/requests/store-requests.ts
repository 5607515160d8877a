import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../../access/authors.ts'
import type { Actor, Caller } from '../../../access/caller.ts'
import { memberJoin, rankAt, ruleJoin, toAccessSubject } from '../../../access/visibility.ts'
import { HOLDER } from '../../../identity/rights/store-rights.ts'
import { andAfter, type Keyset } from '../../../platform/database/conditions.ts'
import { type Db, queryRow, queryRows } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { holders } from '../store-readers.ts'

export interface RequestRow {
  readonly id: string
  readonly principal: Actor
  readonly guest: boolean
  /** Empty: the space. */
  readonly path: string
  /** Of the nearest folder rule; null: there is none. */
  readonly prefix: string | null
  readonly note: string
  readonly created_at: Date
}

export interface NewRequest {
  readonly id: string
  readonly slug: string
  readonly path: string
  readonly note: string
  readonly now: Date
}

const LIFETIME = sql`interval '30 days'`

/**
 * Stores a request where the page, file or space exists, is hidden from the caller, and the space takes requests; and
 * deletes those of all spaces that have ended. A space that is deleted concurrently takes none.
 */
export async function insertRequest(tx: Pick<Tx, 'db'>, actor: Caller, request: NewRequest): Promise<void> {
  const { id, slug, path, note, now } = request
  const subject = toAccessSubject(actor)
  const isTaken = (table: string, resourceId: string) => sql<boolean>`exists (select from ${sql.table(table)} address
    where address.space_id = space.id and address.path = ${path} and ${sql.ref(`address.${resourceId}`)} is not null)`
  await sql`delete from access_request where created_at < ${now}::timestamptz - ${LIFETIME}`.execute(tx.db)
  await sql`insert into access_request (id, space_id, path, principal_id, note, created_at)
    select ${id}, space.id, ${path}, ${actor.id}, ${note}, ${now}
    from space ${memberJoin(subject)} ${ruleJoin(subject, sql`${path}::text`)}
    where space.slug = ${slug} and space.kind = 'shared' and space.access_requests and ${rankAt(subject)} = 0
      and (${path} = '' or ${isTaken('page_address', 'page_id')} or ${isTaken('file_address', 'file_id')})
    for key share of space
    on conflict (space_id, principal_id, path) do update set note = excluded.note,
      created_at = excluded.created_at`.execute(tx.db)
}

/** The requests to a space of those who still have no access, the oldest first. */
export async function listRequests(
  db: Db,
  { spaceId, now, ...window }: Keyset & { readonly spaceId: number; readonly now: Date },
): Promise<RequestRow[]> {
  return queryRows<RequestRow>(db)`${openRequests(spaceId, now)} ${andAfter(sql`request.id`, window)}
    order by request.id limit ${window.limit}`
}

/** One of them. */
export async function findRequest(db: Db, id: string, { spaceId, now }: { spaceId: number; now: Date }) {
  return queryRow<RequestRow>(db)`${openRequests(spaceId, now)} and request.id = ${id}`
}

function openRequests(spaceId: number, now: Date): RawBuilder<unknown> {
  return sql`with holder as (${holders} and id in (select principal_id from access_request where space_id = ${spaceId}))
    select request.id, ${actorJson('holder')} as principal, holder.guest, request.path, ranked.prefix, request.note,
      request.created_at
    from access_request request join holder on holder.id = request.principal_id cross join lateral (
      select ${rankAt(HOLDER)} as rank, place_rule.prefix
      from space ${memberJoin(HOLDER)} ${ruleJoin(HOLDER, sql`request.path`)} where space.id = request.space_id
    ) ranked
    where request.space_id = ${spaceId} and request.created_at >= ${now}::timestamptz - ${LIFETIME} and ranked.rank = 0`
}

export async function deleteRequest(tx: Pick<Tx, 'db'>, id: string): Promise<void> {
  await sql`delete from access_request where id = ${id}`.execute(tx.db)
}

/** Deletes the requests to a locked space of those who have access by now. */
export async function deleteGrantedRequests(tx: Pick<Tx, 'db'>, spaceId: number, now: Date): Promise<void> {
  await sql`delete from access_request where space_id = ${spaceId}
    and id not in (select id from (${openRequests(spaceId, now)}) open)`.execute(tx.db)
}
