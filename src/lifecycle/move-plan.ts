import type { Ctx } from '../access/ctx.ts'
import type { SpaceAccess } from '../access/space.ts'
import { accessSubjectOf } from '../access/visibility.ts'
import { type SharedMoveMap, shareAddresses } from '../bulk/move-map.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { parsePagePath } from '../http/page-address.ts'
import { uuid7 } from '../lib/uuid7.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import type { LocatedPage } from '../pages/find.ts'
import { redirectsTo } from './move-redirects.ts'
import { type LeftLink, type PlannedPage, planPages } from './plan-pages.ts'
import { listLinking, listMoving, listTaken, type MovingRow } from './store-move.ts'

/** The source and the target of a move. */
export interface MoveOrder {
  readonly from: { readonly spaceId: number; readonly path: string }
  /** The page of the request, in the version that was read; absent for a folder. */
  readonly page?: LocatedPage
  readonly to: { readonly space: SpaceAccess; readonly path: string }
  readonly children: boolean
  readonly rewrite: boolean
}

export interface MoveProblem {
  readonly code: Extract<ErrorCode, 'page_exists' | 'invalid_path'>
  readonly path: string
  readonly detail: string
}

export interface MovePlan {
  readonly moving: readonly PlannedPage[]
  /** Pages that are not moved, with their links rewritten. */
  readonly linking: readonly PlannedPage[]
  readonly left: readonly LeftLink[]
  readonly refusals: readonly MoveProblem[]
}

/** Plans everything that a move does, without writing anything. */
export async function planMove(ctx: PagesCtx, order: MoveOrder): Promise<MovePlan> {
  const { from, to } = order
  const rows = await listMoving(ctx.db, { ...from, children: order.children })
  const pathOf = (path: string) => to.path + path.slice(from.path.length)
  const refusals = await problemsOf(ctx, order, rows, pathOf)
  if (refusals.length > 0) return { moving: [], linking: [], left: [], refusals }
  const left: LeftLink[] = []
  const leading = await redirectsTo(ctx.db, from.spaceId, rows)
  const move: SharedMoveMap = {
    id: uuid7(),
    to: to.space.slug,
    slugs: leading.slugs,
    addresses: shareAddresses(leading.addresses.map((row) => ({ ...row, to: pathOf(row.now) }))),
    rewrite: order.rewrite,
    publicOrigin: ctx.config.publicUrl,
    maxBodyBytes: ctx.config.maxBodyBytes,
  }
  const moving = await planPages(ctx, move, left, rows, (row) => ({
    space: to.space.slug,
    path: pathOf(row.path),
  }))
  if (!order.rewrite) return { moving, linking: [], left, refusals }
  const linking = await listLinking(ctx.db, accessSubjectOf(ctx.actor), {
    addresses: leading.addresses.map((row) => ({ space_id: row.spaceId, address_id: row.addressId })),
    spaceId: from.spaceId,
    pageIds: rows.map((row) => row.page_id),
  })
  for (const { space_slug: space, path, rank } of linking) {
    if (rank < 2) left.push({ space, path, line: null, href: null, reason: 'forbidden' })
  }
  const editable = linking.filter(({ rank }) => rank >= 2)
  const planned = await planPages(ctx, move, left, editable, (row) => ({
    space: row.space_slug,
    path: row.path,
  }))
  return { moving, linking: planned.filter(({ rewrite }) => rewrite), left, refusals }
}

async function problemsOf(
  ctx: Ctx,
  { from, to }: MoveOrder,
  rows: readonly MovingRow[],
  pathOf: (path: string) => string,
): Promise<MoveProblem[]> {
  const refusals: MoveProblem[] = []
  for (const { path } of rows) {
    try {
      parsePagePath(pathOf(path))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refusals.push({ code: 'invalid_path', path: pathOf(path), detail: error.message })
    }
  }
  if (refusals.length > 0) return refusals
  const own = new Set(from.spaceId === to.space.id ? rows.map((row) => row.page_id) : [])
  const taken = await listTaken(
    ctx.db,
    to.space.id,
    rows.map((row) => pathOf(row.path)),
  )
  return taken
    .filter((row) => !own.has(row.page_id))
    .map(({ path }) => ({ code: 'page_exists', path, detail: `There is already a page at \`${path}\`.` }))
}
