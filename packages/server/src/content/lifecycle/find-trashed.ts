import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { requireRank } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { Resource } from '../../access/resource.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import { fileExists, readShownFile } from '../files/find.ts'
import { readShownPage } from '../pages/find.ts'
import { readTrashed, type TrashedFileRow, type TrashedPageRow } from './store-restore.ts'

interface TrashedRows {
  readonly page: TrashedPageRow
  readonly file: TrashedFileRow
}

/** A deleted page or file. */
export type Trashed = { readonly [K in Resource]: TrashedRows[K] & { readonly id: number } }

/** Where a page or file was deleted last, or in this version. */
export type TrashedAddress = PageAddress & { readonly trashedVersion?: number | null }

/** What is in the trash of an address; its `id` is null if nothing is. */
export function readTrashedAt<K extends Resource>(
  ctx: Ctx,
  resource: K,
  { space: slug, path, trashedVersion = null }: TrashedAddress,
): Promise<TrashedRows[K] | undefined> {
  const args = { ...toAccessSubject(ctx.actor), slug, path, trashedVersion }
  const statement = readTrashed[resource][toSpaceAddress(slug)]
  return statement.first(ctx.db, args) as Promise<TrashedRows[K] | undefined> // of this resource
}

/** What an editor can restore at an address, or a reader in the change request of the context. */
export async function findTrashed<K extends Resource>(
  ctx: Ctx,
  resource: K,
  address: TrashedAddress,
): Promise<Trashed[K]> {
  const { space, path } = address
  const trashedRow = await readTrashedAt(ctx, resource, address)
  const row = requireRank(trashedRow, space, ctx.overlay ? 'viewer' : 'editor', path)
  if (await isOccupied(ctx, resource, address, row)) throw resource === 'page' ? pageExists(path) : fileExists(path)
  if (row.id !== null) return row as Trashed[K] // its id is not null
  const what = resource === 'page' ? `page of \`${path}\`` : `file that was at \`${path}\``
  throw new AppError('not_found', `No ${what} is in the trash.`)
}

async function isOccupied(ctx: Ctx, resource: Resource, address: PageAddress, row: TrashedRows[Resource]) {
  if (!ctx.overlay) return row.current_id !== null
  if (resource === 'page') return ((await readShownPage(ctx, address))?.page_id ?? null) !== null
  return ((await readShownFile(ctx, address))?.file_id ?? null) !== null
}

function pageExists(path: string): AppError {
  return new AppError('page_exists', `There is a page at \`${path}\`: move or delete it first.`)
}
