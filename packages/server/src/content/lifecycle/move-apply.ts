import { uuid7 } from '../../../../lib/src/encoding/uuid7.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { applyFileMoves, findFilesMoved } from '../files/move-files.ts'
import { listFilesBelow } from '../files/trash/store-folder.ts'
import { countMovedKeys } from '../metadata/store-keys.ts'
import { moveOrder } from '../pages/tree/order.ts'
import { finishPageWrites, type StoredPage } from '../pages/writing/finish-page-writes.ts'
import { changePages, insertRevisions } from '../pages/writing/store.ts'
import { chunks } from './chunks.ts'
import { type MoveOrder, movedPath } from './move-order.ts'
import type { MovePlan } from './move-plan.ts'
import type { PlannedPage } from './plan-pages.ts'
import {
  isPageAt,
  keepSlugs,
  type LockedAddress,
  listMoving,
  lockAddresses,
  lockLivePages,
} from './store-move.ts'
import { type Move, movePages } from './store-move-pages.ts'

const MOVE_NOTE = 'Moved'
const REWRITE_NOTE = 'Links follow a move'

/** Versions by page id, or by file id. */
type Versions = ReadonlyMap<number, number>

/** The final versions by page id and by file id. */
export interface MovedVersions {
  readonly pages: Versions
  readonly files: Versions
}

/** Applies a plan in this transaction; undefined when anything was changed since it was planned. */
export async function applyMove(
  tx: EventsCtx & Tx,
  order: MoveOrder,
  plan: MovePlan,
  now: Date,
): Promise<MovedVersions | undefined> {
  const before = tx.commitOutcomeUnknown ? await movedBefore(tx, order, plan) : undefined
  if (before) return before
  const moves = await lockMoves(tx, order, plan)
  const files = moves && (await moveFiles(tx, order, plan, now))
  if (!moves || !files) {
    tx.noChange()
    return undefined
  }
  await moveRows(tx, order, moves, now)
  const total = plan.moving.length + plan.linking.length
  let done = 0
  const writing = {
    now,
    onWritten(count: number) {
      done += count
      order.progress?.({ done, total })
    },
  }
  const moved = await rewriteMovedPages(tx, order.to.space.id, { pages: plan.moving, moves }, writing)
  const linking = await rewriteLinkingPages(tx, plan.linking, writing)
  await countMoved(tx, order, moves)
  return { pages: new Map([...moved, ...linking]), files }
}

/** The time of the new revisions, and a callback that receives how many pages were written. */
interface Writing {
  readonly now: Date
  onWritten(count: number): void
}

/** The result of an earlier attempt whose commit outcome was unknown. */
async function movedBefore(
  tx: EventsCtx & Tx,
  order: MoveOrder,
  { moving, files }: MovePlan,
): Promise<MovedVersions | undefined> {
  const [first] = moving
  if (first && !(await isAtTarget(tx, order.to.space.id, first))) return undefined
  const moved = await findFilesMoved(tx, fileOrder(order), files)
  return moved && { pages: new Map(moving.map(({ row }) => [row.page_id, row.version])), files: moved }
}

/** Moves the files below the path; undefined when they differ from the plan, or the address of one is taken. */
async function moveFiles(
  tx: EventsCtx & Tx,
  order: MoveOrder,
  { files }: MovePlan,
  now: Date,
): Promise<Versions | undefined> {
  if (order.children && (await listFilesBelow(tx.db, order.from)).length !== files.length) return undefined
  const moved = await applyFileMoves(tx, fileOrder(order), files, now)
  return moved instanceof Map ? moved : undefined
}

function fileOrder(order: MoveOrder) {
  const { from, to } = order
  return {
    from,
    to: { spaceId: to.space.id },
    toNewPath: (path: string) => movedPath(order, path),
  }
}

/** Moves the rows of pages, and the order of the tree. */
async function moveRows(
  tx: EventsCtx & Tx,
  { from, to, children }: MoveOrder,
  moves: readonly Move[],
  now: Date,
): Promise<void> {
  const spaces = { from: from.spaceId, to: to.space.id }
  await movePages(tx, spaces, moves, { note: MOVE_NOTE, actorId: tx.actor.id, now })
  if (children) await moveOrder(tx, from, { spaceId: to.space.id, path: to.path })
}

