import { type RawBuilder, sql } from 'kysely'
import { memberJoin, rankIn, type Sight, visibleSpaces } from '../access/visibility.ts'
import { statement } from '../database/statement.ts'

/** A link of a page; `exists` and `title` are null where the caller may not know. */
export interface OutboundRow {
  readonly space: string
  readonly path: string
  readonly ord: number
  readonly line: number
  readonly text: string
  /** Equal links further down, as `[ord, line, text]`. */
  readonly more: readonly (readonly [number, number, string])[] | null
  readonly exists: boolean | null
  readonly title: string | null
  /** Whether the page has moved away from the address that the link names. */
  readonly redirected: boolean
}

/** Whether no page stands at the address `a`, and none that the caller can read has moved away from there. */
export function isMissing(sight: Sight): RawBuilder<boolean> {
  return sql<boolean>`(a.page_id is null and (a.moved_page_id is null or not exists (
    select 1 from page v where v.space_id = a.moved_space_id and v.id = a.moved_page_id and v.deleted_at is null
      and v.space_id in ${visibleSpaces(sight)})))`
}

/**
 * The target of the row `l` of `link`: its space `ts` with what the caller may do there, its address `a` or, in a space
 * that does not exist, `u`.
 */
export function targetJoins(sight: Sight): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select s.slug, ${rankIn(sight)} >= 1 as visible from space s ${memberJoin(sight)} where s.id = l.target_space_id
    ) ts on true
    left join page_address a on a.space_id = l.target_space_id and a.id = l.target_id
    left join unknown_address u on l.target_space_id is null and u.id = l.target_id`
}

/** Only who sees every shared space may know that one does not exist: to others it is like one that they cannot see. */
export function seesAllSpaces(sight: Sight): RawBuilder<boolean> {
  return sql<boolean>`(${sight.orgAdmin}::boolean and ${sight.spaceIds}::bigint[] is null)`
}

interface PageArgs extends Sight {
  readonly spaceId: number
  readonly pageId: number
}

/** The links of a page in the order of its body, but for equal ones, which are told by `more`. */
export const listOutbound = statement(
  'list_outbound',
  (a: PageArgs) => sql<OutboundRow>`
    select coalesce(ts.slug, u.slug, 'personal') as space, coalesce(a.path, u.path) as path,
      l.ord, l.line, l.text, l.more, coalesce(p.title, v.title) as title, v.id is not null as redirected,
      case when ts.visible then p.id is not null or v.id is not null when u.id is not null and ${seesAllSpaces(a)} then false end as exists
    from link l ${targetJoins(a)}
    left join page p on ts.visible and p.space_id = a.space_id and p.id = a.page_id
    left join page v on ts.visible and a.page_id is null and v.space_id = a.moved_space_id and v.id = a.moved_page_id
      and v.deleted_at is null and v.space_id in ${visibleSpaces(a)}
    where l.space_id = ${a.spaceId} and l.page_id = ${a.pageId} and coalesce(a.id, u.id) is not null
    order by l.ord`,
)

export interface BacklinkRow {
  readonly space_id: number
  readonly page_id: number
  readonly space: string
  readonly path: string
  readonly title: string
  readonly text: string
  readonly updated_at: Date
}

interface BacklinkArgs extends Sight {
  readonly spaceId: number
  readonly path: string
  /** The last page that was shown before; zeros at the beginning. */
  readonly afterSpaceId: number
  readonly afterPageId: number
  readonly limit: number
}

/** Pages that the caller can read and that link to an address, in the order in which they were made. */
export const listBacklinks = statement(
  'list_backlinks',
  (a: BacklinkArgs) => sql<BacklinkRow>`
    select l.space_id, l.page_id, coalesce(s.slug, 'personal') as space, p.path, p.title, l.text, p.updated_at
    from link l
    join page p on p.space_id = l.space_id and p.id = l.page_id
    join space s on s.id = l.space_id
    where l.target_space_id = ${a.spaceId}
      and l.target_id = (select id from page_address where space_id = ${a.spaceId} and path = ${a.path})
      and l.space_id = any(array${visibleSpaces(a)})
      and (l.space_id, l.page_id) > (${a.afterSpaceId}::bigint, ${a.afterPageId}::bigint)
    order by l.space_id, l.page_id limit ${a.limit}`,
)
