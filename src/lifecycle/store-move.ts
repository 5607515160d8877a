import { sql } from 'kysely'
import { type AccessSubject, memberJoin, rankIn } from '../access/visibility.ts'
import type { Db } from '../database/database.ts'
import type { Tx } from '../database/transaction.ts'
import { addressId } from '../links/store-read.ts'
import type { PageRow } from '../pages/page.ts'
import { actorJoins, pageColumns } from '../pages/store.ts'

type Writing = Pick<Tx, 'db'>

/** A page with what moving and rewriting it needs. */
export interface MovingRow extends PageRow {
  readonly space_id: number
  readonly space_slug: string
  readonly page_id: number
  readonly revision_id: string
  readonly keyframe: number
  readonly keyframe_id: string
}

const columns = sql`${pageColumns}, p.space_id, coalesce(s.slug, 'personal') as space_slug, p.id as page_id, p.revision_id,
  p.keyframe, p.keyframe_id`

/** The page at a path, and those below it if `children` is set, in the order of their paths. */
export async function listMoving(
  db: Db,
  at: { readonly spaceId: number; readonly path: string; readonly children: boolean },
): Promise<(MovingRow & { readonly address_id: number })[]> {
  // In byte order `0` follows `/`.
  const { rows } = await sql<MovingRow & { address_id: number }>`
    select ${columns}, a.id as address_id from page_address a
    join page p on p.space_id = a.space_id and p.id = a.page_id
    join space s on s.id = a.space_id ${actorJoins}
    where a.space_id = ${at.spaceId} and a.page_id is not null and (a.path = ${at.path}
      or ${at.children}::boolean and a.path > ${`${at.path}/`} and a.path < ${`${at.path}0`})
    order by a.path`.execute(db)
  return rows
}

/** An address that redirects to a moved page. */
export interface FormerRow {
  readonly space_id: number
  readonly space: string
  readonly path: string
  readonly address_id: number
  readonly page_id: number
}

/** The former addresses of some pages of a space, wherever they are. */
export async function listFormer(db: Db, spaceId: number, pageIds: readonly number[]): Promise<FormerRow[]> {
  const { rows } = await sql<FormerRow>`
    select a.space_id, coalesce(s.slug, 'personal') as space, a.path, a.id as address_id, a.moved_page_id as page_id
    from page_address a join space s on s.id = a.space_id
    where a.moved_space_id = ${spaceId} and a.moved_page_id = any(${pageIds}::bigint[]) and a.page_id is null`.execute(
    db,
  )
  return rows
}

/** The former slugs of some spaces, each with the current one. */
export async function listFormerSlugs(
  db: Db,
  spaceIds: readonly number[],
): Promise<{ readonly former: string; readonly slug: string }[]> {
  const { rows } = await sql<{ former: string; slug: string }>`
    select f.slug as former, s.slug from former_slug f join space s on s.id = f.space_id
    where f.space_id = any(${spaceIds}::bigint[])`.execute(db)
  return rows
}

/** Readable pages, other than the given ones of a space, that link to some addresses. */
export async function listLinking(
  db: Db,
  sight: AccessSubject,
  to: {
    readonly addresses: readonly { readonly space_id: number; readonly address_id: number }[]
    readonly spaceId: number
    readonly pageIds: readonly number[]
  },
): Promise<(MovingRow & { readonly rank: number })[]> {
  const { rows } = await sql<MovingRow & { rank: number }>`
    with source as materialized (
      select distinct l.space_id, l.page_id
      from unnest(${to.addresses.map((address) => address.space_id)}::bigint[],
        ${to.addresses.map((address) => address.address_id)}::bigint[]) as t (space_id, id)
      join link l on l.target_space_id = t.space_id and ${addressId} = t.id
    ), moving as materialized (select unnest(${to.pageIds}::bigint[]) as id)
    select ${columns}, ${rankIn(sight)} as rank from source l
    join page p on p.space_id = l.space_id and p.id = l.page_id
    join space s on s.id = p.space_id ${memberJoin(sight)} ${actorJoins}
    where ${rankIn(sight)} >= 1 and not (p.space_id = ${to.spaceId} and p.id in (select id from moving))
    order by p.space_id, p.path`.execute(db)
  return rows
}

export interface PageKey {
  readonly space_id: number
  readonly page_id: number
}

export interface BodiesRow {
  readonly revision_id: string
  /** The latest body, packed in full. */
  readonly data: Buffer
  /** The keyframe of the next revision, packed in full; null if that is the latest. */
  readonly keyframe: Buffer | null
}

/** The latest bodies of some pages, with the keyframes of their next revisions. */
export async function readBodies(db: Db, pages: readonly PageKey[]): Promise<BodiesRow[]> {
  const { rows } = await sql<BodiesRow>`
    select p.revision_id, coalesce(p.body, r.data) as data, k.data as keyframe
    from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.page_id)}::bigint[]) as t (space_id, id)
    join page p on p.space_id = t.space_id and p.id = t.id
    left join revision r on r.space_id = p.space_id and r.page_id = p.id and r.version = p.version and p.body is null
    left join revision k on k.space_id = p.space_id and k.page_id = p.id and k.version = p.keyframe and p.body is not null`.execute(
    db,
  )
  return rows
}

/** The paths of a space that are taken. */
export async function listTaken(
  db: Db,
  spaceId: number,
  paths: readonly string[],
): Promise<{ readonly path: string; readonly page_id: number }[]> {
  const { rows } = await sql<{ path: string; page_id: number }>`
    select path, page_id from page_address
    where space_id = ${spaceId} and path = any(${paths}::text[]) and page_id is not null order by path`.execute(
    db,
  )
  return rows
}

