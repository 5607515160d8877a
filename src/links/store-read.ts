import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, memberJoin, rankIn, visibleSpaces } from '../access/visibility.ts'
import { read } from '../database/statement.ts'

/** The address id of the row `l` of `link`: its key, unless its page has a second link by another slug. */
export const addressId = sql`coalesce(l.address_id, l.target_id)`

/** Whether there is no page at the address `a`, and no readable page has moved away from there. */
export function isMissing(sight: AccessSubject): RawBuilder<boolean> {
  return sql<boolean>`(a.page_id is null and (a.moved_page_id is null or not exists (
    select 1 from page v where v.space_id = a.moved_space_id and v.id = a.moved_page_id and v.deleted_at is null
      and v.space_id in ${visibleSpaces(sight)})))`
}

/** The target of a link, as far as the caller may know it. */
export interface LinkTargetRow {
  /** The written address, whether or not the caller can see it. */
  readonly space: string
  readonly path: string
  /** Null if the caller may not know. */
  readonly exists: boolean | null
  readonly title: string | null
  /** Whether the written address differs from the current address of the page. */
  readonly redirected: boolean
  /** The canonical address: where the page is, or would be. As written if the caller may not know. */
  readonly now_space: string
  readonly now_path: string
}

/**
 * Resolves the target of the row `l` of `link`: its space `ts` with the caller's rank, its address `a` or, in a space
 * that does not exist, `u`; the page there, or the one that moved away from there, as `tp`.
 */
export function targetJoins(sight: AccessSubject): RawBuilder<unknown> {
  return sql`
    left join lateral (
      select s.slug, ${rankIn(sight)} >= 1 as visible from space s ${memberJoin(sight)} where s.id = l.target_space_id
    ) ts on true
    left join page_address a on a.space_id = l.target_space_id and a.id = ${addressId}
    left join unknown_address u on l.target_space_id is null and u.id = ${addressId}
    left join lateral (
      select p.path, p.title, coalesce(s.slug, 'personal') as slug, a.page_id is null as moved
      from page p join space s on s.id = p.space_id ${memberJoin(sight)}
      where ts.visible and p.deleted_at is null and ${rankIn(sight)} >= 1
        and p.space_id = case when a.page_id is null then a.moved_space_id else a.space_id end
        and p.id = coalesce(a.page_id, a.moved_page_id)
    ) tp on true`
}

/** Of the space `ts` of a target: whether the row `l` of `link` names the address by a slug that redirects. */
export const namesFormerSlug = sql<boolean>`(l.slug <> '' and l.slug is distinct from ts.slug)`

/** The slug in a link, if it is stored: a relative link means the space of its page, which is also its target's. */
const writtenSlug = sql`coalesce(nullif(l.slug, ''), ts.slug, u.slug, 'personal')`

/**
 * The columns of `TargetRow`: the only place where the target of a link is disclosed. For a target that the caller
 * cannot see it returns the written address, and the same whether or not there is such a space.
 */
export function linkTargetColumns(
  sight: AccessSubject,
  path: RawBuilder<unknown> = sql`coalesce(a.path, u.path)`,
): RawBuilder<unknown> {
  return sql`${writtenSlug} as space, ${path} as path,
    case when ts.visible then tp.path is not null when l.target_space_id is null and ${seesAllSpaces(sight)} then false end as exists,
    tp.title, tp.path is not null and (tp.moved or ${namesFormerSlug}) as redirected,
    coalesce(tp.slug, case when ts.visible then coalesce(ts.slug, 'personal') else ${writtenSlug} end) as now_space,
    coalesce(tp.path, ${path}) as now_path`
}

/**
 * The rows of links that may be disclosed: not those without a slug, written by the last release, whose target is not
 * visible.
 */
export const isDisclosed = sql<boolean>`(coalesce(a.id, u.id) is not null
  and (l.slug <> '' or u.id is not null or l.target_space_id = l.space_id or coalesce(ts.visible, false)))`

/**
 * Only a caller who sees every shared space may know that one does not exist: to others it is like one that they
 * cannot see.
 */
export function seesAllSpaces(sight: AccessSubject): RawBuilder<boolean> {
  return sql<boolean>`(${sight.orgAdmin}::boolean and ${sight.spaceIds}::bigint[] is null)`
}

export interface OutboundRow extends LinkTargetRow {
  readonly ord: number
  readonly line: number
  readonly text: string
  /** Equal links further down, as `[ord, line, text]`. */
  readonly more: readonly (readonly [number, number, string])[] | null
}

interface PageArgs extends AccessSubject {
  readonly spaceId: number
  readonly pageId: number
}

/** The links of a page in the order of its body; equal ones are members of `more`. */
export const listOutbound = read(
  'list_outbound',
  (a: PageArgs) => sql<OutboundRow>`
    select ${linkTargetColumns(a)}, l.ord, l.line, l.text, l.more
    from link l ${targetJoins(a)}
    where l.space_id = ${a.spaceId} and l.page_id = ${a.pageId} and ${isDisclosed}
    order by l.ord`,
)