/** Counts the pages, and their keys, in their new space. The last of a move: all patches with a new key of these spaces wait for it. */
async function countMoved(
  tx: EventsCtx & Tx,
  { from, to }: MoveOrder,
  moves: readonly Move[],
): Promise<void> {
  const spaces = { from: from.spaceId, to: to.space.id }
  if (spaces.from === spaces.to) return
  await countMovedKeys(
    tx,
    spaces,
    moves.map((move) => move.page_id),
  )
  tx.afterCommit(() => tx.events.pagesAdded(spaces.to, moves.length))
}

/** Rewrites the links in pages that were moved, and records the moves. */
async function rewriteMovedPages(
  tx: EventsCtx & Tx,
  spaceId: number,
  { pages, moves }: { readonly pages: readonly PlannedPage[]; readonly moves: readonly Move[] },
  { now, onWritten }: Writing,
): Promise<Versions> {
  const versions = new Map(moves.map((move) => [move.page_id, move.next]))
  const last = new Map(moves.map((move) => [move.page_id, move.last]))
  for (const chunk of chunks(pages)) {
    await tx.reauthorization?.enqueue(tx.db)
    const rewritten = await rewrite(tx, spaceId, chunk, { versions, last }, now)
    for (const [id, version] of rewritten) versions.set(id, version)
    await finishPageWrites(
      tx,
      { kind: 'page.moved', spaceId, at: now },
      chunk.map((planned) => ({ ...storedPage(planned, versions), from: formerPlace(planned) })),
    )
    onWritten(chunk.length)
  }
  return versions
}

/** Rewrites the links of pages that are not moved. */
async function rewriteLinkingPages(
  tx: EventsCtx & Tx,
  linking: readonly PlannedPage[],
  { now, onWritten }: Writing,
): Promise<Versions> {
  const versions = new Map<number, number>()
  for (const [spaceId, pages] of Map.groupBy(linking, ({ row }) => row.space_id)) {
    for (const chunk of chunks(pages)) {
      await tx.reauthorization?.enqueue(tx.db)
      const before = new Map(chunk.map(({ row }) => [row.page_id, row.version]))
      const rewritten = await rewrite(tx, spaceId, chunk, { versions: before, last: new Map() }, now)
      for (const [id, version] of rewritten) versions.set(id, version)
      await finishPageWrites(
        tx,
        { kind: 'page.updated', spaceId, at: now },
        chunk.map((planned) => storedPage(planned, versions)),
      )
      onWritten(chunk.length)
    }
  }
  return versions
}

function isAtTarget(tx: Tx, spaceId: number, { to: path, row }: PlannedPage): Promise<boolean> {
  return isPageAt(tx, { spaceId, path, pageId: row.page_id })
}

/** Locks pages, then addresses, each in one order for all; undefined when they differ from the plan. */
async function lockMoves(tx: Ctx & Tx, order: MoveOrder, plan: MovePlan): Promise<Move[] | undefined> {
  const { from, to } = order
  if (!(await lockUnchanged(tx, [...plan.moving, ...plan.linking]))) return undefined
  if (!(await keepSlugs(tx, plannedSpaces(order, plan)))) return undefined
  const present = order.file ? [] : await listMoving(tx.db, { ...from, children: order.children })
  if (present.length !== plan.moving.length) return undefined
  const addresses = await lockAddresses(tx, {
    spaceIds: [...plan.moving.map(() => from.spaceId), ...plan.moving.map(() => to.space.id)],
    paths: [...plan.moving.map(({ row }) => row.path), ...plan.moving.map((planned) => planned.to)],
  })
  const own = new Map(plan.moving.map(({ row }) => [row.page_id, row.version]))
  const at = new Map(addresses.map((row) => [`${row.space_id}/${row.path}`, row]))
  const moves = plan.moving.map((planned) => toMove(planned, at.get(`${to.space.id}/${planned.to}`), own))
  return moves.every((move) => move !== undefined) ? moves : undefined
}

