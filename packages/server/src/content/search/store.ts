import { type RawBuilder, sql } from 'kysely'
import { isPageOutside } from '../../access/visibility.ts'
import { type Db, queryRow, queryRows, read, write } from '../../platform/database/database.ts'
import { type IdRange, isShort, LARGE_BASE, LARGE_BITS, SMALL_BITS } from './id-ranges.ts'
import { hidesMetadata } from './store-metadata.ts'
import { meetsTemplates, type SearchedPages } from './store-templates.ts'
import type { Neighbours } from './tsquery.ts'

/** The maximum of spaces that are looked up in the index; more are compared with each row. */
const MAX_INDEXED_SPACES = 30

/** A further condition on the page of a row of `page_search`. */
type PageCondition = RawBuilder<boolean>

/** Adds languages of pages to those of their space: only the first page with one takes a lock. */
export const addLanguages = write(
  'add_space_languages',
  (a: { spaceId: number; languages: readonly string[] }) => sql<unknown>`
    insert into space_language (space_id, language)
    select distinct ${a.spaceId}::bigint, given.language collate "C"
    from unnest(${a.languages}::text[]) as given (language)
    where not exists (
      select from space_language known where known.space_id = ${a.spaceId}::bigint
        and known.language = given.language collate "C")
    order by 2 on conflict do nothing`,
)

/**
 * Upserts the search text of pages; a row whose text is the same is not written. Pages are recorded in `search_pending`
 * if the language of the space or their metadata has changed since their text was derived.
 */
export const putText = write(
  'put_search_text',
  (a: {
    spaceId: number
    pageIds: readonly number[]
    titles: Buffer
    words: Buffer
    languages: readonly string[]
    own: readonly boolean[]
    seqs: readonly number[]
  }) => sql<unknown>`
    with input as materialized (
      select * from unnest(${a.pageIds}::bigint[], ${a.titles}::tsvector[], ${a.words}::tsvector[],
        ${a.languages}::text[], ${a.own}::boolean[], ${a.seqs}::int[])
        as input (page_id, title, words, language, own, seq)
    ), outdated as (
      insert into search_pending (space_id, page_id)
      -- By the key, row by row: a join may read the metadata of all pages of the space.
      select space.id, input.page_id from space cross join input
      left join lateral (
        select last_seq from page_metadata where space_id = space.id and page_id = input.page_id offset 0
      ) metadata on true
      where space.id = ${a.spaceId}::bigint
        and (not input.own and input.language <> space.language
          or case when ${hidesMetadata} then input.seq <> 0
          else greatest(input.seq, 0) <> coalesce(metadata.last_seq, 0) end)
    )
    insert into page_search (space_id, page_id, title, words)
    select ${a.spaceId}::bigint, input.page_id, input.title, input.words
    from input
    on conflict (space_id, page_id) do update set title = excluded.title, words = excluded.words
    where page_search.words <> excluded.words or page_search.title <> excluded.title`,
)

/** Rank class of a match: its names (title, aliases, path) meet the query, or only its full text does. */
export type Tier = 'title' | 'rest'

/** A search in terms of the database. */
export interface Matching extends SearchedPages {
  /** The `tsquery`; undefined: every page meets it. */
  readonly query: string | undefined
  /** The same without its prefixes. */
  readonly prefilter: string | undefined
  readonly negative: boolean
  readonly condition: PageCondition | undefined
  /** Whether the spaces have so few pages that all matches are read at once. */
  readonly small: boolean
}

export interface PageKey {
  readonly space_id: number
  readonly page_id: number
}

export interface TextMatchRow extends PageKey, Partial<TextScoreColumns> {
  /** Whether its title meets the query. */
  readonly in_title: boolean
  /** The number of different words of its title, aliases and path. */
  readonly name_words: number
}

/** The match of the text of a page with a query. */
export interface ScoredRow extends PageKey, TextScoreColumns {}

interface TextScoreColumns {
  /** Cover density: the proximity of the words and their place (title and path, headings, text), from 0 to 1. */
  readonly density: number
  /** Whether it has all words as written. */
  readonly exact: boolean
  /** How much it is about each optional term, from 0 to 1 (`ts_rank`). Absent if all terms are required. */
  readonly strengths?: readonly number[]
  /** The number of its different words. */
  readonly length?: number
  /** The number of adjacent words of the query that are adjacent in its text, and in its title and headings. */
  readonly near: number
  readonly headed: number
}

