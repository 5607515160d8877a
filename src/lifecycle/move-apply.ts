import type { Ctx } from '../access/ctx.ts'
import { changePages, insertRevisions } from '../bulk/store.ts'
import type { Tx } from '../database/transaction.ts'
import type { PageEvent } from '../events/event.ts'
import { recordEvents } from '../events/record.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { replaceAllLinks } from '../links/replace.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import { indexPages } from '../search/put-text.ts'
import { chunks } from './chunks.ts'
import type { MoveOrder, MovePlan } from './move-plan.ts'
import type { PlannedPage } from './plan-pages.ts'
import { isPageAt, listMoving, lockAddresses, lockLivePages, type Move, movePages } from './store-move.ts'

const MOVE_NOTE = 'Moved'
const REWRITE_NOTE = 'Links follow a move'

/** The versions that the pages have at the end, by the id of the page. */
export type Versions = ReadonlyMap<number, number>

/** Does what was planned, all of it in this transaction; undefined when anything was changed since it was planned. */
export async function applyMove(
  tx: Ctx & Tx,
  order: MoveOrder,
  plan: MovePlan,
  now: Date,
): Promise<Versions | undefined> {
  const { from, to } = order
  const [first] = plan.moving
  if (tx.commitOutcomeUnknown && first && (await isAtTarget(tx, to.space.id, first))) {
    return new Map(plan.moving.map((planned) => [planned.row.page_id, planned.row.version]))
  }
  const moves = await lockMoves(tx, order, plan)
  if (!moves) {
    tx.noChange()
    return undefined
  }
  const spaces = { from: from.spaceId, to: to.space.id }
  const pageIds = moves.map((move) => move.page_id)
  const crosses = spaces.from !== spaces.to
  if (crosses) await countPageKeys(tx, { spaceId: spaces.from, pageIds }, -1)
  await movePages(tx, spaces, moves, { note: MOVE_NOTE, actorId: tx.actor.id, now })
  if (crosses) await countPageKeys(tx, { spaceId: spaces.to, pageIds }, 1)

  const versions = new Map(moves.map((move) => [move.page_id, move.next]))
  const last = new Map(moves.map((move) => [move.page_id, move.last]))
  for (const chunk of chunks(plan.moving)) {
    const rewritten = await rewrite(tx, spaces.to, chunk, { versions, last }, now)
    for (const [id, version] of rewritten) versions.set(id, version)
    await follow(tx, { spaceId: spaces.to, space: to.space.slug }, chunk)
    await recordEvents(
      tx,
      chunk.map((planned) => movedEvent(tx, order, planned, versions.get(planned.row.page_id) ?? 0, now)),
    )
  }
  for (const [spaceId, pages] of Map.groupBy(plan.linking, ({ row }) => row.space_id)) {
    for (const chunk of chunks(pages)) {
      const space = chunk[0]?.row.space_slug ?? ''
      const before = new Map(chunk.map(({ row }) => [row.page_id, row.version]))
      const rewritten = await rewrite(tx, spaceId, chunk, { versions: before, last: new Map() }, now)
      for (const [id, version] of rewritten) versions.set(id, version)
      await follow(tx, { spaceId, space }, chunk)
      await recordEvents(
        tx,
        chunk.map((planned) => updatedEvent(tx, planned, versions.get(planned.row.page_id) ?? 0, now)),
      )
    }
  }
  return versions
}

function isAtTarget(tx: Tx, spaceId: number, { to: path, row }: PlannedPage): Promise<boolean> {
  return isPageAt(tx, { spaceId, path, pageId: row.page_id })
}