/** The spaces whose slugs a plan tells, or writes into links. */
function plannedSpaces({ from, to }: MoveOrder, { linking, ended }: MovePlan) {
  return [
    from,
    { spaceId: to.space.id, space: to.space.slug },
    ...linking.map(({ row }) => ({ spaceId: row.space_id, space: row.space_slug })),
    ...ended.map((row) => ({ spaceId: row.toSpaceId, space: row.to.space })),
  ]
}

/** Locks the pages; false when one was changed, moved or deleted since it was planned. */
async function lockUnchanged(tx: Tx, planned: readonly PlannedPage[]): Promise<boolean> {
  const rows = planned.map(({ row }) => row)
  const locked = new Map((await lockLivePages(tx, rows)).map((row) => [row.id, row]))
  return rows.every(({ page_id, version, path }) => {
    const now = locked.get(page_id)
    return now?.version === version && now.path === path
  })
}

/** Undefined when another page than those that move (`own`, with their versions) is at the new address. */
function toMove(
  { row, to, title, rewrite }: PlannedPage,
  target: LockedAddress | undefined,
  own: Versions,
): Move | undefined {
  const current = target?.page_id === null ? 0 : target && own.get(target.page_id)
  if (!target || current === undefined) return undefined
  // No version is used twice at one address.
  const last = Math.max(target.last_version, current)
  const copies = !rewrite && last >= row.version
  return {
    page_id: row.page_id,
    from: row.path,
    to,
    title,
    version: row.version,
    next: copies ? last + 1 : row.version,
    last,
    copyId: copies ? uuid7() : null,
  }
}

/** Inserts the revisions of pages with a new body; returns their versions. */
async function rewrite(
  tx: Ctx & Tx,
  spaceId: number,
  pages: readonly PlannedPage[],
  { versions, last }: { readonly versions: Versions; readonly last: Versions },
  now: Date,
): Promise<Map<number, number>> {
  const rows = pages.flatMap((planned) => {
    const { page_id, version } = planned.row
    const expected = versions.get(page_id) ?? version
    const next = Math.max(expected, last.get(page_id) ?? 0) + 1
    return rewrittenRow(planned, { expected, version: next, updated_at: now, updated_by: tx.actor.id })
  })
  if (rows.length === 0) return new Map()
  const changed = await changePages(tx, spaceId, rows)
  if (changed.length !== rows.length) throw new Error('Pages that were locked have changed')
  await insertRevisions(
    tx,
    spaceId,
    rows.map((row) => ({
      page_id: row.id,
      version: row.version,
      id: row.revision_id,
      title: row.title,
      note: row.note,
      size: row.made.size,
      base: row.made.packed.base,
      data: row.made.packed.data,
      restored_from: null,
      created_at: now,
      created_by: tx.actor.id,
    })),
  )
  return new Map(rows.map((row) => [row.id, row.version]))
}

/** The page and its revision as they are stored; none if its body stays. */
function rewrittenRow<T extends { readonly version: number }>(
  { row, title, to, rewrite: made }: PlannedPage,
  change: T,
) {
  if (!made) return []
  const isKeyframe = made.packed.base === null
  return [
    {
      ...change,
      id: row.page_id,
      path: to,
      revision_id: made.revisionId,
      title,
      frontmatter: made.frontmatter,
      body: made.packed.body,
      keyframe: isKeyframe ? change.version : row.keyframe,
      keyframe_id: isKeyframe ? made.revisionId : row.keyframe_id,
      note: REWRITE_NOTE,
      made,
    },
  ]
}

function storedPage({ row, to: path, title, links, text }: PlannedPage, versions: Versions): StoredPage {
  return { id: row.page_id, path, title, version: versions.get(row.page_id) ?? 0, links, text }
}

function formerPlace({ row }: PlannedPage): NonNullable<StoredPage['from']> {
  return { spaceId: row.space_id, path: row.path, title: row.title, version: row.version }
}
