import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, hasOtherRule } from '../../access/visibility.ts'
import { type Db, read } from '../../platform/database/database.ts'
import type { LinkTarget } from './resolve.ts'
import {
  addressId,
  isDisclosed,
  type LinkTargetRow,
  linkTargetColumns,
  maybeFile,
  missingFacts,
  targetJoins,
} from './store-read.ts'

/**
 * The state of a target without a page at the written address: its canonical address, and whether the page is
 * missing; null: its space does not exist, or the caller cannot see it.
 */
export type LinkState = readonly [
  space: string,
  path: string,
  nowSpace: string,
  nowPath: string,
  isMissing: boolean | null,
  /** Whether a file has or had the address of a missing page. */
  maybeFile?: boolean,
]

const linkStatesSql = sql<readonly LinkState[] | null>`
  jsonb_agg(jsonb_build_array(target.space, target.path, target.now_space, target.now_path,
    case when target.in_space then not target.exists end, target.maybe_file) order by target.space, target.path)
    filter (where target.exists is not true or target.redirected)`

/** The states of the links of the row `page`, or null if there are none: for a statement that reads the page anyway. */
export function linkStates(subject: AccessSubject): RawBuilder<readonly LinkState[] | null> {
  return sql`(
    select ${linkStatesSql} from (
      select ${linkTargetColumns(subject)}, ${missingFacts(sql`address.path`)} from link ${targetJoins(subject)}
      where link.space_id = page.space_id and link.page_id = page.id and ${isDisclosed}
    ) target)`
}

/**
 * Whether the row `link` is to its own space `space`, by its present slug, and its state is the same for all readers:
 * no page has moved away from its target, and no folder rule decides there but the one that decides at the page.
 */
const isPlain = sql`(link.target_space_id = link.space_id and (link.slug = '' or link.slug = space.slug)
  and address.moved is false and not address.has_other_rule)`

const isPlainlyMissing = sql`(${isPlain} and not address.exists)`

/**
 * Joins the row `plain`: the states of those links of the row `page` that are to pages of their own space `space`, as
 * `states`, or null if none is missing; and as `others` whether there are other links, for which `linkStates` has to be
 * read. The states are the same for all readers. Most pages have none, and this costs a tenth. Plan: the links by their
 * key, the address of each by its id (`offset 0` keeps the planner from reading all).
 */
export const plainLinkStates = sql`cross join lateral (
    select coalesce(bool_or(not coalesce(${isPlain}, false)), false) as others,
      jsonb_agg(jsonb_build_array(coalesce(space.slug, 'personal'), address.path, coalesce(space.slug, 'personal'),
        address.path, true, ${maybeFile(sql`address.path`)})
        order by address.path) filter (where ${isPlainlyMissing}) as states
    from link left join lateral (
      select page_address.path, page_address.page_id is not null as exists,
        page_address.page_id is null and page_address.moved_page_id is not null as moved,
        ${hasOtherRule(sql`page_address.path`)} as has_other_rule
      from page_address where page_address.space_id = link.target_space_id and page_address.id = ${addressId} offset 0
    ) address on true
    where link.space_id = page.space_id and link.page_id = page.id
  ) plain`

const readTargets = read(
  'read_link_targets',
  (
    a: AccessSubject & {
      readonly spaceId: number
      readonly slugs: readonly string[]
      readonly paths: readonly string[]
    },
  ) => sql<LinkTargetRow>`
    select ${linkTargetColumns(a, sql`link.path`)}, ${missingFacts(sql`link.path`)} from (
      select ${a.spaceId}::bigint as space_id, given.n, given.slug, space.id as target_space_id, given.path,
        written.id as target_id,
        null::bigint as address_id
      from unnest(${a.slugs}::text[], ${a.paths}::text[]) with ordinality as given (slug, path, n)
      left join space on space.id = case when given.slug = '' then ${a.spaceId}::bigint else coalesce(
        (select id from space where slug = given.slug), (select space_id from former_slug where slug = given.slug)) end
      left join page_address written on written.space_id = space.id and written.path = given.path
    ) link ${targetJoins(a, sql`link.path`)} order by link.n`,
)

/** Any links with their targets, as a page of the space `spaceId` writes them. */
export async function listTargets<Link extends Pick<LinkTarget, 'slug' | 'path'>>(
  db: Db,
  subject: AccessSubject,
  spaceId: number,
  targets: readonly Link[],
): Promise<readonly (Link & LinkTargetRow)[]> {
  if (targets.length === 0) return []
  const [slugs, paths] = [targets.map(({ slug }) => slug), targets.map(({ path }) => path)]
  const rows = await readTargets.all(db, { ...subject, spaceId, slugs, paths })
  return targets.flatMap((target, index) => (rows[index] ? [{ ...target, ...rows[index] }] : []))
}

/** The states of those targets that have one. */
export function toLinkStates(rows: readonly LinkTargetRow[]): readonly LinkState[] {
  return rows
    .filter(({ exists, redirected }) => exists !== true || redirected)
    .map(({ space, path, now_space, now_path, exists, in_space, maybe_file }) => {
      const isMissing = in_space && exists !== null ? !exists : null
      return [space, path, now_space, now_path, isMissing, maybe_file]
    })
}
