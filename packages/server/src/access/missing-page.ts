import { sql } from 'kysely'
import { AppError } from '../../../contract/src/errors.ts'
import { type PageAddress, pageUrl } from '../../../contract/src/page-address.ts'
import { type AddressArgs, pageStatement } from './addressed-page.ts'
import type { Actor, Role } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { memberJoin, rankIn, toAccessSubject, toSpaceAddress } from './visibility.ts'

interface MissingRow {
  readonly page_id: number | null
  /** Of the page that was deleted here last. `moved_*`: of the page that moved away. */
  readonly deleted_at: Date | null
  readonly deleted_by: Actor | null
  readonly moved_deleted_at: Date | null
  readonly moved_deleted_by: Actor | null
  readonly moved_space: string | null
  readonly moved_path: string | null
}

/** Why there is no page at a path of a readable space, as far as the caller may know. */
export async function explainMissing(ctx: Ctx, address: PageAddress) {
  const args = { ...toAccessSubject(ctx.actor), slug: address.space, path: address.path }
  const row = await readMissing[toSpaceAddress(address.space)].first(ctx.db, args)
  return {
    /** A page was created there meanwhile. */
    pageExists: row !== undefined && row.page_id !== null,
    /** The error for a caller that needs `role`; undefined: a plain `not_found`. */
    errorFor: (role: Role) => row && toMissingError(ctx, address, row, role),
  }
}

function toMissingError(ctx: Ctx, address: PageAddress, row: MissingRow, role: Role): AppError | undefined {
  const { moved_space: space, moved_path: path } = row
  if (space === null || path === null)
    return row.deleted_at ? deleted(address, row.deleted_at, row.deleted_by) : undefined
  if (row.moved_deleted_at) return deleted(address, row.moved_deleted_at, row.moved_deleted_by)
  return movedError(ctx, address, { space, path }, role)
}

/** The error that names the new path of a page that has moved; readers are redirected by it. */
export function movedError(
  ctx: Ctx,
  address: PageAddress,
  { space, path }: PageAddress,
  role: Role,
): AppError {
  const detail = `The page \`${address.path}\` has moved to \`${path}\` in the space \`${space}\`.`
  const members = { movedTo: { space, path, url: ctx.config.publicUrl + pageUrl(space, path) } }
  // Writes are not redirected: the client must choose the new path itself.
  return new AppError(role === 'viewer' ? 'page_moved' : 'not_found', detail, { members })
}

function deleted({ path }: PageAddress, at: Date, by: Actor | null): AppError {
  return new AppError('page_deleted', `The page \`${path}\` is in the trash.`, {
    members: { deletedAt: at.toISOString(), deletedBy: by },
  })
}

const selectActor = (alias: string) =>
  sql`(select jsonb_build_object('id', id, 'name', name, 'kind', kind) from principal where id = ${sql.ref(`${alias}.deleted_by`)})`

/** A page that moved to a space that the caller cannot read counts as missing. */
const readMissing = pageStatement<AddressArgs, MissingRow>(
  'read_missing_page',
  (args) => sql`
    select address.page_id, trashed.deleted_at, ${selectActor('trashed')} as deleted_by, moved.slug as moved_space, moved.path as moved_path,
      moved.deleted_at as moved_deleted_at, ${selectActor('moved')} as moved_deleted_by
    from space ${memberJoin(args)}
    left join page_address address on address.space_id = space.id and address.path = ${args.path}
    left join lateral (
      select deleted_at, deleted_by from page trashed
      where trashed.space_id = space.id and trashed.path = ${args.path} and trashed.deleted_at is not null
      order by trashed.deleted_at desc, trashed.version desc limit 1
    ) trashed on true
    left join lateral (
      select coalesce(space.slug, 'personal') as slug, page.path, page.deleted_at, page.deleted_by
      from page join space on space.id = page.space_id ${memberJoin(args)}
      where page.space_id = address.moved_space_id and page.id = address.moved_page_id and ${rankIn(args)} >= 1
    ) moved on true`,
)