/** An upper bound (exclusive) of the page ids that statements see which started before it. */
export const endOfPages = read('end_of_pages', () => sql<{ id: number }>`select last_value + 1 as id from page_id`)

/** If both tiers have more matches, they are not scored where they were found: not all of them will be ranked. */
const MAX_SCORED = 300

/**
 * The newest matches of a range of ids in one tier, or any matches of both. Plan: a bitmap scan of the GIN index
 * page_search_found by words, spaces and id partitions. That index reads all words with a prefix, wherever they occur:
 * in a short range, and in small spaces, it serves the query without prefixes, and each row is compared with the
 * complete one. Not prepared: the plan depends on the words. With `scoring`, the rows are scored where they were found,
 * by the place of the row in the table.
 */
export async function findTextMatches(
  db: Db,
  matching: Matching,
  tier: Tier | undefined,
  range: IdRange,
  { limit, scoring, ordered, checked }: FoundLimits,
): Promise<TextMatchRow[]> {
  const matchesSql = sql`
    select page_search.space_id, page_search.page_id, ${meetsInTitle(matching.query)} as in_title,
      length(page_search.title) as name_words
      ${scoring ? sql`, page_search.ctid as place` : sql``}
    from page_search
    where ${meetsInRange(matching, tier, range)} and ${inSpaces(matching.spaceIds)} and ${meetsTemplates(matching)}
      ${matching.condition ? sql`and ${matching.condition}` : sql``}`
  const { hidden } = matching
  const statement = !ordered
    ? selectAny(matchesSql, limit, scoring, hidden === null ? undefined : { hidden, checked })
    : selectNewest(matchesSql, limit, scoring, hidden)
  return (await statement.execute(db)).rows
}

/** Which of the matches are found. */
interface FoundLimits {
  readonly limit: number
  readonly scoring?: Scoring | undefined
  /** Whether the newest are found; otherwise any, of more than the limit. */
  readonly ordered: boolean
  /**
   * Of more matches in both tiers none is looked up in the places that are hidden, so that hidden ones are among them:
   * it costs as much as to find them. Undefined: each is.
   */
  readonly checked?: number | undefined
}

/** Whether a row meets the query in a tier, and its id is in a range. */
function meetsInRange(matching: Matching, tier: Tier | undefined, range: IdRange): RawBuilder<boolean> {
  const { query, prefilter, small } = matching
  const meets = meetsInTier(matching, tier)
  if (prefilter === query || !(isShort(range) || (small && prefilter !== undefined)))
    return sql<boolean>`${meets} and ${inIdRange(range)}`
  const column = tier === 'title' ? sql`page_search.title` : sql`page_search.words`
  return sql<boolean>`${prefilter === undefined ? sql`true` : sql`${column} @@ ${prefilter}::tsquery`}
    and case when page_search.page_id >= ${range.low}::bigint and ${meets} then true else false end
    and ${inIdRange(range)}`
}

/** The pages of hidden places are skipped in this order, so that the limit ends it. */
function selectNewest(
  matchesSql: RawBuilder<unknown>,
  limit: number,
  scoring: Scoring | undefined,
  hidden: string | null,
) {
  const latestFirst = sql`${matchesSql} order by page_search.page_id desc`
  const newest =
    hidden === null
      ? sql<TextMatchRow>`${latestFirst} limit ${limit}`
      : sql<TextMatchRow>`select * from (${latestFirst} offset 0) found
          where ${isPageOutside(hidden, 'found.space_id', 'found.page_id')} limit ${limit}`
  if (!scoring) return newest
  return sql<TextMatchRow>`
    select match.space_id, match.page_id, match.in_title, match.name_words, ${scoreColumns(scoring)}
    from (${newest}) match cross join lateral (${textWhere(sql`page_search.ctid = match.place`)}) text
    order by match.page_id desc`
}

/**
 * In no order, so that the scan ends at the limit. The planner knows nothing of that limit (a `with` query): it might
 * read all rows of the table, in the belief that so many matches are soon found.
 */
