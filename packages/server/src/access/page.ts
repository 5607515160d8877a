import { sql } from 'kysely'
import { AppError } from '../../../contract/src/errors.ts'
import type { PageAddress } from '../../../contract/src/page-address.ts'
import {
  type AddressArgs,
  type AddressedRow,
  addressedColumns,
  addressedPage,
  pageStatement,
} from './addressed-page.ts'
import type { Rank, Role } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { findRenamed } from './former-slug.ts'
import { explainMissing, movedError } from './missing-page.ts'
import { requireRank } from './space.ts'
import { toAccessSubject, toSpaceAddress } from './visibility.ts'

/** A page as the caller sees it, without its body. */
export interface PageAccess {
  readonly id: number
  readonly spaceId: number
  /** `personal` for the caller's own. */
  readonly space: string
  readonly spaceName: string
  readonly spaceKind: 'shared' | 'personal'
  readonly rank: Rank
  readonly path: string
  readonly title: string
  readonly version: number
}

const MAX_READS = 5

/**
 * The page at an address, if the caller has at least `role` in its space; `not_found` if there is none that the
 * caller can see, `forbidden` if the caller sees it but has a lower role. One round trip.
 */
export async function requirePage(ctx: Ctx, address: PageAddress, role: Role): Promise<PageAccess> {
  const args = { ...toAccessSubject(ctx.actor), slug: address.space, path: address.path }
  const read = () => readPageAccess[toSpaceAddress(address.space)].first(ctx.db, args)
  return toPageAccess(await requireExistingPage(ctx, read, address, role), address)
}

/** A page in a row of `requireExistingPage`. */
export function toPageAccess(
  row: PageAccessRow & { readonly page_id: number },
  address: PageAddress,
): PageAccess {
  return {
    id: row.page_id,
    spaceId: row.space_id,
    space: row.space_slug,
    spaceName: row.space_name,
    spaceKind: row.space_kind,
    rank: row.rank,
    path: address.path,
    title: row.title,
    version: row.version,
  }
}

/** The page at an address if the caller can read one there now. One round trip. */
export async function findReadablePage(ctx: Ctx, { space, path }: PageAddress) {
  const row = await readPageAccess[toSpaceAddress(space)].first(ctx.db, {
    ...toAccessSubject(ctx.actor),
    slug: space,
    path,
  })
  return row && row.rank >= 1 && row.page_id !== null ? { path } : undefined
}

/**
 * The row that `read` finds, with the same errors and two more for paths that a page has left: `page_deleted` while
 * it is in the trash, and for readers `page_moved` when it has moved. Only those cost a second round trip.
 */
export async function requireExistingPage<R extends AddressedRow>(
  ctx: Ctx,
  read: () => Promise<R | undefined>,
  address: PageAddress,
  role: Role,
): Promise<R & { readonly page_id: number }> {
  for (let attempt = 1; ; attempt++) {
    const row = await read()
    if (!row) throw (await renamed(ctx, address, role)) ?? noSuchPage(address)
    if (row.rank < 1) throw noSuchPage(address)
    if (hasPage(row)) return requireRank(row, address.space, role)
    const missing = row.last_version ? await explainMissing(ctx, address) : undefined
    // A page was created here meanwhile: read it.
    if (missing?.pageExists && attempt < MAX_READS) continue
    throw missing?.errorFor(role) ?? noSuchPage(address)
  }
}

function hasPage<R extends AddressedRow>(row: R): row is R & { readonly page_id: number } {
  return row.page_id !== null
}

/** For a former slug of the space: the error that names the current address of the page, or why it is missing. */
async function renamed(ctx: Ctx, address: PageAddress, role: Role): Promise<AppError | undefined> {
  const space = await findRenamed(ctx, address.space)
  if (space === undefined) return undefined
  const now = { space, path: address.path }
  const missing = await explainMissing(ctx, now)
  return missing.pageExists ? movedError(ctx, address, now, role) : missing.errorFor(role)
}

/** The page at an address, as `toPageAccess` needs it. */
export interface PageAccessRow extends AddressedRow {
  readonly title: string
  readonly version: number
}

const readPageAccess = pageStatement<AddressArgs, PageAccessRow>(
  'read_page_access',
  (args) => sql`select ${addressedColumns(args)}, page.title, page.version ${addressedPage(args)}`,
)

/** The same error for a missing page and for one in a space that the caller cannot see. */
function noSuchPage({ space, path }: PageAddress): AppError {
  return new AppError('not_found', `There is no page \`${path}\` in a space \`${space}\` that you can see.`)
}
