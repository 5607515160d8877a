import { type RawBuilder, sql } from 'kysely'
import { read } from '../database/statement.ts'
import type { Rank } from './caller.ts'
import { type AccessSubject, addressed, memberJoin, rankIn, type SpaceAddress } from './visibility.ts'

/** The space that an address names and, where one stands there, its page. */
export interface AddressedRow {
  readonly space_id: number
  readonly space_slug: string
  readonly space_name: string
  readonly space_kind: 'shared' | 'personal'
  readonly rank: Rank
  readonly page_id: number | null
  /** The highest version of the pages that have left the address; null where it was never named. */
  readonly last_version: number | null
}

/** What statements about the page at an address take. */
export interface AddressArgs extends AccessSubject {
  readonly slug: string
  readonly path: string
}

/** The columns of `TargetRow`, from the rows of `target`. */
export function addressedColumns(sight: AccessSubject): RawBuilder<unknown> {
  return sql`s.id as space_id, coalesce(s.slug, 'personal') as space_slug, s.name as space_name, s.kind as space_kind,
    ${rankIn(sight)} as rank, a.page_id, a.last_version`
}

/** The addressed space as row `s`, the address as `a` and the page that stands there as `p`. */
export function addressedPage(args: AddressArgs): RawBuilder<unknown> {
  return sql`from space s ${memberJoin(args)}
    left join page_address a on a.space_id = s.id and a.path = ${args.path}
    left join page p on p.space_id = a.space_id and p.id = a.page_id`
}

/** Builds a statement for both forms of a space's address: `build` writes all of it up to its `where`. */
export function pageStatement<Args extends AddressArgs, Row>(
  name: string,
  build: (args: Args) => RawBuilder<unknown>,
) {
  const whole = (address: SpaceAddress) => (args: Args) =>
    sql<Row>`${build(args)} where ${addressed(address, args, args.slug)}`
  return {
    slug: read<Args, Row>(name, whole('slug')),
    personal: read<Args, Row>(`${name}_personal`, whole('personal')),
  }
}
