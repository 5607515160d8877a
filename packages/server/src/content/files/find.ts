import { AppError } from '../../../../contract/src/errors.ts'
import { fileUrl, type PageAddress } from '../../../../contract/src/page-address.ts'
import type { AddressArgs } from '../../access/addressed-page.ts'
import type { Role } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { findRenamed } from '../../access/former-slug.ts'
import { type CurrentVersion, toCurrent } from '../../access/preconditions.ts'
import { requireRank } from '../../access/space.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import { type File, toFile } from './file.ts'
import {
  type AddressedFileRow,
  type FileVariantRow,
  readFileVariant,
  readFileVersion,
  readMissingFile,
  readTarget,
  type TargetRow,
} from './store.ts'
import { usersOfFile } from './users.ts'

/** A file that exists. */
export interface LocatedFile extends TargetRow {
  readonly file_id: number
}

const MAX_READS = 5

/**
 * The file at an address, if the caller has at least `role` in its space; `not_found` if there is none that the
 * caller can see, `forbidden` if the caller sees it but has a lower role. One round trip.
 */
export async function findFile(ctx: Ctx, address: PageAddress, role: Role): Promise<LocatedFile> {
  return requireExistingFile(ctx, address, role, (args) =>
    readTarget[toSpaceAddress(address.space)].first(ctx.db, args),
  )
}

/** The latest version of a file, for its readers. */
export async function readFile(ctx: Ctx, address: PageAddress): Promise<File> {
  const file = await findFile(ctx, address, 'viewer')
  const usedBy = await usersOfFile(ctx, file.space_id, file.file_id)
  return toFile(file, file.space_slug, ctx.config.publicUrl, usedBy)
}

/** The same with one version of the file; absent: the latest. */
export async function findVersion(
  ctx: Ctx,
  address: PageAddress & { readonly version?: number },
): Promise<LocatedFile> {
  const { version } = address
  if (version === undefined) return findFile(ctx, address, 'viewer')
  const found = await requireExistingFile(ctx, address, 'viewer', (args) =>
    readFileVersion[toSpaceAddress(address.space)].first(ctx.db, { ...args, version }),
  )
  return requireVersion(found, version)
}

/** An outer join found the file, but no such version of it. */
function requireVersion<Row extends { readonly version: number }>(found: Row, version: number | null): Row {
  if ((found.version as number | null) !== null) return found
  throw new AppError('not_found', `The file has no version ${version}.`)
}

/** A file with one variant, if that exists. */
export interface LocatedVariant extends FileVariantRow {
  readonly file_id: number
}

/**
 * The same with a variant; without its bytes if `known`, the versions that the caller has, contains it, or if `held` is the digest of
 * the image.
 */
export async function findVariant(
  ctx: Ctx,
  address: PageAddress & { readonly version?: number },
  variant: { readonly name: string; readonly known: readonly number[]; readonly held: Buffer | null },
): Promise<LocatedVariant> {
  const version = address.version ?? null
  const found = await requireExistingFile(ctx, address, 'viewer', (args) =>
    readFileVariant[toSpaceAddress(address.space)].first(ctx.db, { ...args, ...variant, version }),
  )
  return requireVersion(found, version)
}

/** The state of the file against which preconditions are checked; undefined if there is no file. */
export function toCurrentVersion(target: TargetRow): CurrentVersion | undefined {
  return target.file_id === null ? undefined : toCurrent(target)
}

/** The arguments of statements about a file address. */
export function addressArgs(ctx: Ctx, address: PageAddress): AddressArgs {
  return { ...toAccessSubject(ctx.actor), slug: address.space, path: address.path }
}

/** Two more errors than for spaces: `file_deleted` for a path whose file is in the trash, and for readers `file_moved`. */
async function requireExistingFile<Row extends AddressedFileRow>(
  ctx: Ctx,
  address: PageAddress,
  role: Role,
  read: (args: AddressArgs) => Promise<Row | undefined>,
): Promise<Row & { readonly file_id: number }> {
  for (let attempt = 1; ; attempt++) {
    const row = await read(addressArgs(ctx, address))
    if (!row) throw (await renamed(ctx, address, role)) ?? noSuchFile(address)
    if (row.rank < 1) throw noSuchFile(address)
    if (row.file_id !== null) return { ...requireRank(row, address.space, role), file_id: row.file_id }
    const missing = row.last_version ? await explainMissing(ctx, address, role) : undefined
    // A file was created here meanwhile: read it.
    if (missing === 'exists' && attempt < MAX_READS) continue
    throw missing instanceof AppError ? missing : noSuchFile(address)
  }
}

/** For a former slug of the space: the error that names the current address of the file, or why it is missing. */
async function renamed(ctx: Ctx, address: PageAddress, role: Role): Promise<AppError | undefined> {
  const space = await findRenamed(ctx, address.space)
  if (space === undefined) return undefined
  const now = { space, path: address.path }
  const missing = await explainMissing(ctx, now, role)
  return missing === 'exists' ? movedError(ctx, address, now, role) : missing
}

/** The error that names where a file has moved to from an address of a space that the caller can read. */
export async function findMovedTo(ctx: Ctx, address: PageAddress): Promise<AppError | undefined> {
  const missing = await explainMissing(ctx, address, 'viewer')
  return missing instanceof AppError && missing.code === 'file_moved' ? missing : undefined
}

/** Why there is no file at a path of a space that the caller can read, as far as the caller may know. */
async function explainMissing(
  ctx: Ctx,
  address: PageAddress,
  role: Role,
): Promise<AppError | 'exists' | undefined> {
  const row = await readMissingFile[toSpaceAddress(address.space)].first(ctx.db, addressArgs(ctx, address))
  if (!row) return undefined
  if (row.file_id !== null) return 'exists'
  const { moved_space: space, moved_path: path } = row
  if (space !== null && path !== null) return movedError(ctx, address, { space, path }, role)
  if (!row.deleted_at) return undefined
  return new AppError('file_deleted', `The file \`${address.path}\` is in the trash.`, {
    members: { deletedAt: row.deleted_at.toISOString(), deletedBy: row.deleted_by },
  })
}

/** The error that names the new path of a file that has moved; readers are redirected by it. */
function movedError(ctx: Ctx, address: PageAddress, { space, path }: PageAddress, role: Role): AppError {
  const detail = `The file \`${address.path}\` has moved to \`${path}\` in the space \`${space}\`.`
  const members = { movedTo: { space, path, url: ctx.config.publicUrl + fileUrl(space, path) } }
  // Writes are not redirected: the client must choose the new path itself.
  return new AppError(role === 'viewer' ? 'file_moved' : 'not_found', detail, { members })
}

/** The same error for a missing file and for one in a space that the caller cannot see. */
function noSuchFile({ space, path }: PageAddress): AppError {
  return new AppError('not_found', `There is no file \`${path}\` in a space \`${space}\` that you can see.`)
}
