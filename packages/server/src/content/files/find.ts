import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { AddressArgs } from '../../access/addressed-page.ts'
import type { NeededRole } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireExisting } from '../../access/missing.ts'
import { type DraftedPage, toTag, withDraft } from '../../access/overlay.ts'
import { type CurrentVersion, toCurrent } from '../../access/preconditions.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import { type File, toFile } from './file.ts'
import * as store from './store.ts'
import { usersOfFile } from './users.ts'

/** A file that exists. */
export interface LocatedFile extends store.TargetRow {
  readonly file_id: number
}

/**
 * The file at an address, if the caller has at least `role` in its space; `not_found` if there is none that the
 * caller can see, `forbidden` if the caller sees it but has a lower role. One round trip.
 */
export async function findFile(ctx: Ctx, address: PageAddress, role: NeededRole): Promise<LocatedFile> {
  return requireExistingFile(ctx, address, role, () => readShownFile(ctx, address))
}

/** The row of a file address, as the change request of the context shows it. */
export function readShownFile(ctx: Ctx, { space, path }: PageAddress) {
  const args = addressArgs(ctx, { space, path })
  const read = (at: string) => store.readTarget[toSpaceAddress(space)].first(ctx.db, { ...args, path: at })
  return withDraft<store.TargetRow>(ctx, { space, path }, read, 'file')
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
  const targetFile = await requireExistingFile(ctx, address, 'viewer', (args) =>
    store.readFileVersion[toSpaceAddress(address.space)].first(ctx.db, { ...args, version }),
  )
  return requireVersion(targetFile, version)
}

/** An outer join found the file, but no such version of it. */
function requireVersion<Row extends { readonly version: number }>(foundVersion: Row, version: number | null): Row {
  if ((foundVersion.version as number | null) !== null) return foundVersion
  throw new AppError('not_found', `The file has no version ${version}.`)
}

/** A file with one variant, if that exists. */
export interface LocatedVariant extends store.FileVariantRow, DraftedPage {
  readonly file_id: number
}

/** The same with a variant; without its bytes if the caller has a version in `known`, or `held` is the digest. */
export async function findVariant(
  ctx: Ctx,
  address: PageAddress & { readonly version?: number },
  variant: { readonly name: string; readonly known: readonly number[]; readonly held: Buffer | null },
): Promise<LocatedVariant> {
  const version = address.version ?? null
  const variantRow = await requireExistingFile<store.FileVariantRow & DraftedPage>(ctx, address, 'viewer', (args) => {
    const read = (path: string) =>
      store.readFileVariant[toSpaceAddress(address.space)].first(ctx.db, { ...args, ...variant, path, version })
    return version === null ? withDraft(ctx, address, read, 'file') : read(address.path)
  })
  // The variant that was read is that of the file without its draft.
  const ofFile = typeof toTag(variantRow) === 'string' ? { variant_data: null, variant_failure: null } : {}
  return requireVersion({ ...variantRow, ...ofFile }, version)
}

/** The state of the file against which preconditions are checked; undefined if there is no file. */
export function toCurrentVersion(target: store.TargetRow): CurrentVersion | undefined {
  return target.file_id === null ? undefined : toCurrent(target)
}

/** The arguments of statements about a file address. */
function addressArgs(ctx: Ctx, address: PageAddress): AddressArgs {
  return { ...toAccessSubject(ctx.actor), slug: address.space, path: address.path }
}

/** A row about a file, or the error that says why there is none. */
function requireExistingFile<Row extends store.AddressedFileRow>(
  ctx: Ctx,
  address: PageAddress,
  role: NeededRole,
  read: (args: AddressArgs) => Promise<Row | undefined>,
) {
  return requireExisting(ctx, 'file', () => read(addressArgs(ctx, address)), address, ctx.overlay ? 'viewer' : role)
}

export function fileExists(path: string): AppError {
  return new AppError('file_exists', `A file is at \`${path}\` already: move or delete it first.`)
}
