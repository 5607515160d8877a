import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, isReadableAt, memberJoin, rankAt, ruleJoin } from '../../access/visibility.ts'
import { read } from '../../platform/database/database.ts'

/** The address id of the row `link`: its key, unless its page has a second link by another slug. */
export const addressId = sql`coalesce(link.address_id, link.target_id)`

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
  /** Whether its space exists. */
  readonly in_space: boolean
  /** Whether there is no page, but is or was a file. */
  readonly maybe_file: boolean
}

/**
 * Resolves the target of the row `link`: its address `address` or, in a space that does not exist, `unknown`; its space
 * `target_space` with whether the caller can read the path there, whether or not there is a page; the page there, or
 * the one that moved away from there, as `target_page`. `path` is that of an address which may have no row.
 */
export function targetJoins(subject: AccessSubject, path = sql`address.path`): RawBuilder<unknown> {
  return sql`
    left join page_address address on address.space_id = link.target_space_id and address.id = ${addressId}
    left join unknown_address unknown on link.target_space_id is null and unknown.id = ${addressId}
    left join lateral (
      select space.slug, ${rankAt(subject)} >= 1 as visible from space ${memberJoin(subject)} ${ruleJoin(subject, path)}
      where space.id = link.target_space_id
    ) target_space on true
    left join lateral (
      select page.path, page.title, coalesce(space.slug, 'personal') as slug, address.page_id is null as moved
      from page join space on space.id = page.space_id
      where target_space.visible and page.deleted_at is null
        and page.space_id = case when address.page_id is null then address.moved_space_id else address.space_id end
        and page.id = coalesce(address.page_id, address.moved_page_id)
        and case when address.page_id is null then ${isReadableAt(subject, 'page.space_id', 'page.path')} else true end
    ) target_page on true`
}

/** Whether the row `link` names its `target_space` by a slug that redirects. */
export const namesFormerSlug = sql<boolean>`(link.slug <> '' and link.slug is distinct from target_space.slug)`

/** The slug in a link, if it is stored: a relative link means the space of its page, which is also its target's. */
const writtenSlug = sql`coalesce(nullif(link.slug, ''), target_space.slug, unknown.slug, 'personal')`

/**
 * The columns of `TargetRow`: the only place where the target of a link is disclosed. For a target that the caller
 * cannot see it returns the written address, and the same whether or not there is such a space.
 */
export function linkTargetColumns(
  subject: AccessSubject,
  path: RawBuilder<unknown> = sql`coalesce(address.path, unknown.path)`,
): RawBuilder<unknown> {
  return sql`${writtenSlug} as space, ${path} as path,
    case when target_space.visible then target_page.path is not null
    when link.target_space_id is null and ${seesAllSpaces(subject)} then false end as exists,
    target_page.title, target_page.path is not null and (target_page.moved or ${namesFormerSlug}) as redirected,
    coalesce(target_page.slug, case when target_space.visible then coalesce(target_space.slug, 'personal')
      else ${writtenSlug} end) as now_space,
    coalesce(target_page.path, ${path}) as now_path`
}

/** The rows of links that may be disclosed: not those without a slug whose target is not visible. */
export const isDisclosed = sql<boolean>`(coalesce(address.id, unknown.id) is not null
  and (link.slug <> '' or unknown.id is not null or link.target_space_id = link.space_id
    or coalesce(target_space.visible, false)))`

/** Only who sees every shared space may know that one does not exist: to others it is like a hidden one. */
function seesAllSpaces(subject: AccessSubject): RawBuilder<boolean> {
  return sql<boolean>`(${subject.orgAdmin}::boolean and ${subject.spaceIds}::bigint[] is null)`
}

/** Whether a file has or had the path of a relative link. Plan: a key of the index of addresses. */
export function maybeFile(path: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(link.slug = '' and exists (
    select 1 from file_address written where written.space_id = link.target_space_id and written.path = ${path}))`
}

/** Whether the space of the target exists; whether it may be a file, since the row `target_page` has no path. */
export const missingFacts = (path: RawBuilder<unknown>) =>
  sql`link.target_space_id is not null as in_space,
    case when target_page.path is null then ${maybeFile(path)} else false end as maybe_file`

/** A link with its target, and its place in the body. */
export interface OutboundRow extends LinkTargetRow {
  /** Of the page, where the link is stored. */
  readonly page_id?: number
  /** Empty: it is relative, or names the space `personal`. */
  readonly slug: string
  readonly ord: number
  readonly line: number
  readonly text: string
  /** Equal links further down, as `[ord, line, text]`. */
  readonly more: readonly (readonly [number, number, string])[] | null
}

interface PagesArgs extends AccessSubject {
  readonly spaceId: number
  readonly pageIds: readonly number[]
}

/** The links of some pages, each in the order of its body; equal ones are members of `more`. */
export const listOutbound = read(
  'list_outbound',
  (a: PagesArgs) => sql<OutboundRow>`
    select ${linkTargetColumns(a)}, ${missingFacts(sql`address.path`)}, link.page_id, link.slug, link.ord, link.line,
      link.text, link.more
    from link ${targetJoins(a)}
    where link.space_id = ${a.spaceId} and link.page_id = any(${a.pageIds}::bigint[]) and ${isDisclosed}
    order by link.page_id, link.ord`,
)
