import { AppError } from '@recto/contract/errors.ts'
import type { Language } from '@recto/lib/languages.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { asksForTemplates, TEMPLATES } from '../../access/template-folder.ts'
import { isTrusted, type TrustLevel } from '../../access/verification.ts'
import { type AccessSubject, hiddenJoin, memberJoin, rankIn } from '../../access/visibility.ts'
import { read } from '../../platform/database/database.ts'
import { type Condition, parseFilters } from '../metadata/filters.ts'
import { matchesAll } from '../metadata/matches/store-conditions.ts'
import { isAuthorKey } from '../metadata/value.ts'
import { isOperator, type Operator } from './operators.ts'
import type { SearchQuery } from './query.ts'
import type { SearchedPages } from './store-templates.ts'
import { termText } from './tsquery.ts'
import { splitWords } from './words.ts'

/** The spaces that remain after `in:` and `-in:`. */
export function spacesToSearch<Space extends { readonly slug: string }>(
  query: SearchQuery,
  spaces: readonly Space[],
): Space[] {
  const spaceOperators = query.operators.filter((operator) => isOperator(operator, 'in'))
  const names = (negative: boolean) =>
    new Set(spaceOperators.filter((each) => each.negative === negative).map(({ value }) => value.toLowerCase()))
  const [out, inside] = [names(true), names(false)]
  if (chooseTemplates(query, spaces) === 'only') inside.delete(TEMPLATES)
  return spaces.filter(({ slug }) => !out.has(slug) && (inside.size === 0 || inside.has(slug)))
}

/** Page templates are left out, unless `path:templates` or `in:templates` asks for them. */
export function chooseTemplates(
  { operators }: SearchQuery,
  spaces: readonly { readonly slug: string }[],
): SearchedPages['templates'] {
  const isNamed = operators.some(
    (operator) => isOperator(operator, 'in') && !operator.negative && operator.value.toLowerCase() === TEMPLATES,
  )
  if (isNamed) return spaces.some(({ slug }) => slug === TEMPLATES) ? undefined : 'only'
  const isAsked = operators.some(
    (operator) => isOperator(operator, 'path') && !operator.negative && asksForTemplates(operator.value),
  )
  return isAsked ? undefined : 'out'
}

/** What else a page must meet; absent: nothing. */
export interface PageConditions {
  readonly filters: readonly Condition[] | undefined
  readonly minTrust?: TrustLevel | undefined
  /** Ids of pages that are left out. */
  readonly except: readonly number[]
}

