import { sql } from 'kysely'
import { AppError } from '../errors.ts'
import { type PageAddress, pageUrl } from '../http/page-address.ts'
import { type AddressArgs, pageStatement } from './addressed-page.ts'
import type { Actor, Role } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { accessSubjectOf, memberJoin, rankIn, spaceAddressOf } from './visibility.ts'

/** What is known of an address where no page was found. */
export interface MissingPageReason {
  /** A page came to stand there meanwhile. */
  readonly pageStands: boolean
  /** What to tell a caller who wanted to act as `role`; absent: no more than that there is no page. */
  refusal(role: Role): AppError | undefined
}

interface AbsenceRow {
  readonly page_id: number | null
  /** The page that was deleted here last, or the one that moved away and was deleted where it stood then. */
  readonly deleted_at: Date | null
  readonly deleted_by: Actor | null
  readonly moved_deleted_at: Date | null
  readonly moved_deleted_by: Actor | null
  readonly moved_space: string | null
  readonly moved_path: string | null
}

/** Why no page stands at an address in a space that the caller can read, as far as the caller may know. */
export async function explainMissing(ctx: Ctx, address: PageAddress): Promise<MissingPageReason> {
  const args = { ...accessSubjectOf(ctx.actor), slug: address.space, path: address.path }
  const row = await readAbsence[spaceAddressOf(address.space)].first(ctx.db, args)
  return {
    pageStands: row !== undefined && row.page_id !== null,
    refusal: (role) => row && errorOf(ctx, address, row, role),
  }
}

function errorOf(ctx: Ctx, address: PageAddress, row: AbsenceRow, role: Role): AppError | undefined {
  const { moved_space: space, moved_path: path } = row
  if (space === null || path === null)
    return row.deleted_at ? deleted(address, row.deleted_at, row.deleted_by) : undefined
  if (row.moved_deleted_at) return deleted(address, row.moved_deleted_at, row.moved_deleted_by)
  return movedTo(ctx, address, { space, path }, role)
}

/** The refusal that leads on to where a page stands now. */
export function movedTo(ctx: Ctx, address: PageAddress, { space, path }: PageAddress, role: Role): AppError {
  const detail = `The page \`${address.path}\` has moved to \`${path}\` in the space \`${space}\`.`
  const members = { movedTo: { space, path, url: ctx.publicUrl + pageUrl(space, path) } }
  // A write is not sent on: who writes is to know where.
  return new AppError(role === 'viewer' ? 'page_moved' : 'not_found', detail, { members })
}

function deleted({ path }: PageAddress, at: Date, by: Actor | null): AppError {
  return new AppError('page_deleted', `The page \`${path}\` is in the trash.`, {
    members: { deletedAt: at.toISOString(), deletedBy: by },
  })
}

const actorOf = (alias: string) =>
  sql`(select jsonb_build_object('id', id, 'name', name, 'kind', kind) from principal where id = ${sql.ref(`${alias}.deleted_by`)})`

/** A page that moved to where the caller cannot look is no more than absent. */
const readAbsence = pageStatement<AddressArgs, AbsenceRow>(
  'read_absence',
  (args) => sql`
    select a.page_id, t.deleted_at, ${actorOf('t')} as deleted_by, moved.slug as moved_space, moved.path as moved_path,
      moved.deleted_at as moved_deleted_at, ${actorOf('moved')} as moved_deleted_by
    from space s ${memberJoin(args)}
    left join page_address a on a.space_id = s.id and a.path = ${args.path}
    left join lateral (
      select deleted_at, deleted_by from page t
      where t.space_id = s.id and t.path = ${args.path} and t.deleted_at is not null
      order by t.deleted_at desc, t.version desc limit 1
    ) t on true
    left join lateral (
      select coalesce(s.slug, 'personal') as slug, p.path, p.deleted_at, p.deleted_by
      from page p join space s on s.id = p.space_id ${memberJoin(args)}
      where p.space_id = a.moved_space_id and p.id = a.moved_page_id and ${rankIn(args)} >= 1
    ) moved on true`,
)
