import { AppError } from '@recto/contract/errors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { moveEvents } from '../../events/feed/event.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { askBeforeBatch, toWorkEnded } from '../../identity/rights/reauthorization.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { checkQuota } from '../files/quota.ts'
import { countMovedKeys } from '../metadata/store-keys.ts'
import { changePages, insertRevisions } from '../pages/many/store.ts'
import { moveOrder } from '../pages/tree/order.ts'
import { finishPageWrites, type StoredPage } from '../pages/writing/finish-page-writes.ts'
import { chunks } from './chunks.ts'
import { readEventData, toEvent } from './located.ts'
import { findMoved, lockMoves, lockUnchanged, type PlannedMove, type Versions } from './lock-moves.ts'
import { type MoveOrder, movedPath } from './move-order.ts'
import { requireMove } from './move-places.ts'
import { type MovePlan, pickPages } from './move-plan.ts'
import type { PlannedPage } from './plan-pages.ts'
import { listFolder } from './store-folder.ts'
import { keepSlugs, listMoving } from './store-move.ts'
import { type Move, moveRows } from './store-move-rows.ts'

const MOVE_NOTE = 'Moved'

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
  const before = tx.commitOutcomeUnknown && !order.bodies ? await movedBefore(tx, order, plan) : undefined
  if (before) return before
  const moves = await lockPages(tx, order, plan)
  const files = moves && (await moveFiles(tx, order, plan, now))
  if (!moves || !files) {
    tx.noChange()
    return undefined
  }
  await movePages(tx, order, moves, now)
  const total = plan.moving.length + plan.linking.length
  let done = 0
  const writing = {
    now,
    onWritten(count: number) {
      done += count
      order.progress?.({ done, total })
    },
  }
  const movedVersions = await rewriteMovedPages(tx, order, { pages: plan.moving, moves }, writing)
  const linking = await rewriteLinkingPages(tx, plan.linking, writing)
  await countMoved(tx, order, moves)
  return { pages: new Map([...movedVersions, ...linking]), files }
}

/** The time of the new revisions, and a callback that receives how many pages were written. */
interface Writing {
  readonly now: Date
  onWritten(count: number): void
}

/** The result of an earlier attempt whose commit outcome was unknown. */
async function movedBefore(tx: EventsCtx & Tx, order: MoveOrder, plan: MovePlan): Promise<MovedVersions | undefined> {
  const { to } = order
  const pages = await findMoved(tx, 'page', to.space.id, plan.moving.map(toPlannedMove))
  const files = pages && (await findMoved(tx, 'file', to.space.id, plannedFiles(order, plan)))
  return files && { pages, files }
}

/** Moves the files below the path; undefined when they differ from the plan, or the address of one is taken. */
async function moveFiles(
  tx: EventsCtx & Tx,
  order: MoveOrder,
  plan: MovePlan,
  now: Date,
): Promise<Versions | undefined> {
  const { from, to, children } = order
  const { files } = plan
  if (children && (await listFolder(tx.db, toAccessSubject(tx.actor), 'file', from)).length !== files.length)
    return undefined
  if (files.length === 0) return new Map()
  const isUnchanged = await lockUnchanged(
    tx,
    'file',
    files.map((file) => ({ ...file, spaceId: from.spaceId })),
  )
  const spaces = toSpaces(order)
  const moves = isUnchanged ? await lockMoves(tx, 'file', spaces, plannedFiles(order, plan)) : undefined
  if (!moves) return undefined
  await moveRows(tx, 'file', spaces, moves, { note: MOVE_NOTE, actorId: tx.actor.id, now })
  if (spaces.from !== spaces.to) await checkQuota(tx, to.space.id)
  const rows = moves.map(({ id, to: path, title, next: version }) => ({ id, path, title, version }))
  const data = await readEventData(tx, 'file', spaces.to, rows)
  const events = files.flatMap(({ id, path, version }) => {
    const movedFiles = data.get(id)
    if (!movedFiles) return []
    const event = toEvent(tx, 'file.moved', { spaceId: spaces.to, id, data: movedFiles, at: now })
    return moveEvents(event, { spaceId: spaces.from, path, version })
  })
  await recordEvents(tx, events)
  return new Map(moves.map(({ id, next }) => [id, next]))
}

function toSpaces({ from, to }: MoveOrder) {
  return { from: from.spaceId, to: to.space.id }
}

function toPlannedMove({ row, to, title, rewrite }: PlannedPage): PlannedMove {
  const { page_id: id, path: from, version } = row
  return { id, from, to, title, version, isRewritten: rewrite !== undefined }
}

function plannedFiles(order: MoveOrder, { files }: MovePlan): PlannedMove[] {
  return files.map(({ id, path: from, title, version }) => {
    return { id, from, to: movedPath(order, from, 'file'), title, version, isRewritten: false }
  })
}

/** Moves the rows of pages, and the order of the tree. */
async function movePages(tx: EventsCtx & Tx, order: MoveOrder, moves: readonly Move[], now: Date): Promise<void> {
  const { from, to, children } = order
  await moveRows(tx, 'page', toSpaces(order), moves, { note: MOVE_NOTE, actorId: tx.actor.id, now })
  if (children) await moveOrder(tx, from, { spaceId: to.space.id, path: to.path })
}

