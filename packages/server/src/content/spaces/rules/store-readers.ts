import { sql } from 'kysely'
import type { Actor, Caller, Rank, Role } from '../../../access/caller.ts'
import { isVisible, memberJoin, rankAt, ruleJoin, toAccessSubject } from '../../../access/visibility.ts'
import { type Db, queryRow, queryRows, queryValues } from '../../../platform/database/database.ts'
import type { Position } from '../../../platform/http/paging.ts'
import { holders, READER } from '../store-readers.ts'

/** A place of a space; the empty path is the space without its folder rules. */
interface Place {
  readonly spaceId: number
  readonly path: string
}

export interface ReaderRow {
  readonly id: string
  readonly sort_name: string
  readonly principal: Actor
  readonly guest: boolean
  readonly rank: Rank
}

/** The people and agents who can read a place, each with the rank there, by name; those whose names contain `name`. */
export async function listReaders(
  db: Db,
  query: Place & {
    readonly name?: string
    readonly ids?: readonly string[] | undefined
    readonly after?: Position | undefined
    readonly limit?: number
  },
): Promise<ReaderRow[]> {
  const { spaceId, path, name = '', ids, after, limit } = query
  return queryRows<ReaderRow>(db)`
    with holder as (${holders})
    select holder.id, lower(holder.name) as sort_name, holder.guest, ranked.rank,
      json_build_object('id', holder.id, 'name', holder.name, 'kind', holder.kind) as principal
    from holder cross join lateral (
      select ${rankAt(READER)} as rank from space ${memberJoin(READER)} ${ruleJoin(READER, sql`${path}::text`)}
      where space.id = ${spaceId}
    ) ranked
    where ranked.rank >= 1 and position(lower(${name}) in lower(holder.name)) > 0
      ${ids === undefined ? sql`` : sql`and holder.id = any(${ids}::uuid[])`}
        ${after ? sql`and (lower(holder.name), holder.id) > (${after[0]}, ${after[1]}::uuid)` : sql``}
    order by lower(holder.name), holder.id ${limit === undefined ? sql`` : sql`limit ${limit}`}`
}

/** The prefixes of rules that narrow reading, without those that hide their folder from the caller. */
export async function listRestrictedPrefixes(db: Db, actor: Caller, spaceId: number): Promise<string[]> {
  return queryValues<string>(db)`select rule.prefix from folder_rule rule
    where rule.space_id = ${spaceId} and not rule.opens_read
      and ${isVisible(toAccessSubject(actor), 'rule.space_id', 'rule.prefix')}`
}

/** The shared space of a slug, whoever asks. */
export async function findSharedSpace(db: Db, slug: string): Promise<{ readonly id: number } | undefined> {
  return queryRow<{ id: number }>(db)`select id from space where slug = ${slug}`
}

/** What decides about the access of a principal at a place. */
export interface AccessRow {
  readonly rank: Rank
  /** In the space, without folder rules. */
  readonly role_rank: Rank
  readonly org_admin: boolean
  readonly member_role: Role | null
  readonly groups: readonly { readonly id: string; readonly name: string; readonly role: Role }[]
  readonly visibility: 'org' | 'private' | 'public'
  /** Of the nearest folder rule; null: there is none. */
  readonly prefix: string | null
}

/** What decides about the access of a principal who is not disabled. */
export async function findAccess(
  db: Db,
  { principalId, spaceId, path }: Place & { readonly principalId: string },
): Promise<AccessRow | undefined> {
  return queryRow<AccessRow>(db)`
    with holder as (${holders} and id = ${principalId})
    select ${rankAt(READER)} as rank, space_role.rank as role_rank, holder.role = 'admin' as org_admin,
      member.role as member_role,
      space.visibility, place_rule.prefix,
      coalesce((select json_agg(json_build_object('id', own.id, 'name', own.name, 'role', space_group.role)
        order by lower(own.name))
        from space_group join group_member on group_member.group_id = space_group.group_id
          and group_member.principal_id = holder.id
        join principal_group own on own.id = space_group.group_id where space_group.space_id = space.id),
          '[]') as groups
    from holder cross join space ${memberJoin(READER)} ${ruleJoin(READER, sql`${path}::text`)}
    where space.id = ${spaceId}`
}
