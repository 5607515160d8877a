import { type RawBuilder, sql } from 'kysely'
import { statement } from '../database/statement.ts'
import { AppError } from '../errors.ts'
import type { PageAddress } from '../http/page-address.ts'
import type { Rank, Role } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { requireRank } from './space.ts'
import {
  addressed,
  addressOf,
  memberJoin,
  rankIn,
  type Sight,
  type SpaceAddress,
  sightOf,
} from './visibility.ts'

/** A page as the caller sees it, without its body. */
export interface PageAccess {
  readonly id: number
  readonly spaceId: number
  /** `personal` for the caller's own. */
  readonly space: string
  readonly spaceKind: 'shared' | 'personal'
  readonly rank: Rank
  readonly path: string
  readonly title: string
  readonly version: number
}

/** The space that an address names and, where one stands there, its page. */
export interface TargetRow {
  readonly space_id: number
  readonly space_slug: string
  readonly space_name: string
  readonly space_kind: 'shared' | 'personal'
  readonly rank: Rank
  readonly page_id: number | null
}

/** What statements about the page at an address take. */
export interface AddressArgs extends Sight {
  readonly slug: string
  readonly path: string
}

/**
 * The page at an address, where the caller has at least `role` in its space; `not_found` where there is none that the
 * caller can see, `forbidden` where the caller sees it but may do less. One round trip.
 */
export async function requirePage(ctx: Ctx, address: PageAddress, role: Role): Promise<PageAccess> {
  const args = { ...sightOf(ctx.actor), slug: address.space, path: address.path }
  const row = requireStanding(
    await readPageAccess[addressOf(address.space)].first(ctx.db, args),
    address,
    role,
  )
  return {
    id: row.page_id,
    spaceId: row.space_id,
    space: row.space_slug,
    spaceKind: row.space_kind,
    rank: row.rank,
    path: address.path,
    title: row.title,
    version: row.version,
  }
}

/** The same refusals for an address that was looked up already. */
export function requireStanding<R extends TargetRow>(
  row: R | undefined,
  address: PageAddress,
  role: Role,
): R & { readonly page_id: number } {
  if (!row || row.rank < 1 || row.page_id === null) throw noSuchPage(address)
  return { ...requireRank(row, address.space, role), page_id: row.page_id }
}

/** The columns of `TargetRow`, from the rows of `target`. */
export function targetColumns(sight: Sight): RawBuilder<unknown> {
  return sql`s.id as space_id, coalesce(s.slug, 'personal') as space_slug, s.name as space_name, s.kind as space_kind,
    ${rankIn(sight)} as rank, a.page_id`
}

/** The addressed space as row `s`, the address as `a` and the page that stands there as `p`. */
export function target(args: AddressArgs): RawBuilder<unknown> {
  return sql`from space s ${memberJoin(args)}
    left join page_address a on a.space_id = s.id and a.path = ${args.path}
    left join page p on p.space_id = a.space_id and p.id = a.page_id`
}

/** Builds a statement for both forms of a space's address: `build` writes all of it up to its `where`. */
export function perAddress<Args extends AddressArgs, Row>(
  name: string,
  build: (args: Args) => RawBuilder<unknown>,
) {
  const whole = (address: SpaceAddress) => (args: Args) =>
    sql<Row>`${build(args)} where ${addressed(address, args, args.slug)}`
  return {
    slug: statement<Args, Row>(name, whole('slug')),
    personal: statement<Args, Row>(`${name}_personal`, whole('personal')),
  }
}

const readPageAccess = perAddress<
  AddressArgs,
  TargetRow & { readonly title: string; readonly version: number }
>('read_page_access', (args) => sql`select ${targetColumns(args)}, p.title, p.version ${target(args)}`)

/** One answer for a page that is absent and one in a space that the caller cannot see. */
function noSuchPage({ space, path }: PageAddress): AppError {
  return new AppError('not_found', `There is no page \`${path}\` in a space \`${space}\` that you can see.`)
}
