import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import { sql } from 'kysely'
import { read } from '../platform/database/database.ts'
import { type AddressArgs, type AddressedSpace, pageStatement } from './addressed-page.ts'
import { type Actor, type NeededRole, type Rank, requireRank } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { forBoth, type Resource } from './resource.ts'
import {
  type AccessSubject,
  isVisible,
  memberJoin,
  rankAt,
  rankIn,
  ruleJoin,
  toAccessSubject,
  toSpaceAddress,
} from './visibility.ts'

interface MissingRow {
  readonly rank: Rank
  /** The page or file that is at the address now. */
  readonly id: number | null
  /** The deletion of what moved away, else of what was deleted here last. */
  readonly deleted_at: Date | null
  readonly deleted_by: Actor | null
  /** The current address of what moved away. */
  readonly moved_space: string | null
  readonly moved_path: string | null
}

const MAX_READS = 5

/**
 * The row that `read` finds: `not_found` if there is none that the caller can see, `forbidden` if the caller sees it
 * but has a lower role. Two more errors are for paths that a page or file has left: `page_deleted` or `file_deleted`
 * while it is in the trash, and for readers `page_moved` or `file_moved`. Only those cost a second round trip.
 */
export async function requireExisting<K extends Resource, R extends AddressedSpace & IdColumn<K, number | null>>(
  ctx: Ctx,
  resource: K,
  read: () => Promise<R | undefined>,
  address: PageAddress,
  role: NeededRole,
): Promise<R & IdColumn<K, number>> {
  for (let attempt = 1; ; attempt++) {
    const row = await read()
    if (!row) throw (await renamed(ctx, resource, address, role)) ?? nothingThere(resource, address)
    if (row.rank < 1) throw nothingThere(resource, address)
    if (exists(resource, row)) return requireRank(row, address.space, role)
    const missing = row.last_version ? await explainMissing(ctx, resource, address) : undefined
    // One was created here meanwhile: read it.
    if (missing?.exists && attempt < MAX_READS) continue
    throw missing?.errorFor(role) ?? nothingThere(resource, address)
  }
}

/** The column of a row that has the id of a page or file. */
type IdColumn<K extends Resource, Id> = { readonly [Column in `${K}_id`]: Id }

function exists<K extends Resource, R extends IdColumn<K, number | null>>(
  resource: K,
  row: R,
): row is R & IdColumn<K, number> {
  return row[`${resource}_id`] !== null
}

/** For a former slug of the space: the error that names the current address, or why nothing is there. */
async function renamed(
  ctx: Ctx,
  resource: Resource,
  address: PageAddress,
  role: NeededRole,
): Promise<AppError | undefined> {
  const space = await findRenamed(ctx, address.space)
  if (space === undefined) return undefined
  const now = { space, path: address.path }
  const missing = await explainMissing(ctx, resource, now)
  return missing.exists ? movedError(ctx, resource, address, now, role) : missing.errorFor(role)
}

/** The same error for what is missing and for what is in a space that the caller cannot see. */
function nothingThere(resource: Resource, { space, path }: PageAddress): AppError {
  return new AppError('not_found', `There is no ${resource} \`${path}\` in a space \`${space}\` that you can see.`)
}

/** Why there is no page or file at a path of a readable space, as far as the caller may know. */
async function explainMissing(ctx: Ctx, resource: Resource, address: PageAddress) {
  const args = { ...toAccessSubject(ctx.actor), slug: address.space, path: address.path }
  const addressRow = await readMissing[resource][toSpaceAddress(address.space)].first(ctx.db, args)
  const row = addressRow && addressRow.rank >= 1 ? addressRow : undefined
  return {
    /** One was created there meanwhile. */
    exists: row !== undefined && row.id !== null,
    /** The error for a caller that needs `role`; undefined: a plain `not_found`. */
    errorFor: (role: NeededRole) => row && toMissingError(ctx, resource, address, row, role),
  }
}

/** The error that names where a page or file has moved to from an address of a space that the caller can read. */
export async function findMovedTo(ctx: Ctx, resource: Resource, address: PageAddress): Promise<AppError | undefined> {
  const error = (await explainMissing(ctx, resource, address)).errorFor('viewer')
  return error?.code === `${resource}_moved` ? error : undefined
}

