import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { parsePagePath } from '@recto/contract/page-address.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { reaches } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { Resource } from '../../access/resource.ts'
import type { NeededPlace } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { listTaken } from '../links/store-addresses.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { isHiddenFrom, toPlaceKey } from '../pages/many/hidden-places.ts'
import type { SharedMoveMap } from '../pages/many/move-map.ts'
import { type MoveOrder, type MoveOutcome, movedPath } from './move-order.ts'
import { changeOfReaders, requireMove } from './move-places.ts'
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
  /** What the move shows to those who can read the new places alone, and from whom it takes what they can read. */
  readonly opens: MoveOutcome['opens']
  readonly closes: MoveOutcome['closes']
  readonly ended: readonly EndedRedirect[]
  /** The roles that it needs until it is committed: also where it only rewrites links. */
  readonly needs: readonly NeededPlace[]
}

const NOTHING = { moving: [], files: [], linking: [], left: [], opens: null, closes: null, ended: [], needs: [] }

/** Plans everything that a move does, without writing anything. */
export async function planMove(ctx: PagesCtx, order: MoveOrder): Promise<MovePlan> {
  const { from, to } = order
  const subject = toAccessSubject(ctx.actor)
  const rows = order.file ? [] : await listMoving(ctx.db, subject, { ...from, ...pickPages(order) })
  const files = await findFolderRows(ctx, order)
  const invalid = findInvalid(order, rows, files)
  if (invalid.length > 0) return { ...NOTHING, refusals: invalid }
  const places = await requireMove(ctx, order, { pages: rows, files })
  const refusals = await findTaken(ctx, order, rows, files)
  if (refusals.length > 0) return { ...NOTHING, needs: places.needs, refusals }
  const leftLinks: LeftLink[] = []
  const redirects = await redirectsTo(ctx, order, { pages: rows, files })
  const { opens, closes } = await changeOfReaders(ctx, order, places, { pages: rows, files })
  const addresses = listWritten(order, rows, files, redirects)
  const move: SharedMoveMap = {
    id: uuid7(),
    slugs: redirects.slugs,
    addresses: redirects.addresses,
    files: redirects.files,
    rewrite: order.rewrite,
    hidden: await findHiddenPlaces(ctx.db, addresses.moved, [
      ...addresses.all,
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
  const moving = await planPages(ctx, move, leftLinks, withBodies(order, rows), {
    toTarget: ({ path }) => ({ space: to.space.slug, path: movedPath(order, path) }),
    onPlanned,
  })
  const { ended } = redirects
  const { needs } = places
  const plan = { moving, files, linking: [], left: leftLinks, refusals, opens, closes, ended, needs }
  if (!order.rewrite) return plan
  const editable = await listEditable(ctx, { order, redirects, rows, written: addresses.all }, leftLinks)
  const editedPages = await listEdited(ctx, order)
  const editedIds = new Set(editedPages.map((row) => row.page_id))
  const others = editable.filter((row) => row.space_id !== from.spaceId || !editedIds.has(row.page_id))
  const plannedPages = await planPages(ctx, move, leftLinks, [...editedPages, ...others], {
    toTarget: ({ space_slug: space, path }) => ({ space, path }),
    onPlanned,
  })
  return { ...plan, linking: plannedPages.filter(({ rewrite }) => rewrite) }
}

export function pickPages({ children, paths }: MoveOrder) {
  return { children, paths }
}

/** Pages that stay and get a body with the move. */
async function listEdited(ctx: Ctx, order: MoveOrder): Promise<readonly MovingRow[]> {
  const { from, paths, bodies } = order
  const stayingBodies = new Map([...(bodies ?? [])].filter(([path]) => !paths?.has(path)))
  if (stayingBodies.size === 0) return []
  const rows = await listMoving(ctx.db, toAccessSubject(ctx.actor), { ...from, children: false, paths: stayingBodies })
  return withBodies(order, rows)
}

function withBodies({ bodies }: Pick<MoveOrder, 'bodies'>, rows: readonly MovingRow[]): readonly MovingRow[] {
  return bodies ? rows.map((row) => ({ ...row, newBody: bodies.get(row.path) })) : rows
}

function isWithin({ from, to }: MoveOrder): boolean {
  return from.spaceId === to.space.id
}

/** The addresses that a move writes into bodies: the new ones of what moves, and those of ended redirects. */
function listWritten(
  order: MoveOrder,
  rows: readonly MovingRow[],
  files: readonly FolderRow[],
  { ended }: Redirects,
): { readonly moved: readonly PlacedAddress[]; readonly all: readonly PlacedAddress[] } {
  const { id: spaceId, slug: space } = order.to.space
  const toMoved = (resource: Resource, items: readonly { readonly path: string }[]) =>
    items.map(({ path }) => ({ spaceId, space, path: movedPath(order, path, resource) }))
  const movedAddresses = toMoved('page', rows)
  return {
    moved: movedAddresses,
    all: [
      ...movedAddresses,
      ...toMoved('file', files),
      ...ended.map(({ to, toSpaceId }) => ({ ...to, spaceId: toSpaceId })),
    ],
  }
}

/**
 * Pages that stay and link to what moves, or by a redirect that ends, if the caller can edit them, and if all who read
 * them can read the places whose addresses are written: they are not told to others. The other pages are added to
 * `left`.
 */
async function listEditable(
  ctx: Ctx,
  plan: {
    readonly order: MoveOrder
    readonly redirects: Redirects
    readonly rows: readonly MovingRow[]
    readonly written: readonly PlacedAddress[]
  },
  leftLinks: LeftLink[],
) {
  const { order, redirects, rows, written } = plan
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
  return linking.filter(({ space_id: spaceId, space_slug: space, path, rank }) => {
    const isHidden = [...places.values()].some((target) => isHiddenFrom(hidden, { space, path }, target))
    // A merge writes in its own space alone: there it has been reviewed.
    const mayWrite = reaches(rank, 'editor') && (!ctx.actor.merges || spaceId === from.spaceId)
    if (mayWrite && !isHidden) return true
    const forbidden = reaches(rank, 'organizer') ? 'review_required' : 'forbidden'
    leftLinks.push({ space, path, line: null, href: null, reason: mayWrite ? 'hidden' : forbidden })
    return false
  })
}

async function findFolderRows(ctx: Ctx, { from, file, files, children }: MoveOrder): Promise<readonly FolderRow[]> {
  if (file) return [file]
  if (files) return [...files.values()]
  return children ? listFolder(ctx.db, toAccessSubject(ctx.actor), 'file', from) : []
}

function findInvalid(order: MoveOrder, rows: readonly MovingRow[], files: readonly FolderRow[]): MoveProblem[] {
  return [
    ...rows.flatMap(({ path }) => invalidPath(movedPath(order, path), 'page')),
    ...files.flatMap(({ path }) => invalidPath(movedPath(order, path, 'file'), 'file')),
  ]
}

async function findTaken(
  ctx: Ctx,
  order: MoveOrder,
  rows: readonly MovingRow[],
  files: readonly FolderRow[],
): Promise<MoveProblem[]> {
  const spaceId = order.to.space.id
  const ownPages = new Set(isWithin(order) ? rows.map((row) => row.page_id) : [])
  const ownFiles = new Set(isWithin(order) ? files.map((file) => file.id) : [])
  const pagePaths = rows.map(({ path }) => movedPath(order, path))
  const filePaths = files.map(({ path }) => movedPath(order, path, 'file'))
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
