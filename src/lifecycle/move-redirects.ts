import { type RedirectingAddress, shareAddresses } from '../bulk/move-map.ts'
import type { Db } from '../database/database.ts'
import type { MovingFile } from '../files/store-move.ts'
import { type MoveOrder, movedPath } from './move-order.ts'
import {
  type FormerRow,
  listFormer,
  listFormerFiles,
  listFormerSlugs,
  listReferredFiles,
  type MovingRow,
} from './store-move.ts'

type MovingPage = MovingRow & { readonly address_id: number }

/** What a move changes about addresses, for those who rewrite links. */
export interface Redirects {
  readonly slugs: readonly (readonly [former: string, slug: string])[]
  readonly addresses: SharedArrayBuffer
  readonly files: SharedArrayBuffer
  /** The addresses by which links reach the moved pages, and those of the moved files. */
  readonly pageAddresses: readonly { readonly space_id: number; readonly address_id: number }[]
  readonly fileAddresses: readonly { readonly space_id: number; readonly path: string }[]
}

/** All addresses by which links reach the moved pages and files: current and former ones. */
export async function redirectsTo(
  db: Db,
  order: MoveOrder,
  { pages, files }: { readonly pages: readonly MovingPage[]; readonly files: readonly MovingFile[] },
): Promise<Redirects> {
  const { spaceId, space } = order.from
  const pagePaths = new Map(pages.map((row) => [row.page_id, row.path]))
  const filePaths = new Map(files.map((row) => [row.file_id, row.path]))
  const formerPages = await listFormer(db, spaceId, [...pagePaths.keys()])
  const formerFiles = await listFormerFiles(db, spaceId, [...filePaths.keys()])
  const current = { space_id: spaceId, space }
  const fromPages = [
    ...pages.map((row) => ({
      ...current,
      path: row.path,
      address_id: row.address_id,
      moved_id: row.page_id,
    })),
    ...formerPages,
  ]
  const fromFiles = [
    ...files.map((row) => ({ ...current, path: row.path, moved_id: row.file_id })),
    ...formerFiles,
  ]
  // A relative link of a moved page may mean a file that stays.
  const staying = await listReferredFiles(db, spaceId, [...pagePaths.keys()])
  const stay = staying.map(({ path }) => ({ space, spaceId, path, to: { space, path } }))
  const slugs = await listFormerSlugs(db, [
    ...new Set([...fromPages, ...fromFiles].map(({ space_id }) => space_id)),
  ])
  return {
    slugs: slugs.map((row) => [row.former, row.slug] as const),
    addresses: shareAddresses(movedAddresses(order, fromPages, pagePaths)),
    // What moves has precedence: it comes last.
    files: shareAddresses([...stay, ...movedAddresses(order, fromFiles, filePaths)]),
    pageAddresses: fromPages,
    fileAddresses: fromFiles,
  }
}

/** Where each address leads after the move; `paths` are those of the moved pages or files before it. */
function movedAddresses(
  order: MoveOrder,
  rows: readonly Omit<FormerRow, 'address_id'>[],
  paths: ReadonlyMap<number, string>,
): RedirectingAddress[] {
  return rows.map((row) => {
    const to = { space: order.to.space.slug, path: movedPath(order, paths.get(row.moved_id) ?? row.path) }
    return { space: row.space, spaceId: row.space_id, path: row.path, to }
  })
}
