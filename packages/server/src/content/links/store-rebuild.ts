import { sql } from 'kysely'
import { type Db, hasRows, queryRow, queryRows, type WriteDb, write } from '../../platform/database/database.ts'
import { otherReleaseRuns } from '../../platform/database/releases.ts'
import { asynchronousCommit, type Tx } from '../../platform/database/transaction.ts'

export interface RebuildRow {
  readonly id: string
  readonly status: 'running' | 'done'
  readonly space_id: number | null
  readonly space: string | null
  readonly pages_scanned: number
  readonly links_indexed: number
  readonly created_at: Date
  readonly finished_at: Date | null
}

/** A rebuild whose lease is held: `fence` is higher than that of every holder before. */
export interface HeldRow {
  readonly id: string
  readonly fence: number
  readonly space_id: number | null
  readonly at_space_id: number
  readonly at_page_id: number
}

/** Longer than any batch takes; after a crash another process continues when this has passed. */
const LEASE_SECONDS = 30

/** Inserts a rebuild without a lease; returns the running one of the same scope if there is one. */
export async function insertRebuild(
  db: WriteDb,
  rebuild: { readonly id: string; readonly spaceId: number | null; readonly actorId: string; readonly now: Date },
): Promise<string> {
  const row = await queryRow<{ id: string }>(db)`
    with made as (
      insert into link_rebuild (id, space_id, status, created_at, created_by, lease_until)
      values (${rebuild.id}, ${rebuild.spaceId}, 'running', ${rebuild.now}, ${rebuild.actorId}, '-infinity')
      on conflict (coalesce(space_id, 0)) where status = 'running' do nothing
      returning id
    )
    select id from made
    union all
    select id from link_rebuild where status = 'running'
      and coalesce(space_id, 0) = coalesce(${rebuild.spaceId}::bigint, 0)`
  return row?.id ?? insertRebuild(db, rebuild)
}

const rebuilds = sql`
  select rebuild.id, rebuild.status, rebuild.space_id,
    coalesce(space.slug, case when space.id is not null then 'personal' end) as space,
    rebuild.pages_scanned, rebuild.links_indexed, rebuild.created_at, rebuild.finished_at
  from link_rebuild rebuild left join space on space.id = rebuild.space_id`

/** A rebuild of a personal space is visible to its owner only. */
const visibleTo = (readerId: string) => sql`(space.kind is distinct from 'personal' or space.owner_id = ${readerId})`

/** The progress of a rebuild. */
export async function findRebuild(db: Db, readerId: string, id: string): Promise<RebuildRow | undefined> {
  return queryRow<RebuildRow>(db)`${rebuilds} where rebuild.id = ${id} and ${visibleTo(readerId)}`
}

/** How many pages a rebuild reads: those of its space, or of all spaces as the statistics of the planner know them. */
export async function countPagesToRead(db: Db, id: string): Promise<number> {
  const rows = await queryRows<{ total: number }>(db)`select case
      when rebuild.space_id is null then (select reltuples::integer from pg_class where oid = 'page'::regclass)
      else (select count(*)::integer from page where page.space_id = rebuild.space_id) end as total
    from link_rebuild rebuild where rebuild.id = ${id}`
  return Math.max(0, rows[0]?.total ?? 0)
}

/** The latest rebuilds, latest first, by their ids. */
export async function listRebuilds(db: Db, readerId: string, limit: number): Promise<RebuildRow[]> {
  return queryRows<RebuildRow>(db)`${rebuilds} where ${visibleTo(readerId)}
    order by rebuild.id desc limit ${limit}`
}

/** Takes the lease of a rebuild without an owner; one for a migration waits for nodes of older releases. */
export async function takeRebuildLease(db: WriteDb): Promise<HeldRow | undefined> {
  return queryRow<HeldRow>(db)`
    update link_rebuild set fence = fence + 1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id = (
      select id from link_rebuild where status = 'running'
        and (lease_until < now() or (lease_until = 'infinity' and not ${otherReleaseRuns()}))
      order by created_at limit 1 for update skip locked)
    returning id, fence, space_id, at_space_id, at_page_id`
}

/** Releases the lease, so that another process can continue immediately. */
export async function releaseRebuildLease(db: WriteDb, { id, fence }: HeldRow): Promise<void> {
  await sql`update link_rebuild set lease_until = '-infinity'
    where id = ${id} and fence = ${fence}`.execute(db)
}

/** Extends the lease and records the progress; false: the lease was lost, and nothing may be written. */
export async function advance(
  db: WriteDb,
  leaseRow: Pick<HeldRow, 'id' | 'fence'>,
  done: {
    readonly at?: { readonly spaceId: number; readonly pageId: number }
    readonly pages: number
    readonly links: number
  },
): Promise<boolean> {
  return hasRows(db)`
    update link_rebuild set lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      at_space_id = coalesce(${done.at?.spaceId ?? null}::bigint, at_space_id),
      at_page_id = coalesce(${done.at?.pageId ?? null}::bigint, at_page_id),
      pages_scanned = pages_scanned + ${done.pages}, links_indexed = links_indexed + ${done.links}
    from ${asynchronousCommit}
    where id = ${leaseRow.id} and fence = ${leaseRow.fence} and status = 'running' returning id`
}

/** Locks pages of one space against their writers; overtaken if one has not the version that was read. */
export const lockUnchanged = write(
  'lock_unchanged_pages',
  (a: {
    readonly spaceId: number
    readonly pageIds: readonly number[]
    readonly versions: readonly number[]
  }) => sql<unknown>`
    with locked as materialized (
      select id, version from page where space_id = ${a.spaceId}::bigint and id = any(${a.pageIds}::bigint[])
        and deleted_at is null order by id for no key update
    )
    select overtaken() from unnest(${a.pageIds}::bigint[], ${a.versions}::int[]) as given (id, version)
    left join locked on locked.id = given.id where locked.version is distinct from given.version limit 1`,
)

/** Extends the lease as `advance` does; overtaken if it was lost. */
export const keepLease = write(
  'keep_rebuild_lease',
  (a: Pick<HeldRow, 'id' | 'fence'>) => sql<unknown>`
    with held as (
      update link_rebuild set lease_until = now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})
      from ${asynchronousCommit}
      where id = ${a.id}::uuid and fence = ${a.fence}::bigint and status = 'running' returning id
    )
    select overtaken() where not exists (select from held)`,
)

/** Ends the rebuild. */
export async function finish(db: WriteDb, { id, fence }: HeldRow, now: Date): Promise<void> {
  await sql`update link_rebuild set status = 'done', finished_at = ${now}
    where id = ${id} and fence = ${fence} and status = 'running'`.execute(db)
}

export interface LockedRow {
  readonly id: number
  readonly version: number
}

/** Locks pages of one space against their writers until the transaction ends. */
export async function lockPages(tx: Pick<Tx, 'db'>, spaceId: number, ids: readonly number[]): Promise<LockedRow[]> {
  return queryRows<LockedRow>(tx.db)`
    select id, version from page where space_id = ${spaceId} and id = any(${ids}::bigint[])
      and deleted_at is null order by id for no key update`
}

/** The number of unfinished rebuilds, and the age of the oldest one. */
export async function findBacklog(db: Db): Promise<{ readonly running: number; readonly seconds: number }> {
  const rows = await queryRows<{ running: number; seconds: number }>(db)`
    select count(*) as running,
      coalesce(greatest(extract(epoch from now() - min(created_at)), 0), 0)::float8 as seconds
    from link_rebuild where status = 'running'`
  return rows[0] ?? { running: 0, seconds: 0 }
}