function selectAny(
  matchesSql: RawBuilder<unknown>,
  limit: number,
  scoring: Scoring | undefined,
  places: { readonly hidden: string; readonly checked: number | undefined } | undefined,
) {
  const withMatches = sql`with found as materialized (${matchesSql})`
  const match = places ? selectVisible(places, limit) : sql`select * from found limit ${limit}`
  if (!scoring) return sql<TextMatchRow>`${withMatches} ${match}`
  return sql<TextMatchRow>`
    ${withMatches}, match as materialized (${match})
    select match.space_id, match.page_id, match.in_title, match.name_words, score.*
    from match left join lateral (
      select ${scoreColumns(scoring)} from (${textWhere(sql`page_search.ctid = match.place`)}) text
      where (select count(*) from match) <= ${sql.lit(MAX_SCORED)}
    ) score on true`
}

/** Those of `found` that are not hidden, up to a limit; of more than `checked` any. */
function selectVisible(
  { hidden, checked }: { readonly hidden: string; readonly checked: number | undefined },
  limit: number,
): RawBuilder<unknown> {
  const isOutside = isPageOutside(hidden, 'found.space_id', 'found.page_id')
  if (checked === undefined) return sql`select * from found where ${isOutside} limit ${limit}`
  return sql`select found.* from (select * from found limit ${limit}) found
    where case when (select count(*) from (select from found limit ${checked + 1}) first) > ${checked} then true
      else ${isOutside} end`
}

/** The maximum of pages of small spaces. */
export const MAX_SMALL = 15_000

/** Whether the spaces are small. Plan: an index-only scan of the primary key, which ends at the limit. */
export async function areSmall(db: Db, spaceIds: readonly number[], most: number): Promise<boolean> {
  if (spaceIds.length > MAX_INDEXED_SPACES) return false
  const row = await queryRow<{ small: boolean }>(db)`
    select count(*) <= ${most} as small from (
      select from page_search where space_id = any(${spaceIds}::bigint[]) limit ${most + 1}) page`
  return row?.small ?? false
}

/** The queries by which a text is scored. */
export interface Scoring {
  readonly query: string | undefined
  /** The same without stems and prefixes. */
  readonly exact: string | undefined
  /** The terms of which some may be missing. */
  readonly terms: readonly string[]
  readonly neighbours: readonly Neighbours[]
}

/** The match of the text of some pages. */
export async function scoreMatches(db: Db, scoring: Scoring, pages: readonly PageKey[]): Promise<ScoredRow[]> {
  const ofCandidate = sql`page_search.space_id = candidate.space_id and page_search.page_id = candidate.page_id`
  return queryRows<ScoredRow>(db)`
    select candidate.space_id, candidate.page_id, ${scoreColumns(scoring)}
    from unnest(${pages.map((page) => page.space_id)}::bigint[], ${pages.map((page) => page.page_id)}::bigint[])
      as candidate (space_id, page_id)
    cross join lateral (${textWhere(ofCandidate)}) text`
}

