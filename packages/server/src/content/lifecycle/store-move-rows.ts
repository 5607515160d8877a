import { type RawBuilder, sql } from 'kysely'
import { type Resource, TABLES } from '../../access/resource.ts'
import { verifiedCopy } from '../../access/verification.ts'
import { currentVia } from '../../access/via.ts'
import { queryRows, queryValues } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { releaseBlobs } from '../files/blobs/store-blobs.ts'
import { copyVersion } from './store-versions.ts'

type Writing = Pick<Tx, 'db'>

/** The spaces of a move, which may be the same. */
export interface Spaces {
  readonly from: number
  readonly to: number
}

/** A page or file with its new path. */
export interface Move {
  readonly id: number
  readonly from: string
  readonly to: string
  /** Of a page. */
  readonly title: string
  readonly version: number
  /** Its version at the new address. */
  readonly next: number
  /** The highest version that anything had there. */
  readonly last: number
  /** The id of the version that copies the latest one; null if none is needed. */
  readonly copyId: string | null
}

/** The note, author and time of versions that are copied. */
interface Copying {
  readonly note: string
  readonly actorId: string
  readonly now: Date
}

export interface LiveRow {
  readonly id: number
  readonly version: number
  readonly path: string
}

/** Locks live pages or files until the transaction ends, in one order for all (against deadlocks). */
export async function lockLive(
  tx: Writing,
  resource: Resource,
  items: readonly { readonly spaceId: number; readonly id: number }[],
): Promise<LiveRow[]> {
  const { rows: row } = TABLES[resource]
  const [spaceIds, ids] = [items.map(({ spaceId }) => spaceId), items.map(({ id }) => id)]
  return queryRows<LiveRow>(tx.db)`
    select ${row}.id, ${row}.version, ${row}.path from ${row}
    join unnest(${spaceIds}::bigint[], ${ids}::bigint[]) as given (space_id, id)
      on given.space_id = ${row}.space_id and given.id = ${row}.id
    where ${row}.deleted_at is null order by ${row}.space_id, ${row}.id for update of ${row}`
}

export interface LockedAddress {
  readonly space_id: number
  readonly path: string
  /** The page or file at the address. */
  readonly id: number | null
  readonly last_version: number
}

/** Locks addresses, creating new ones, in one order for all. */
export async function lockAddresses(
  tx: Writing,
  resource: Resource,
  { spaceIds, paths }: { readonly spaceIds: readonly number[]; readonly paths: readonly string[] },
): Promise<LockedAddress[]> {
  const { addresses, id } = TABLES[resource]
  const givenRows = sql`(
    select distinct * from unnest(${spaceIds}::bigint[], ${paths}::text[]) as given (space_id, path)
  ) given`
  await sql`insert into ${addresses} (space_id, path) select * from ${givenRows}
    where not exists (
      select 1 from ${addresses} address where address.space_id = given.space_id and address.path = given.path
    )
    order by 1, 2 on conflict (space_id, path) do nothing`.execute(tx.db)
  return queryRows<LockedAddress>(tx.db)`
    select address.space_id, address.path, address.${id} as id, address.last_version from ${addresses} address
    join ${givenRows} on given.space_id = address.space_id and given.path = address.path collate "C"
    order by address.space_id, address.path for update of address`
}

/** Moves pages or files, whose rows and addresses are locked, to other addresses; the old ones redirect. */
export async function moveRows(
  tx: Writing,
  resource: Resource,
  spaces: Spaces,
  moves: readonly Move[],
  copy: Copying,
): Promise<void> {
  await moveAddresses(tx, resource, spaces, moves)
  const digests = resource === 'file' && spaces.from !== spaces.to ? await shareBlobs(tx, spaces, moves) : []
  const { rows, versions, id } = TABLES[resource]
  await sql`update ${rows} item set space_id = ${spaces.to}, path = move.new, version = move.next
      ${resource === 'page' ? pageOfMove(copy) : sql``}
    from ${toMoveRows(moves)} where item.space_id = ${spaces.from} and item.id = move.id`.execute(tx.db)
  await sql`${copyVersion(resource, {
    ...copy,
    version: sql`move.next`,
    id: sql`move.copy_id`,
    restoredFrom: sql`null::int`,
  })}
    from ${toMoveRows(moves)} join ${versions} version on version.space_id = ${spaces.to} and version.${id} = move.id
      and version.version = move.version
    where move.copy_id is not null`.execute(tx.db)
  await releaseBlobs(tx, spaces.from, digests)
}

