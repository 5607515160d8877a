import { type RawBuilder, sql } from 'kysely'
import { currentVia } from '../../access/via.ts'
import type { Tx } from '../../platform/database/transaction.ts'

type Writing = Pick<Tx, 'db'>

/** The spaces of a move, which may be the same. */
interface Spaces {
  readonly from: number
  readonly to: number
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
  spaces: Spaces,
  moves: readonly Move[],
  copy: Copying,
): Promise<void> {
  await moveAddresses(tx, spaces, moves)
  await movePageRows(tx, spaces, moves, copy)
  await copyRevisions(tx, spaces.to, moves, copy)
}

/** The note, author and time of revisions that are copied. */
interface Copying {
  readonly note: string
  readonly actorId: string
  readonly now: Date
}

/** Moves as the rows `move` of a statement. */
function toMoveRows(moves: readonly Move[]): RawBuilder<unknown> {
  return sql`unnest(${moves.map((move) => move.page_id)}::bigint[], ${moves.map((move) => move.from)}::text[], ${moves.map((move) => move.to)}::text[],
    ${moves.map((move) => move.title)}::text[], ${moves.map((move) => move.version)}::int[], ${moves.map((move) => move.next)}::int[],
    ${moves.map((move) => move.copyId)}::uuid[]) as move (id, old, new, title, version, next, copy_id)`
}

async function moveAddresses(tx: Writing, spaces: Spaces, moves: readonly Move[]): Promise<void> {
  await sql`update page_address address set page_id = null, last_version = greatest(address.last_version, move.version),
      moved_space_id = ${spaces.to}::bigint, moved_page_id = move.id
    from ${toMoveRows(moves)}
    where address.space_id = ${spaces.from} and address.path = move.old collate "C"`.execute(tx.db)
  await sql`update page_address address set page_id = move.id, moved_space_id = null, moved_page_id = null
    from ${toMoveRows(moves)}
    where address.space_id = ${spaces.to} and address.path = move.new collate "C"`.execute(tx.db)
  if (spaces.from !== spaces.to) {
    const ids = moves.map((move) => move.page_id)
    await sql`update page_address set moved_space_id = ${spaces.to}
      where moved_space_id = ${spaces.from} and moved_page_id = any(${ids}::bigint[])`.execute(tx.db)
  }
}

async function movePageRows(
  tx: Writing,
  spaces: Spaces,
  moves: readonly Move[],
  copy: Copying,
): Promise<void> {
  // A copy of a full body is a keyframe itself: later deltas refer to it.
  await sql`
    with moved as (
      update page set space_id = ${spaces.to}, path = move.new, title = move.title,
        version = move.next,
        revision_id = coalesce(move.copy_id, page.revision_id),
        keyframe = case when move.copy_id is not null and page.body is null then move.next else page.keyframe end,
        keyframe_id = case when move.copy_id is not null and page.body is null then move.copy_id else page.keyframe_id end,
        note = case when move.copy_id is null then page.note else ${copy.note} end,
        updated_at = case when move.copy_id is null then page.updated_at else ${copy.now}::timestamptz end,
        updated_by = case when move.copy_id is null then page.updated_by else ${copy.actorId}::uuid end,
        updated_via = case when move.copy_id is null then page.updated_via else ${currentVia} end
      from ${toMoveRows(moves)} where page.space_id = ${spaces.from} and page.id = move.id
      returning page.id
    )
    select count(*) from moved`.execute(tx.db)
}

/** Copies the latest revisions of the pages that need another version at their new address. */
async function copyRevisions(
  tx: Writing,
  spaceId: number,
  moves: readonly Move[],
  copy: Copying,
): Promise<void> {
  await sql`
    insert into revision (space_id, page_id, version, id, title, note, size, base, data, restored_from, created_at, created_by)
    select revision.space_id, revision.page_id, move.next, move.copy_id, revision.title, ${copy.note}, revision.size, revision.base, revision.data, revision.version, ${copy.now}, ${copy.actorId}
    from ${toMoveRows(moves)} join revision on revision.space_id = ${spaceId} and revision.page_id = move.id and revision.version = move.version
    where move.copy_id is not null`.execute(tx.db)
}