/** The words of one row of `page_search`. `ts_filter` copies them: they are decompressed once, not per condition. */
function textWhere(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select ts_filter(page_search.words, '{a,b,c,d}') as words from page_search where ${condition} offset 0`
}

function scoreColumns({ query, exact, terms, neighbours }: Scoring): RawBuilder<unknown> {
  const meets = (text: string) => sql`text.words @@ ${text}::tsquery`
  const count = (texts: readonly string[]) =>
    texts.length === 0
      ? sql`0`
      : sql.join(
          texts.map((text) => sql`(${meets(text)})::int`),
          sql` + `,
        )
  // The rank is divided by the number of words in the query, of which a form of one word is one.
  const strength = (text: string) =>
    sql`case when ${meets(text)} then least(1,
      ts_rank('{0.2, 0.3, 0.6, 1}', text.words, ${text}::tsquery) * ${text.split("'").length >> 1}) else 0 end`
  return sql`
    ${query === undefined ? sql`0` : sql`ts_rank_cd('{0.1, 0.25, 0.6, 1}', text.words, ${query}::tsquery, 33)`}::float8
      as density,
    ${exact === undefined ? sql`false` : meets(exact)} as exact,
    ${
      terms.length === 0
        ? sql``
        : sql`array[${sql.join(terms.map(strength))}]::float8[] as strengths, length(text.words) as length,`
    }
    ${count(neighbours.map(({ text }) => text))} as near,
    ${count(neighbours.map(({ heading }) => heading))} as headed`
}

/** The maximum of counted links to a page. */
const MAX_LINKS = 50

export interface CandidateRow extends PageKey {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly updated_at: Date
  /** Links to it from other pages of the given spaces, up to 50. */
  readonly links: number
}

/**
 * The ranking factors of some pages besides their text; `readable`: the spaces that the caller can read. Laterals with
 * `offset 0` look each page up by its keys, and its links by the index link_address. Prepared, because to plan it took
 * as long as to run it for a few pages.
 */
export const readCandidates = read(
  'search_candidates',
  (a: {
    readonly spaceIds: readonly number[]
    readonly pageIds: readonly number[]
    readonly readable: readonly number[]
    readonly hidden: string | null
  }) => sql<CandidateRow>`
    select page.space_id, page.id as page_id, coalesce(space.slug, 'personal') as space, page.path, page.title,
      page.updated_at, links.count::int as links
    from unnest(${a.spaceIds}::bigint[], ${a.pageIds}::bigint[]) as candidate (space_id, page_id)
    cross join lateral (
      select * from page where page.space_id = candidate.space_id and page.id = candidate.page_id offset 0
    ) page
    join space on space.id = page.space_id
    cross join lateral (
      select count(*) from (
        select from page_address address
        join link on link.target_space_id = address.space_id and coalesce(link.address_id, link.target_id) = address.id
        where address.space_id = page.space_id and address.path = page.path
          and link.space_id = any(${a.readable}::bigint[])
          and (link.space_id, link.page_id) <> (page.space_id, page.id)
          and ${isPageOutside(a.hidden, 'link.space_id', 'link.page_id')}
        limit ${sql.lit(MAX_LINKS)}
      ) link
    ) links`,
  { isLong: true },
)

/** The expression of the index page_search_found: the negative id of the space, and the id partitions of the page. */
const indexKeys = sql`(array[- page_search.space_id, page_search.page_id >> ${sql.lit(SMALL_BITS)},
  (page_search.page_id >> ${sql.lit(LARGE_BITS)}) + ${sql.lit(LARGE_BASE)}])`

/** Whether a row of `page_search` is in a range of ids, by the index page_search_found. */
export function inIdRange({ low, below, partitions }: IdRange): RawBuilder<boolean> {
  return sql<boolean>`page_search.page_id + 0 >= ${low}::bigint and page_search.page_id + 0 < ${below}::bigint
    ${partitions ? sql`and ${indexKeys} && ${partitions}::bigint[]` : sql``}`
}

/** Whether it is in one of the spaces; a few are looked up in that index. */
export function inSpaces(spaceIds: readonly number[]): RawBuilder<boolean> {
  return spaceIds.length <= MAX_INDEXED_SPACES
    ? sql<boolean>`${indexKeys} && ${spaceIds.map((id) => -id)}::bigint[]
      and page_search.space_id = any(${spaceIds}::bigint[])`
    : sql<boolean>`page_search.space_id + 0 = any(${spaceIds}::bigint[])`
}

function meetsInTier({ negative, query }: Matching, tier: Tier | undefined): RawBuilder<boolean> {
  const meets = query === undefined ? sql<boolean>`true` : sql<boolean>`page_search.words @@ ${query}::tsquery`
  if (tier === undefined) return meets
  if (tier === 'rest') return sql<boolean>`${meets} and not ${meetsInTitle(query)}`
  // An excluded word must not be in the body, either.
  return negative ? sql<boolean>`${meetsInTitle(query)} and ${meets}` : meetsInTitle(query)
}

function meetsInTitle(query: string | undefined): RawBuilder<boolean> {
  return query === undefined ? sql<boolean>`false` : sql<boolean>`page_search.title @@ ${query}::tsquery`
}

export function toColumns(pages: readonly PageKey[]) {
  return { spaceIds: pages.map(({ space_id }) => space_id), pageIds: pages.map(({ page_id }) => page_id) }
}