/** Locks pages, then addresses, each in one order for all; undefined when they are not as planned. */
async function lockMoves(tx: Ctx & Tx, order: MoveOrder, plan: MovePlan): Promise<Move[] | undefined> {
  const { from, to } = order
  const all = [...plan.moving, ...plan.linking]
  const locked = new Map(
    (
      await lockLivePages(
        tx,
        all.map(({ row }) => row),
      )
    ).map((row) => [row.id, row]),
  )
  const same = all.every(({ row }) => {
    const now = locked.get(row.page_id)
    return now && now.version === row.version && now.path === row.path
  })
  const present = await listMoving(tx.db, { ...from, children: order.children })
  if (!same || present.length !== plan.moving.length) return undefined
  const addresses = await lockAddresses(tx, {
    spaceIds: [...plan.moving.map(() => from.spaceId), ...plan.moving.map(() => to.space.id)],
    paths: [...plan.moving.map(({ row }) => row.path), ...plan.moving.map((planned) => planned.to)],
  })
  const own = new Map(plan.moving.map(({ row }) => [row.page_id, row]))
  const at = new Map(addresses.map((row) => [`${row.space_id}/${row.path}`, row]))
  const moves: Move[] = []
  for (const { row, to: path, title, rewrite } of plan.moving) {
    const target = at.get(`${to.space.id}/${path}`)
    if (!target) return undefined
    const standing = target.page_id === null ? undefined : own.get(target.page_id)
    if (target.page_id !== null && !standing) return undefined
    // No version comes twice at one address.
    const last = Math.max(target.last_version, standing?.version ?? 0)
    const copies = !rewrite && last >= row.version
    moves.push({
      page_id: row.page_id,
      from: row.path,
      to: path,
      title,
      version: row.version,
      next: copies ? last + 1 : row.version,
      last,
      copyId: copies ? uuid7() : null,
    })
  }
  return moves
}

/** Adds the revisions of those pages that have a new body; says their versions. */
async function rewrite(
  tx: Ctx & Tx,
  spaceId: number,
  pages: readonly PlannedPage[],
  { versions, last }: { readonly versions: Versions; readonly last: Versions },
  now: Date,
): Promise<Map<number, number>> {
  const rows = pages.flatMap(({ row, title, to, rewrite: made }) => {
    if (!made) return []
    const expected = versions.get(row.page_id) ?? row.version
    const version = Math.max(expected, last.get(row.page_id) ?? 0) + 1
    const whole = made.packed.base === null
    return [
      {
        id: row.page_id,
        path: to,
        expected,
        version,
        revision_id: made.revisionId,
        title,
        frontmatter: made.frontmatter,
        body: made.packed.body,
        keyframe: whole ? version : row.keyframe,
        keyframe_id: whole ? made.revisionId : row.keyframe_id,
        note: REWRITE_NOTE,
        updated_at: now,
        updated_by: tx.actor.id,
        made,
      },
    ]
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

/** Makes links and search those of the pages as they are now. */
async function follow(
  tx: Ctx & Tx,
  at: { readonly spaceId: number; readonly space: string },
  pages: readonly PlannedPage[],
): Promise<void> {
  await replaceAllLinks(
    tx,
    at,
    pages.map(({ row, links }) => ({ pageId: row.page_id, links })),
  )
  await indexPages(
    tx,
    at.spaceId,
    pages.flatMap(({ row, text }) => (text ? [{ pageId: row.page_id, text }] : [])),
  )
}

function movedEvent(tx: Ctx, order: MoveOrder, planned: PlannedPage, version: number, now: Date): PageEvent {
  const { row, to: path, title } = planned
  const from = { space: row.space_slug, path: row.path }
  return {
    kind: 'page.moved',
    spaceId: order.to.space.id,
    pageId: row.page_id,
    actorId: tx.actor.id,
    at: now,
    // What stood in a personal space is nobody else's to know.
    data: { path, title, version, ...(from.space !== 'personal' && { from }) },
  }
}

function updatedEvent(tx: Ctx, { row, title }: PlannedPage, version: number, now: Date): PageEvent {
  return {
    kind: 'page.updated',
    spaceId: row.space_id,
    pageId: row.page_id,
    actorId: tx.actor.id,
    at: now,
    data: { path: row.path, title, version },
  }
}
