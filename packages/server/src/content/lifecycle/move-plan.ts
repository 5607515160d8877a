import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { parsePagePath } from '@recto/contract/page-address.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { toRank } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { Resource } from '../../access/resource.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { listTaken } from '../links/store-addresses.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { isHiddenFrom, toPlaceKey } from '../pages/many/hidden-places.ts'
import type { SharedMoveMap } from '../pages/many/move-map.ts'
import { countHistory, countOutsiders } from '../spaces/store-readers.ts'
import { type MoveOrder, type MoveOutcome, movedPath } from './move-order.ts'
import { type EndedRedirect, type Redirects, redirectsTo } from './move-redirects.ts'
import { type LeftLink, type PlannedPage, planPages } from './plan-pages.ts'
import { type FolderRow, listFolder } from './store-folder.ts'
import { findHiddenPlaces, listPlacesLinkedFrom, type PlacedAddress } from './store-hidden-places.ts'
import { listLinking, listMoving, type MovingRow } from './store-move.ts'

export interface MoveProblem {
  readonly code: Extract<ErrorCode, 'page_exists' | 'file_exists' | 'invalid_path'>
  readonly path: string
  readonly detail: string
}

export interface MovePlan {
  readonly moving: readonly PlannedPage[]
  /** Files below the path; they move with its pages. */
  readonly files: readonly FolderRow[]
  /** Pages that are not moved, with their links rewritten. */
  readonly linking: readonly PlannedPage[]
  readonly left: readonly LeftLink[]
  readonly refusals: readonly MoveProblem[]
  /** What a move to another space shows to those who can read that one alone. */
  readonly opens: MoveOutcome['opens']
  readonly ended: readonly EndedRedirect[]
}

const EDITOR = toRank('editor')
const NOTHING = { moving: [], files: [], linking: [], left: [], opens: null, ended: [] }

/** Plans everything that a move does, without writing anything. */
export async function planMove(ctx: PagesCtx, order: MoveOrder): Promise<MovePlan> {
  const { from, to } = order
  const rows = order.file ? [] : await listMoving(ctx.db, { ...from, children: order.children })
  const files = await findFolderRows(ctx, order)
  const refusals = await findProblems(ctx, order, rows, files)
  if (refusals.length > 0) return { ...NOTHING, refusals }
  const leftLinks: LeftLink[] = []
  const redirects = await redirectsTo(ctx, order, { pages: rows, files })
  const opens = await whatOpens(ctx, order, rows)
  const written = listWritten(order, rows, files, redirects)
  const move: SharedMoveMap = {
    id: uuid7(),
    slugs: redirects.slugs,
    addresses: redirects.addresses,
    files: redirects.files,
    rewrite: order.rewrite,
    hidden: await findHiddenPlaces(ctx.db, written.moved, [
      ...written.all,
      ...(await listPlacesLinkedFrom(ctx.db, { ...from, pageIds: rows.map((row) => row.page_id) })),
    ]),
    publicOrigin: ctx.config.publicUrl,
    maxBodyBytes: ctx.config.maxBodyBytes,
  }
  let done = 0
  const onPlanned = (count: number) => {
    done += count
    order.progress?.({ done, total: undefined })
  }
  const moving = await planPages(ctx, move, leftLinks, rows, {
    toTarget: ({ path }) => ({ space: to.space.slug, path: movedPath(order, path) }),
    onPlanned,
  })
  const { ended } = redirects
  if (!order.rewrite) return { moving, files, linking: [], left: leftLinks, refusals, opens, ended }
  const editable = await listEditable(ctx, { order, redirects, rows, written: written.all }, leftLinks)
  const plannedPages = await planPages(ctx, move, leftLinks, editable, {
    toTarget: ({ space_slug: space, path }) => ({ space, path }),
    onPlanned,
  })
  return {
    moving,
    files,
    linking: plannedPages.filter(({ rewrite }) => rewrite),
    left: leftLinks,
    refusals,
    opens,
    ended,
  }
}

/** What a move opens: to how many who can read the new space and not the old one, with how much history. */
async function whatOpens(
  { db }: Ctx,
  { from, to }: MoveOrder,
  rows: readonly MovingRow[],
): Promise<MoveOutcome['opens']> {
  if (from.spaceId === to.space.id) return null
  const [outsiders] = await countOutsiders(db, [to.space.id], [from.spaceId])
  if (!outsiders) return null
  const pageIds = rows.map((row) => row.page_id)
  return { people: outsiders.count, ...(await countHistory(db, from.spaceId, pageIds)) }
}

