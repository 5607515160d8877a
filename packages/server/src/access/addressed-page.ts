import { type RawBuilder, sql } from 'kysely'
import { read } from '../platform/database/database.ts'
import type { Rank } from './caller.ts'
import { type Resource, TABLES } from './resource.ts'
import { type AccessSubject, addressed, memberJoin, rankAt, ruleJoin, type SpaceAddress } from './visibility.ts'

/** Who reads a space: members, the organisation, or everybody. */
export type Visibility = 'private' | 'org' | 'public'

/** Who may propose changes: all readers with an account, editors, or nobody. */
export type Proposals = 'readers' | 'editors' | 'off'

/** The space of an address, with the caller's rank there. */
export interface AddressedSpace {
  readonly space_id: number
  readonly space_slug: string
  readonly space_name: string
  readonly space_kind: 'shared' | 'personal'
  readonly space_visibility: Visibility
  readonly space_proposals: Proposals
  readonly rank: Rank
  /** The highest version of what has left the path; null if nothing was ever there. */
  readonly last_version: number | null
}

/** The same and, if there is one, the page at its path. */
export interface AddressedRow extends AddressedSpace {
  readonly page_id: number | null
}

/** The arguments of statements about the page at an address. */
export interface AddressArgs extends AccessSubject {
  readonly slug: string
  readonly path: string
}

/** The columns of an addressed row, from the tables of `addressedRow`. */
export function addressedColumns(subject: AccessSubject, resource: Resource = 'page'): RawBuilder<unknown> {
  return sql`space.id as space_id, coalesce(space.slug, 'personal') as space_slug, space.name as space_name,
    space.kind as space_kind, space.visibility as space_visibility, space.proposals as space_proposals,
    ${rankAt(subject)} as rank, address.${TABLES[resource].id}, address.last_version`
}

/** Joins the rows `space`, `address` (the path) and `page` or `file`; each by a unique index. */
export function addressedRow(args: AddressArgs, resource: Resource = 'page'): RawBuilder<unknown> {
  const { rows, addresses, id } = TABLES[resource]
  return sql`from space ${memberJoin(args)} ${ruleJoin(args, args.path)}
    left join ${addresses} address on address.space_id = space.id and address.path = ${args.path}
    left join ${rows} on ${rows}.space_id = address.space_id and ${rows}.id = address.${id}`
}

/** Builds a statement for both forms of a space address; `build` writes everything before `where`. */
export function pageStatement<Args extends AddressArgs, Row>(name: string, build: (args: Args) => RawBuilder<unknown>) {
  const statement = (address: SpaceAddress) => (args: Args) =>
    sql<Row>`${build(args)} where ${addressed(address, args, args.slug)}`
  return {
    slug: read<Args, Row>(name, statement('slug')),
    personal: read<Args, Row>(`${name}_personal`, statement('personal')),
  }
}
