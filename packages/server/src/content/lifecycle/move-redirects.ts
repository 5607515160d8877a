import type { Ctx } from '../../access/ctx.ts'
import type { Resource } from '../../access/resource.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { listRedirects, type RedirectRow } from '../links/store-addresses.ts'
import { type RedirectingAddress, shareAddresses } from '../pages/many/move-map.ts'
import { type MoveOrder, movedPath } from './move-order.ts'
import type { FolderRow } from './store-folder.ts'
import { type FormerRow, listFormer, listFormerSlugs, listReferredFiles, type MovingRow } from './store-move.ts'

type MovingPage = MovingRow & { readonly address_id: number }

interface Place {
  readonly id: number
  readonly path: string
  /** Of a page. */
  readonly address_id?: number
}

/** What a move changes about addresses, for those who rewrite links. */
export interface Redirects {
  readonly slugs: readonly (readonly [former: string, slug: string])[]
  readonly addresses: SharedArrayBuffer
  readonly files: SharedArrayBuffer
  /** The addresses by which links reach the moved pages, and those of the moved files. */
  readonly pageAddresses: readonly { readonly space_id: number; readonly address_id: number }[]
  readonly fileAddresses: readonly { readonly space_id: number; readonly path: string }[]
  /** Redirects that end, because something moves to their address: links by them get the address they led to. */
  readonly ended: readonly EndedRedirect[]
}

export interface EndedRedirect extends RedirectingAddress {
  readonly toSpaceId: number
}

/** All addresses by which links reach what moves, current and former ones, and those that no longer redirect. */
export async function redirectsTo(
  { db, actor }: Ctx,
  order: MoveOrder,
  { pages, files }: { readonly pages: readonly MovingPage[]; readonly files: readonly FolderRow[] },
): Promise<Redirects> {
  const { spaceId, space } = order.from
  const pageRows = pages.map((row) => ({ id: row.page_id, path: row.path, address_id: row.address_id }))
  const pagePaths = new Map(pageRows.map((row) => [row.id, row.path]))
  const filePaths = new Map(files.map((row) => [row.id, row.path]))
  const reaching = async (resource: Resource, rows: readonly Place[]): Promise<FormerRow[]> => [
    ...rows.map(({ id, path, address_id = 0 }) => ({ space_id: spaceId, space, path, address_id, moved_id: id })),
    ...(await listFormer(db, resource, { spaceId, ids: rows.map(({ id }) => id) })),
  ]
  const fromPages = await reaching('page', pageRows)
  const fromFiles = await reaching('file', files)
  // A relative link of a moved page may mean a file that stays.
  const staying = await listReferredFiles(db, spaceId, [...pagePaths.keys()])
  const stay = staying.map(({ path }) => ({ space, spaceId, path, to: { space, path } }))
  const subject = toAccessSubject(actor)
  const endedPages = await endedBy(order, 'page', pagePaths, (at) => listRedirects(db, subject, 'page', at))
  const endedFiles = await endedBy(order, 'file', filePaths, (at) => listRedirects(db, subject, 'file', at))
  const endedRedirects = [...endedPages, ...endedFiles]
  const slugs = await listFormerSlugs(db, [
    ...new Set([
      ...[...fromPages, ...fromFiles].map(({ space_id }) => space_id),
      ...endedRedirects.map((row) => row.spaceId),
    ]),
  ])
  return {
    slugs: slugs.map((row) => [row.former, row.slug] as const),
    addresses: shareAddresses([...endedPages, ...movedAddresses(order, 'page', fromPages, pagePaths)]),
    // What moves has precedence: it comes last.
    files: shareAddresses([...stay, ...endedFiles, ...movedAddresses(order, 'file', fromFiles, filePaths)]),
    pageAddresses: [...fromPages, ...endedPages.map((row) => ({ space_id: row.spaceId, address_id: row.addressId }))],
    fileAddresses: [...fromFiles, ...endedFiles.map((row) => ({ space_id: row.spaceId, path: row.path }))],
    ended: endedRedirects,
  }
}

/** The redirects at the new addresses, except those to what moves itself. */
async function endedBy(
  order: MoveOrder,
  resource: Resource,
  moving: ReadonlyMap<number, string>,
  list: (at: { readonly spaceId: number; readonly paths: readonly string[] }) => Promise<RedirectRow[]>,
) {
  const { id: spaceId, slug: space } = order.to.space
  const rows = await list({ spaceId, paths: [...moving.values()].map((path) => movedPath(order, path, resource)) })
  return rows
    .filter((row) => row.moved_space_id !== order.from.spaceId || !moving.has(row.moved_id))
    .map((row) => ({
      space,
      spaceId,
      path: row.path,
      addressId: row.address_id,
      to: { space: row.to_space, path: row.to_path },
      toSpaceId: row.moved_space_id,
    }))
}

/** Where each address leads after the move; `paths` are those of the moved pages or files before it. */
function movedAddresses(
  order: MoveOrder,
  resource: Resource,
  rows: readonly FormerRow[],
  paths: ReadonlyMap<number, string>,
): RedirectingAddress[] {
  return rows.map((row) => {
    const to = { space: order.to.space.slug, path: movedPath(order, paths.get(row.moved_id) ?? row.path, resource) }
    return { space: row.space, spaceId: row.space_id, path: row.path, to }
  })
}