/** Counts the pages and their keys in their new space, at the end: patches with a new key wait for it. */
async function countMoved(tx: EventsCtx & Tx, order: MoveOrder, moves: readonly Move[]): Promise<void> {
  const spaces = toSpaces(order)
  if (spaces.from === spaces.to) return
  await countMovedKeys(
    tx,
    spaces,
    moves.map(({ id }) => id),
  )
  tx.afterCommit(() => tx.events.pagesAdded(spaces.to, moves.length))
}

/** Rewrites the links in pages that were moved, and records the moves. */
async function rewriteMovedPages(
  tx: EventsCtx & Tx,
  { from, to }: MoveOrder,
  { pages, moves }: { readonly pages: readonly PlannedPage[]; readonly moves: readonly Move[] },
  { now, onWritten }: Writing,
): Promise<Versions> {
  const { id: spaceId, slug } = to.space
  const versions = new Map(moves.map(({ id, next }) => [id, next]))
  const last = new Map(moves.map(({ id, last }) => [id, last]))
  for (const chunk of chunks(pages)) {
    await askBeforeBatch(tx, [
      { id: from.spaceId, slug: from.space, role: 'editor', paths: chunk.map(({ row }) => row.path) },
      { id: spaceId, slug, role: 'editor', paths: chunk.map((page) => page.to) },
    ])
    const rewrittenVersions = await rewrite(tx, spaceId, chunk, { versions, last }, now)
    for (const [id, version] of rewrittenVersions) versions.set(id, version)
    await finishPageWrites(
      tx,
      { kind: 'page.moved', spaceId, at: now },
      chunk.map((plannedPage) => ({ ...storedPage(plannedPage, versions), from: formerPlace(plannedPage) })),
    )
    onWritten(chunk.length)
  }
  return versions
}

async function rewriteLinkingPages(
  tx: EventsCtx & Tx,
  linking: readonly PlannedPage[],
  { now, onWritten }: Writing,
): Promise<Versions> {
  const versions = new Map<number, number>()
  for (const [spaceId, pages] of Map.groupBy(linking, ({ row }) => row.space_id)) {
    for (const chunk of chunks(pages)) {
      const slug = chunk[0]?.row.space_slug ?? ''
      await askBeforeBatch(tx, [{ id: spaceId, slug, role: 'editor', paths: chunk.map(({ to }) => to) }])
      const before = new Map(chunk.map(({ row }) => [row.page_id, row.version]))
      const rewrittenVersions = await rewrite(tx, spaceId, chunk, { versions: before, last: new Map() }, now)
      for (const [id, version] of rewrittenVersions) versions.set(id, version)
      await finishPageWrites(
        tx,
        { kind: 'page.updated', spaceId, at: now },
        chunk.map((plannedPage) => storedPage(plannedPage, versions)),
      )
      onWritten(chunk.length)
    }
  }
  return versions
}

/** Locks pages, then addresses, each in one order for all; undefined when they differ from the plan. */
async function lockPages(tx: Ctx & Tx, order: MoveOrder, plan: MovePlan): Promise<Move[] | undefined> {
  const pages = [...plan.moving, ...plan.linking].map(({ row }) => {
    return { spaceId: row.space_id, id: row.page_id, path: row.path, version: row.version }
  })
  if (!(await lockUnchanged(tx, 'page', pages))) return undefined
  if (!(await keepSlugs(tx, plannedSpaces(order, plan)))) return undefined
  const at = { ...order.from, ...pickPages(order) }
  const present = order.file ? [] : await listMoving(tx.db, toAccessSubject(tx.actor), at)
  if (present.length !== plan.moving.length) return undefined
  // The rules may have changed since the plan.
  await requireMove(tx, order, { pages: present, files: plan.files }).catch((error: unknown) => {
    throw error instanceof AppError ? toWorkEnded(error) : error
  })
  return lockMoves(tx, 'page', toSpaces(order), plan.moving.map(toPlannedMove))
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

/** Inserts the revisions of pages with a new body; returns their versions. */
async function rewrite(
  tx: Ctx & Tx,
  spaceId: number,
  pages: readonly PlannedPage[],
  { versions, last }: { readonly versions: Versions; readonly last: Versions },
  now: Date,
): Promise<Map<number, number>> {
  const rows = pages.flatMap((plannedPage) => {
    const { page_id, version } = plannedPage.row
    const expectedVersion = versions.get(page_id) ?? version
    const next = Math.max(expectedVersion, last.get(page_id) ?? 0) + 1
    return rewrittenRow(plannedPage, {
      expected: expectedVersion,
      version: next,
      updated_at: now,
      updated_by: tx.actor.id,
    })
  })
  if (rows.length === 0) return new Map()
  const changedIds = await changePages(tx, spaceId, rows)
  if (changedIds.length !== rows.length) throw new Error('Pages that were locked have changed')
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
      note: made.note,
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
