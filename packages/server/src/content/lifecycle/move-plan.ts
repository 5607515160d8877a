import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { parsePagePath } from '@recto/contract/page-address.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { toRank } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { Resource } from '../../access/resource.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { listTaken } from '../links/store-addresses.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import type { SharedMoveMap } from '../pages/many/move-map.ts'
import { countHistory, countOutsiders } from '../spaces/store-readers.ts'
import { type MoveOrder, type MoveOutcome, movedPath } from './move-order.ts'
import { type EndedRedirect, type Redirects, redirectsTo } from './move-redirects.ts'
import { type LeftLink, type PlannedPage, planPages } from './plan-pages.ts'
import { type FolderRow, listFolder } from './store-folder.ts'
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
  const move: SharedMoveMap = {
    id: uuid7(),
    slugs: redirects.slugs,
    addresses: redirects.addresses,
    files: redirects.files,
    rewrite: order.rewrite,
    // Their slugs are not written where readers of the new space would learn them.
    hides: [...(opens ? [from.space] : []), ...(await hiddenFrom(ctx, to.space.id, redirects.ended))],
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
  const editable = await listEditable(ctx, { order, redirects, rows }, leftLinks)
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

/** The slugs of the spaces of ended redirects that somebody who reads the new space cannot read. */
async function hiddenFrom({ db }: Ctx, spaceId: number, endedRedirects: readonly EndedRedirect[]): Promise<string[]> {
  const slugs = new Map(endedRedirects.map((row) => [row.toSpaceId, row.to.space]))
  if (slugs.size === 0) return []
  const outsiders = await countOutsiders(db, [spaceId], [...slugs.keys()])
  return outsiders.flatMap(({ otherId }) => slugs.get(otherId) ?? [])
}

/**
 * Pages that stay and link to what moves, or by a redirect that ends, if the caller can edit them, and if all who read
 * them can read the spaces whose slugs are written: they are not told to others. The other pages are added to `left`.
 */
async function listEditable(
  ctx: Ctx,
  { order, redirects, rows }: { order: MoveOrder; redirects: Redirects; rows: readonly MovingRow[] },
  leftLinks: LeftLink[],
) {
  const { from, to } = order
  const linking = await listLinking(ctx.db, toAccessSubject(ctx.actor), {
    addresses: redirects.pageAddresses,
    files: redirects.fileAddresses,
    spaceId: from.spaceId,
    pageIds: rows.map((row) => row.page_id),
  })
  const spaceIds = new Set(linking.map((row) => row.space_id))
  const writtenIds = new Set([to.space.id, ...redirects.ended.map((row) => row.toSpaceId)])
  const outsiders = await countOutsiders(ctx.db, [...spaceIds], [...writtenIds])
  const hiding = new Set(outsiders.map(({ spaceId }) => spaceId))
  return linking.filter(({ space_id, space_slug: space, path, rank }) => {
    const isHidden = hiding.has(space_id)
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