/** Locks live pages until the transaction ends, in one order for all (against deadlocks). */
export async function lockLivePages(
  tx: Writing,
  pages: readonly PageKey[],
): Promise<{ readonly id: number; readonly version: number; readonly path: string }[]> {
  const { rows } = await sql<{ id: number; version: number; path: string }>`
    select p.id, p.version, p.path from page p
    join unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.page_id)}::bigint[]) as t (space_id, id)
      on t.space_id = p.space_id and t.id = p.id
    where p.deleted_at is null order by p.space_id, p.id for update of p`.execute(tx.db)
  return rows
}

export interface Addresses {
  readonly spaceIds: readonly number[]
  readonly paths: readonly string[]
}

/** Locks addresses, creating new ones, in one order for all. */
export async function lockAddresses(
  tx: Writing,
  { spaceIds, paths }: Addresses,
): Promise<
  {
    readonly space_id: number
    readonly path: string
    readonly page_id: number | null
    readonly last_version: number
  }[]
> {
  await sql`insert into page_address (space_id, path)
    select distinct * from unnest(${spaceIds}::bigint[], ${paths}::text[]) as t (space_id, path)
    where not exists (select 1 from page_address a where a.space_id = t.space_id and a.path = t.path)
    order by 1, 2 on conflict (space_id, path) do nothing`.execute(tx.db)
  const { rows } = await sql<{
    space_id: number
    path: string
    page_id: number | null
    last_version: number
  }>`
    select a.space_id, a.path, a.page_id, a.last_version from page_address a
    join (select distinct * from unnest(${spaceIds}::bigint[], ${paths}::text[]) as t (space_id, path)) t
      on t.space_id = a.space_id and t.path = a.path collate "C"
    order by a.space_id, a.path for update of a`.execute(tx.db)
  return rows
}

/** A page with its new path. */
export interface Move {
  readonly page_id: number
  readonly from: string
  readonly to: string
  readonly title: string
  readonly version: number
  /** Its version at the new address. */
  readonly next: number
  /** The highest version that any page had there. */
  readonly last: number
  /** The id of the revision that copies the latest one; null if none is needed. */
  readonly copyId: string | null
}

/** Moves pages, whose rows and addresses are locked, from their addresses to others. */
export async function movePages(
  tx: Writing,
  spaces: { readonly from: number; readonly to: number },
  moves: readonly Move[],
  copy: { readonly note: string; readonly actorId: string; readonly now: Date },
): Promise<void> {
  const ids = moves.map((move) => move.page_id)
  const given = sql`unnest(${ids}::bigint[], ${moves.map((move) => move.from)}::text[], ${moves.map((move) => move.to)}::text[],
    ${moves.map((move) => move.title)}::text[], ${moves.map((move) => move.version)}::int[], ${moves.map((move) => move.next)}::int[],
    ${moves.map((move) => move.copyId)}::uuid[]) as m (id, old, new, title, version, next, copy_id)`
  await sql`update page_address a set page_id = null, last_version = greatest(a.last_version, m.version),
      moved_space_id = ${spaces.to}::bigint, moved_page_id = m.id
    from ${given} where a.space_id = ${spaces.from} and a.path = m.old collate "C"`.execute(tx.db)
  await sql`update page_address a set page_id = m.id, moved_space_id = null, moved_page_id = null
    from ${given} where a.space_id = ${spaces.to} and a.path = m.new collate "C"`.execute(tx.db)
  if (spaces.from !== spaces.to) {
    await sql`update page_address set moved_space_id = ${spaces.to}
      where moved_space_id = ${spaces.from} and moved_page_id = any(${ids}::bigint[])`.execute(tx.db)
  }
  // A copy of a full body is a keyframe itself: later deltas refer to it.
  await sql`
    with moved as (
      update page p set space_id = ${spaces.to}, path = m.new, title = m.title,
        version = m.next,
        revision_id = coalesce(m.copy_id, p.revision_id),
        keyframe = case when m.copy_id is not null and p.body is null then m.next else p.keyframe end,
        keyframe_id = case when m.copy_id is not null and p.body is null then m.copy_id else p.keyframe_id end,
        note = case when m.copy_id is null then p.note else ${copy.note} end,
        updated_at = case when m.copy_id is null then p.updated_at else ${copy.now}::timestamptz end,
        updated_by = case when m.copy_id is null then p.updated_by else ${copy.actorId}::uuid end
      from ${given} where p.space_id = ${spaces.from} and p.id = m.id
      returning p.id
    )
    select count(*) from moved`.execute(tx.db)
  await sql`
    insert into revision (space_id, page_id, version, id, title, note, size, base, data, restored_from, created_at, created_by)
    select r.space_id, r.page_id, m.next, m.copy_id, r.title, ${copy.note}, r.size, r.base, r.data, r.version, ${copy.now}, ${copy.actorId}
    from ${given} join revision r on r.space_id = ${spaces.to} and r.page_id = m.id and r.version = m.version
    where m.copy_id is not null`.execute(tx.db)
}

/** Whether the page is at an address: the result of an earlier attempt of the same move. */
export async function isPageAt(
  tx: Writing,
  at: { readonly spaceId: number; readonly path: string; readonly pageId: number },
): Promise<boolean> {
  const { rows } = await sql`select 1 from page_address
    where space_id = ${at.spaceId} and path = ${at.path} and page_id = ${at.pageId}`.execute(tx.db)
  return rows.length > 0
}
