import { type RawBuilder, sql } from 'kysely'
import { read } from '../platform/database/statement.ts'
import type { Rank } from './caller.ts'
import { type AccessSubject, addressed, memberJoin, rankIn, type SpaceAddress } from './visibility.ts'

/** The space of a page address and, if there is one, the page at its path. */
export interface AddressedRow {
  readonly space_id: number
  readonly space_slug: string
  readonly space_name: string
  readonly space_kind: 'shared' | 'personal'
  readonly rank: Rank
  readonly page_id: number | null
  /** The highest version of the pages that have left the path; null if there was never one. */
  readonly last_version: number | null
}

/** The arguments of statements about the page at an address. */
export interface AddressArgs extends AccessSubject {
  readonly slug: string
  readonly path: string
}

/** The columns of `AddressedRow`, from the tables of `addressedPage`. */
export function addressedColumns(subject: AccessSubject): RawBuilder<unknown> {
  return sql`space.id as space_id, coalesce(space.slug, 'personal') as space_slug, space.name as space_name, space.kind as space_kind,
    ${rankIn(subject)} as rank, address.page_id, address.last_version`
}

/** Joins the rows `space`, `address` (the path) and `page`; each by a unique index. */
export function addressedPage(args: AddressArgs): RawBuilder<unknown> {
  return sql`from space ${memberJoin(args)}
    left join page_address address on address.space_id = space.id and address.path = ${args.path}
    left join page on page.space_id = address.space_id and page.id = address.page_id`
}

/** Builds a statement for both forms of a space address; `build` writes everything before `where`. */
export function pageStatement<Args extends AddressArgs, Row>(
  name: string,
  build: (args: Args) => RawBuilder<unknown>,
) {
  const statement = (address: SpaceAddress) => (args: Args) =>
    sql<Row>`${build(args)} where ${addressed(address, args, args.slug)}`
  return {
    slug: read<Args, Row>(name, statement('slug')),
    personal: read<Args, Row>(`${name}_personal`, statement('personal')),
  }
}