/** The addresses that a move writes into bodies: the new ones of what moves, and those of ended redirects. */
function listWritten(
  order: MoveOrder,
  rows: readonly MovingRow[],
  files: readonly FolderRow[],
  { ended }: Redirects,
): { readonly moved: readonly PlacedAddress[]; readonly all: readonly PlacedAddress[] } {
  const { id: spaceId, slug: space } = order.to.space
  const toMoved = ({ path }: { readonly path: string }) => ({ spaceId, space, path: movedPath(order, path) })
  const moved = rows.map(toMoved)
  return {
    moved,
    all: [...moved, ...files.map(toMoved), ...ended.map(({ to, toSpaceId }) => ({ ...to, spaceId: toSpaceId }))],
  }
}

/**
 * Pages that stay and link to what moves, or by a redirect that ends, if the caller can edit them, and if all who read
 * them can read the places whose addresses are written: they are not told to others. The other pages are added to `left`.
 */
async function listEditable(
  ctx: Ctx,
  {
    order,
    redirects,
    rows,
    written,
  }: {
    readonly order: MoveOrder
    readonly redirects: Redirects
    readonly rows: readonly MovingRow[]
    readonly written: readonly PlacedAddress[]
  },
  leftLinks: LeftLink[],
) {
  const { from } = order
  const linking = await listLinking(ctx.db, toAccessSubject(ctx.actor), {
    addresses: redirects.pageAddresses,
    files: redirects.fileAddresses,
    spaceId: from.spaceId,
    pageIds: rows.map((row) => row.page_id),
  })
  const pages = linking.map(({ space_id: spaceId, space_slug: space, path }) => ({ spaceId, space, path }))
  const hidden = await findHiddenPlaces(ctx.db, pages, written)
  const places = new Map(written.map((address) => [toPlaceKey(hidden, address), address]))
  return linking.filter(({ space_slug: space, path, rank }) => {
    const isHidden = [...places.values()].some((target) => isHiddenFrom(hidden, { space, path }, target))
    if (rank >= EDITOR && !isHidden) return true
    leftLinks.push({ space, path, line: null, href: null, reason: rank < EDITOR ? 'forbidden' : 'hidden' })
    return false
  })
}

async function findFolderRows(ctx: Ctx, { from, file, children }: MoveOrder): Promise<readonly FolderRow[]> {
  if (file) return [file]
  return children ? listFolder(ctx.db, 'file', from) : []
}

async function findProblems(
  ctx: Ctx,
  order: MoveOrder,
  rows: readonly MovingRow[],
  files: readonly FolderRow[],
): Promise<MoveProblem[]> {
  const pagePaths = rows.map(({ path }) => movedPath(order, path))
  const filePaths = files.map(({ path }) => movedPath(order, path))
  const invalid = [
    ...pagePaths.flatMap((path) => invalidPath(path, 'page')),
    ...filePaths.flatMap((path) => invalidPath(path, 'file')),
  ]
  if (invalid.length > 0) return invalid
  const spaceId = order.to.space.id
  const within = order.from.spaceId === spaceId
  const ownPages = new Set(within ? rows.map((row) => row.page_id) : [])
  const ownFiles = new Set(within ? files.map((file) => file.id) : [])
  const takenPages = await listTaken(ctx.db, 'page', { spaceId, paths: pagePaths })
  const takenFiles = await listTaken(ctx.db, 'file', { spaceId, paths: filePaths })
  return [
    ...takenPages.filter((row) => !ownPages.has(row.id)).map(({ path }) => taken(path, 'page')),
    ...takenFiles.filter((row) => !ownFiles.has(row.id)).map(({ path }) => taken(path, 'file')),
  ]
}

function invalidPath(path: string, resource: Resource): MoveProblem[] {
  try {
    parsePagePath(path, resource)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [{ code: 'invalid_path', path, detail: error.message }]
  }
}

function taken(path: string, resource: Resource): MoveProblem {
  return { code: `${resource}_exists`, path, detail: `There is already a ${resource} at \`${path}\`.` }
}