/** The condition of operators and filters on the page of a row of `page_search`; undefined: none. */
export function buildCondition(
  { actor, now }: Pick<Ctx, 'actor' | 'now'>,
  { operators }: SearchQuery,
  { filters, minTrust, except }: PageConditions,
): RawBuilder<boolean> | undefined {
  const conditions = operators.flatMap((operator) => {
    const condition = toCondition(actor, operator, now())
    if (!condition) return []
    return [operator.negative ? sql<boolean>`not (${condition})` : condition]
  })
  if (filters) {
    const isOpen = actor.visitor === undefined || !filters.some(({ key }) => isAuthorKey(key))
    conditions.push(isOpen ? whereMetadata(actor, matchesAll(filters)) : sql<boolean>`false`)
  }
  if (minTrust !== undefined) conditions.push(pageMeets(isTrusted(minTrust, now())))
  if (except.length > 0) conditions.push(sql<boolean>`page_search.page_id <> all(${except}::bigint[])`)
  const isCurrent = indexedFor(actor)
  if (isCurrent) conditions.push(isCurrent)
  return conditions.length === 0 ? undefined : sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** A condition by metadata, which callers without an account may only read where it is public. */
function whereMetadata({ visitor }: Caller, condition: RawBuilder<boolean>): RawBuilder<boolean> {
  if (visitor === undefined) return condition
  return sql<boolean>`(exists (select from space where space.id = page_search.space_id and space.public_metadata)
    and ${condition})`
}

/**
 * Whether the row `page_search` has no word that is to be taken from it, such as those of metadata that is not public;
 * undefined for callers with an account, who may read all words of the pages that they can read.
 */
export function indexedFor({ visitor }: Caller): RawBuilder<boolean> | undefined {
  return visitor === undefined ? undefined : isIndexed
}

const isIndexed = sql<boolean>`not exists (select from search_pending pending
    where pending.space_id = page_search.space_id and pending.page_id = page_search.page_id)
  and not exists (select from reindexing where reindexing.space_id = page_search.space_id)`

function toCondition(actor: Caller, operator: Operator, now: Date): RawBuilder<boolean> | undefined {
  switch (operator.kind) {
    case 'in':
      return undefined
    case 'title':
      return sql<boolean>`page_search.title @@ ${termText(operator.term, 'any')}::tsquery`
    case 'path':
      return hasPath(operator.value)
    case 'has':
      return operator.value === 'comments' && actor.visitor === undefined
        ? sql<boolean>`(${hasThread(sql`true`)} or ${hasProperty(operator.value)})`
        : whereMetadata(actor, hasProperty(operator.value))
    case 'by':
      return actor.visitor === undefined ? isBy(actor, operator.value) : sql<boolean>`false`
    case 'commented-by':
      return actor.visitor === undefined ? isCommentedBy(actor, operator.value) : sql<boolean>`false`
    case 'trust':
      return actor.visitor === undefined ? pageMeets(isTrusted(operator.level, now)) : sql<boolean>`false`
    case 'before':
      return pageMeets(sql`page.updated_at < ${operator.at}`)
    case 'after':
      return pageMeets(sql`page.updated_at >= ${operator.at}`)
  }
}

function pageMeets(condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from page where page.space_id = page_search.space_id and page.id = page_search.page_id and ${condition})`
}

/** Whether the path contains a text; its words are looked up in the index first, if they are prefixes of words. */
function hasPath(value: string): RawBuilder<boolean> {
  const words = splitWords(value).filter(({ cjk }) => !cjk)
  const indexedWords = words.map(({ word }, index) => `'${word}'${index === words.length - 1 ? ':*' : ''}`)
  const inPath = pageMeets(sql`position(${value.toLowerCase()} in lower(page.path)) > 0`)
  return indexedWords.length === 0
    ? inPath
    : sql<boolean>`page_search.title @@ ${indexedWords.join(' & ')}::tsquery and ${inPath}`
}

/** Whether the page has a property; no page has a text that is no valid key. */
function hasProperty(key: string): RawBuilder<boolean> {
  try {
    return matchesAll(parseFilters(JSON.stringify([{ key, op: 'exists' }])))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return sql<boolean>`false`
  }
}

/** Whether a person or agent with this name or prefix created the page or changed it last; `me` is the caller. */
function isBy(actor: Caller, name: string): RawBuilder<boolean> {
  const principals = listNamed(actor, name)
  return pageMeets(sql`(page.updated_by in ${principals} or page.created_by in ${principals})`)
}

/** Whether somebody with this name or prefix has commented on it; `me` is the caller. */
function isCommentedBy(actor: Caller, name: string): RawBuilder<boolean> {
  return hasThread(sql`exists (select from comment where comment.space_id = thread.space_id
    and comment.thread_id = thread.id and comment.author_id in ${listNamed(actor, name)})`)
}

/** Whether there is such a thread of comments on the page: who reads the page reads it. */
function hasThread(condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from thread
    where thread.space_id = page_search.space_id and thread.page_id = page_search.page_id and ${condition})`
}

function listNamed(actor: Caller, name: string): RawBuilder<unknown> {
  return name.toLowerCase() === 'me'
    ? sql`(${actor.id}::uuid)`
    : sql`(select id from principal
      where lower(name) = lower(${name}) or starts_with(lower(name), lower(${name}) || ' '))`
}

export interface SearchedSpace {
  readonly id: number
  readonly slug: string
  /** Its own language, and those in the front matter of its pages. */
  readonly languages: readonly Language[]
  /** The places that folder rules hide from the caller; null: none. */
  readonly hidden: string | null
}

/** The spaces that the caller can read with the languages of their pages, in the order of their slugs. */
export const readSearched = read(
  'searched_spaces',
  (subject: AccessSubject) => sql<SearchedSpace>`
    select space.id, coalesce(space.slug, 'personal') as slug,
      array[space.language] || coalesce(named.languages, '{}') as languages, hidden.places::text as hidden
    from space ${memberJoin(subject)} ${hiddenJoin(subject)}
    left join (select space_id, array_agg(language::text) as languages from space_language group by space_id) named
      on named.space_id = space.id
    where ${rankIn(subject)} >= 1 order by coalesce(space.slug, 'personal') collate "C"`,
)