function toMissingError(
  ctx: Ctx,
  resource: Resource,
  address: PageAddress,
  row: MissingRow,
  role: NeededRole,
): AppError | undefined {
  const { moved_space: space, moved_path: path, deleted_at: at, deleted_by: deletedBy } = row
  if (space !== null && path !== null) return movedError(ctx, resource, address, { space, path }, role)
  if (!at) return undefined
  return new AppError(`${resource}_deleted`, `The ${resource} \`${address.path}\` is in the trash.`, {
    members: { deletedAt: at.toISOString(), deletedBy },
  })
}

/** The error that names the new path of what has moved; readers are redirected by it. */
function movedError(
  ctx: Ctx,
  resource: Resource,
  address: PageAddress,
  { space, path }: PageAddress,
  role: NeededRole,
): AppError {
  const detail = `The ${resource} \`${address.path}\` has moved to \`${path}\` in the space \`${space}\`.`
  const toUrl = resource === 'page' ? pageUrl : fileUrl
  const members = { movedTo: { space, path, url: ctx.config.publicUrl + toUrl(space, path) } }
  // Writes are not redirected: the client must choose the new path itself.
  return new AppError(role === 'viewer' ? `${resource}_moved` : 'not_found', detail, { members })
}

/** What moved to a space that the caller cannot read counts as missing. */
const readMissing = forBoth((resource, { rows, addresses, id, movedId }) =>
  pageStatement<AddressArgs, MissingRow>(
    `read_missing_${resource}`,
    (args) => sql`
      select ${rankAt(args)} as rank, address.${id} as id, coalesce(moved.deleted_at, trashed.deleted_at) as deleted_at,
        (select jsonb_build_object('id', id, 'name', name, 'kind', kind) from principal
          where id = coalesce(moved.deleted_by, trashed.deleted_by)) as deleted_by,
        case when moved.deleted_at is null then moved.slug end as moved_space, moved.path as moved_path
      from space ${memberJoin(args)} ${ruleJoin(args, args.path)}
      left join ${addresses} address on address.space_id = space.id and address.path = ${args.path}
      left join lateral (
        select deleted_at, deleted_by from ${rows} trashed
        where trashed.space_id = space.id and trashed.path = ${args.path} and trashed.deleted_at is not null
        order by trashed.deleted_at desc, trashed.version desc limit 1
      ) trashed on true
      left join lateral (
        select coalesce(space.slug, 'personal') as slug, item.path, item.deleted_at, item.deleted_by
        from ${rows} item join space on space.id = item.space_id ${memberJoin(args)}
        where item.space_id = address.moved_space_id and item.id = address.${movedId} and ${rankIn(args)} >= 1
          and ${isVisible(args, 'item.space_id', 'item.path')}
      ) moved on true`,
  ),
)

/** Writes are not redirected to where something has moved: the client must choose the new address itself. */
export function withoutRedirect(error: unknown): never {
  const isMoved = error instanceof AppError && ['page_moved', 'file_moved', 'space_renamed'].includes(error.code)
  throw isMoved ? new AppError('not_found', error.message, error.extras) : error
}

/** The current slug of the space that once had this one, if the caller can read it. */
export async function findRenamed(ctx: Ctx, slug: string): Promise<string | undefined> {
  const row = await readFormer.first(ctx.db, { ...toAccessSubject(ctx.actor), slug })
  return row?.slug
}

/** The error for a caller who named a space by an unknown slug; absent: a plain `not_found`. */
export async function renamedSpace(ctx: Ctx, slug: string, role: NeededRole): Promise<AppError | undefined> {
  const now = await findRenamed(ctx, slug)
  if (now === undefined) return undefined
  const detail = `The space \`${slug}\` has the slug \`${now}\` now.`
  // A write is not redirected: the client must know the new slug.
  return new AppError(role === 'viewer' ? 'space_renamed' : 'not_found', detail, {
    members: { formerSlug: slug, slug: now },
  })
}

const readFormer = read(
  'read_former_slug',
  (args: AccessSubject & { slug: string }) => sql<{ slug: string }>`
    select space.slug from former_slug former join space on space.id = former.space_id ${memberJoin(args)}
    where former.slug = ${args.slug} and ${rankIn(args)} >= 1`,
)