/** Moves as the rows `move` of a statement. */
function toMoveRows(moves: readonly Move[]): RawBuilder<unknown> {
  const column = <K extends keyof Move>(key: K) => moves.map((move) => move[key])
  return sql`unnest(${column('id')}::bigint[], ${column('from')}::text[], ${column('to')}::text[],
    ${column('title')}::text[], ${column('version')}::int[], ${column('next')}::int[], ${column('copyId')}::uuid[])
    as move (id, old, new, title, version, next, copy_id)`
}

async function moveAddresses(tx: Writing, resource: Resource, spaces: Spaces, moves: readonly Move[]): Promise<void> {
  const { addresses, id, movedId } = TABLES[resource]
  await sql`update ${addresses} address set ${id} = null, last_version = greatest(address.last_version, move.version),
      moved_space_id = ${spaces.to}::bigint, ${movedId} = move.id
    from ${toMoveRows(moves)}
    where address.space_id = ${spaces.from} and address.path = move.old collate "C"`.execute(tx.db)
  await sql`update ${addresses} address set ${id} = move.id, moved_space_id = null, ${movedId} = null
    from ${toMoveRows(moves)}
    where address.space_id = ${spaces.to} and address.path = move.new collate "C"`.execute(tx.db)
  if (spaces.from !== spaces.to) {
    const ids = moves.map((move) => move.id)
    await sql`update ${addresses} set moved_space_id = ${spaces.to}
      where moved_space_id = ${spaces.from} and ${movedId} = any(${ids}::bigint[])`.execute(tx.db)
  }
}

/** The columns of a moved page. A copy of a full body is a keyframe itself: later deltas refer to it. */
function pageOfMove({ note, actorId, now }: Copying): RawBuilder<unknown> {
  const ifCopied = (copied: RawBuilder<unknown>, column: string) =>
    sql`case when move.copy_id is null then ${sql.ref(`item.${column}`)} else ${copied} end`
  const ifKeyframe = (copied: RawBuilder<unknown>, column: string) =>
    sql`case when move.copy_id is not null and item.body is null then ${copied} else ${sql.ref(`item.${column}`)} end`
  return sql`, ${verifiedCopy(sql`move.next`)}, title = move.title,
    revision_id = coalesce(move.copy_id, item.revision_id),
    keyframe = ${ifKeyframe(sql`move.next`, 'keyframe')}, keyframe_id = ${ifKeyframe(sql`move.copy_id`, 'keyframe_id')},
    note = ${ifCopied(sql`${note}`, 'note')}, updated_at = ${ifCopied(sql`${now}::timestamptz`, 'updated_at')},
    updated_by = ${ifCopied(sql`${actorId}::uuid`, 'updated_by')}, updated_via = ${ifCopied(currentVia, 'updated_via')}`
}

/** Adds references of the target space to the bytes of files before the files are moved. */
async function shareBlobs(tx: Writing, spaces: Spaces, moves: readonly Move[]): Promise<Buffer[]> {
  return queryValues<Buffer>(tx.db)`
    insert into space_blob (space_id, digest, size)
    select distinct ${spaces.to}::bigint, version.digest, version.size from file_version version
    where version.space_id = ${spaces.from} and version.file_id = any(${moves.map(({ id }) => id)}::bigint[]) order by 2
    on conflict (space_id, digest) do update set size = space_blob.size returning digest`
}
