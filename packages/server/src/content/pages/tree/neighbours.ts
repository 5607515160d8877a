import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requirePage } from '../../../access/page.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { type Child, lastChild, readLevel, readTree, type Tree } from './children.ts'
import { readNeighbours } from './store-children.ts'

export interface Neighbour {
  readonly path: string
  readonly title: string
}

export interface Neighbours {
  readonly previous: Neighbour | undefined
  readonly next: Neighbour | undefined
}

/** The pages before and after a page in the order of the tree (depth first). */
export async function findNeighbours(ctx: Ctx, address: PageAddress): Promise<Neighbours> {
  const { spaceId, space, path } = await requirePage(ctx, address, 'viewer')
  const row = await readNeighbours.first(ctx.db, { ...toAccessSubject(ctx.actor), spaceId, path })
  if (row?.has_order !== true) return { previous: row?.previous ?? undefined, next: row?.next ?? undefined }
  const tree = await readTree(ctx, { space, page: path, open: [] })
  const walk = { ctx, space, spaceId, tree }
  const [previous, next] = await Promise.all([before(walk, path), after(walk, path)])
  return { previous, next }
}

/** A walk through the tree: no index has the order of a space with folders that are ordered by hand. */
interface Walk {
  readonly ctx: Ctx
  readonly space: string
  readonly spaceId: number
  /** The folders around the page. */
  readonly tree: Tree
}

async function before(walk: Walk, path: string): Promise<Neighbour | undefined> {
  const { items, folder, at } = findPlace(walk, path)
  const sibling = items[at - 1]
  if (sibling) return findLast(walk, sibling)
  if (folder === '') return undefined
  const above = findPlace(walk, folder)
  return findPage(above.items[above.at]) ?? before(walk, folder)
}

async function after(walk: Walk, path: string): Promise<Neighbour | undefined> {
  const below = walk.tree.levels.get(path)?.items[0]
  return below ? findFirst(walk, below) : afterFolder(walk, path)
}

async function afterFolder(walk: Walk, path: string): Promise<Neighbour | undefined> {
  const { items, folder, at } = findPlace(walk, path)
  const sibling = items[at + 1] ?? (await nextPart(walk, folder))
  if (sibling) return findFirst(walk, sibling)
  return folder === '' ? undefined : afterFolder(walk, folder)
}

function findPlace({ tree }: Walk, path: string) {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
  const items = tree.levels.get(folder)?.items ?? []
  return { folder, items, at: items.findIndex((item) => item.path === path) }
}

/** The first name after the part of a folder that the tree has. */
async function nextPart({ ctx, space, tree }: Walk, folder: string): Promise<Child | undefined> {
  let last = tree.levels.get(folder)?.after
  while (last !== undefined) {
    const level = (await readLevel(ctx, { space, folder, after: last })).levels.get(folder)
    if (level?.items[0]) return level.items[0]
    last = level?.after
  }
  return undefined
}

/** The page, or the first one in a folder without a page. */
async function findFirst(walk: Walk, child: Child): Promise<Neighbour | undefined> {
  const page = findPage(child)
  if (page) return page
  const { ctx, space } = walk
  const level = (await readLevel(ctx, { space, folder: child.path, after: '' })).levels.get(child.path)
  return level?.items[0] && findFirst(walk, level.items[0])
}

/** The last page of all below, or the page itself if there is none. */
async function findLast(walk: Walk, child: Child): Promise<Neighbour | undefined> {
  const last = child.hasChildren ? await lastChild(walk.ctx, walk.spaceId, child.path) : undefined
  return last ? findLast(walk, last) : findPage(child)
}

function findPage(child: Child | undefined): Neighbour | undefined {
  return child?.title === undefined ? undefined : { path: child.path, title: child.title }
}
