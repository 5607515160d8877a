import type { PageField } from '@recto/contract/filter-ops.ts'
import { type RawBuilder, sql } from 'kysely'
import { elementKey, longArrayKey } from '../elements.ts'
import type { Condition } from '../filters.ts'
import { entryKey, entryKeyRange, type SortKey, type SortRange } from '../sort-key.ts'
import { fieldOfKey, objectText } from '../value.ts'

/** The sort key of each field, without a key before it; of ids their bytes. Each has an index, but the kind. */
const FIELD_KEYS: Readonly<Record<PageField, (stored: RawBuilder<unknown>) => RawBuilder<unknown>>> = {
  title: (stored) => sql`field_key(${stored}.title)`,
  path: (stored) => sql`field_key(${stored}.path)`,
  createdAt: (stored) => sql`field_key(${stored}.created_at)`,
  updatedAt: (stored) => sql`field_key(${stored}.updated_at)`,
  createdBy: (stored) => sql`uuid_send(${stored}.created_by)`,
  updatedBy: (stored) => sql`uuid_send(${stored}.updated_by)`,
  updatedByKind: () => sql`field_key(editor.kind::text)`,
  version: (stored) => sql`field_key(${stored}.version)`,
}

/** The entries of a key: rows of `metadata_entry`, or a field of all pages as if it were one. `alias`: for plans. */
export function entriesOfKey(key: string, alias = sql.ref('stored')): RawBuilder<unknown> {
  const field = fieldOfKey(key)
  if (field === undefined) return sql.table('metadata_entry')
  const join = field === 'updatedByKind' ? sql`join principal editor on editor.id = ${alias}.updated_by` : sql``
  return sql`(select ${alias}.space_id, ${alias}.id as page_id, ${FIELD_KEYS[field](alias)} as rank
    from page ${alias} ${join})`
}

/*
 * What the kinds of conditions are in SQL, one row of the table for each. Nothing else asks for the kind of a
 * condition; a new kind compiles once it has every member. The aliases are those of store-conditions.ts.
 */

export interface IndexRows {
  readonly table: RawBuilder<unknown>
  /** The same with a name of the stored row in plans; absent: its alias is the name. */
  readonly tableAs?: (alias: RawBuilder<unknown>) => RawBuilder<unknown>
  readonly is: (alias: RawBuilder<unknown>) => RawBuilder<boolean>
}

/** What of the index knows how many pages meet a condition. */
interface Bounds {
  /** Rows of all pages that meet it, and perhaps of others; undefined: all pages may meet it. */
  readonly most: IndexRows | undefined
  /** Those among them, or among all pages, that do not meet it. */
  readonly without?: IndexRows | undefined
}

/** Where the row of a condition is joined, and whether `metadata` is. */
interface JoinedRows {
  readonly row: RawBuilder<unknown> | undefined
  readonly hasDocument: boolean
}

interface ConditionKind<C> {
  /** The rows that an index finds, of all pages that meet the condition and perhaps of others. */
  readonly rows: (condition: C) => IndexRows | undefined
  /** Whether each page of these rows meets the condition. */
  readonly decidedByRows: boolean
  /** Whether only pages with an entry of the key meet the condition, and the entry decides it. */
  readonly needsEntry: boolean
  /** Whether only pages with a row of the condition's own meet it: the key may have several. */
  readonly needsOwnRow: boolean
  /** Whether only pages with a document meet the condition, and the document decides it. */
  readonly needsDocument: (condition: C) => boolean
  /** Whether a document decides it where one is joined. */
  readonly readsDocument: (condition: C) => boolean
  /** By what the planner's statistics know; undefined: they know nothing of documents. */
  readonly bounds: ((condition: C) => Bounds) | undefined
  /** The tests of a page whose rows are joined. */
  readonly test: (condition: C, joined: JoinedRows) => readonly RawBuilder<boolean>[]
}

type Kind = Condition['kind']
type KindCondition<K extends Kind> = Condition & { readonly kind: K }

const never = () => false
const always = () => true
const noRows = () => undefined
const needsDocumentOfDiffers = ({ sorts }: KindCondition<'differs'>) => sorts === undefined

const KINDS: { readonly [K in Kind]: ConditionKind<KindCondition<K>> } = {
  equal: {
    rows: noRows,
    decidedByRows: false,
    needsEntry: false,
    needsOwnRow: false,
    needsDocument: always,
    readsDocument: always,
    bounds: undefined,
    test: ({ key, values }) => [or(values.map((value) => all(containment({ key, value, isElement: false }))))],
  },
  contains: {
    rows: noRows,
    decidedByRows: false,
    needsEntry: false,
    needsOwnRow: false,
    needsDocument: always,
    readsDocument: always,
    bounds: undefined,
    test: ({ key, value }) => containment({ key, value, isElement: true }),
  },
  differs: {
    rows: noRows,
    decidedByRows: false,
    needsEntry: true,
    needsOwnRow: false,
    needsDocument: needsDocumentOfDiffers,
    readsDocument: needsDocumentOfDiffers,
    bounds: ({ key, sorts }) => ({ most: rowsOfKey(key), without: sorts && rowsOfValues(key, sorts) }),
    test: ({ key, values, sorts }, { row }) => [
      sorts && row !== undefined
        ? sql<boolean>`not (${rowsOfValues(key, sorts).is(row)})`
        : sql<boolean>`${valueInDocument(key)} <> all
          (${values.map((value) => JSON.stringify(value))}::text[]::jsonb[])`,
    ],
  },
  oneOf: {
    rows: ({ key, sorts }) => rowsOfValues(key, sorts),
    decidedByRows: true,
    needsEntry: true,
    needsOwnRow: false,
    needsDocument: never,
    readsDocument: never,
    bounds: ({ key, sorts }) => ({ most: rowsOfValues(key, sorts) }),
    test: ({ key, sorts }, { row }) => (row === undefined ? [] : [rowsOfValues(key, sorts).is(row)]),
  },
  prefix: {
    rows: ({ key, ranges }) => rowsInRanges(key, ranges),
    decidedByRows: false,
    needsEntry: true,
    needsOwnRow: false,
    needsDocument: always,
    readsDocument: always,
    bounds: ({ key, ranges }) => ({ most: rowsInRanges(key, ranges) }),
    test: ({ key, text, ranges }, { row }) => [
      ...(row === undefined ? [] : [rowsInRanges(key, ranges).is(row)]),
      // Within a `case`: the planner would expect next to no rows from a bare comparison.
      sql<boolean>`case when jsonb_typeof(${valueInDocument(key)}) = 'string'
        and starts_with(metadata.doc ->> ${key}::text, ${text}::text) then true else false end`,
    ],
  },
  element: {
    rows: ({ key, value }) => ({
      table: sql.table('metadata_element'),
      is: (alias) =>
        sql<boolean>`${alias}.rank in (${sql.join([elementKey(key, value), longArrayKey(key)].map(toBytes))})`,
    }),
    // The row of a long array names no element.
    decidedByRows: false,
    needsEntry: false,
    needsOwnRow: true,
    needsDocument: never,
    readsDocument: never,
    bounds: (condition) => ({ most: selectRows(condition) }),
    test: (condition, { row }) => (row === undefined ? [] : [isElement(condition, row)]),
  },
  range: {
    rows: ({ key, range }) => rowsInRange(key, range),
    decidedByRows: true,
    needsEntry: true,
    needsOwnRow: false,
    needsDocument: never,
    readsDocument: never,
    bounds: ({ key, range }) => ({ most: rowsInRange(key, range) }),
    test: ({ key, range }, { row }) => (row === undefined ? [] : [rowsInRange(key, range).is(row)]),
  },
  present: {
    rows: ({ key }) => rowsOfKey(key),
    decidedByRows: true,
    needsEntry: true,
    needsOwnRow: false,
    needsDocument: never,
    readsDocument: never,
    bounds: ({ key }) => ({ most: rowsOfKey(key) }),
    test: () => [], // its entry is joined
  },
  absent: {
    rows: noRows,
    decidedByRows: false,
    needsEntry: false,
    needsOwnRow: false,
    needsDocument: never,
    readsDocument: always,
    bounds: ({ key }) => ({ most: undefined, without: rowsOfKey(key) }),
    // `offset 0` keeps it a look-up by the key of the entry, where other rows of the page are joined.
    test: ({ key }, { hasDocument }) => [
      hasDocument
        ? sql<boolean>`not coalesce(metadata.doc ? ${key}::text, false)`
        : sql<boolean>`not exists (${entryOfPage(key)} offset 0)`,
    ],
  },
}

function findKind<C extends Condition>({ kind }: C): ConditionKind<C> {
  return KINDS[kind] as unknown as ConditionKind<C> // the member of its own kind
}

export const selectRows = (condition: Condition) => findKind(condition).rows(condition)
export const isDecidedByRows = (condition: Condition) => findKind(condition).decidedByRows
export const needsEntry = (condition: Condition) => findKind(condition).needsEntry
export const needsOwnRow = (condition: Condition) => findKind(condition).needsOwnRow
export const needsDocument = (condition: Condition) => findKind(condition).needsDocument(condition)
export const readsDocument = (condition: Condition) => findKind(condition).readsDocument(condition)
export const findBounds = (condition: Condition) => findKind(condition).bounds?.(condition)
export const buildTest = (condition: Condition, joined: JoinedRows) => findKind(condition).test(condition, joined)

export function isOfKey(key: string, alias: RawBuilder<unknown>): RawBuilder<boolean> {
  return isInRange(alias, entryKeyRange(key))
}

export function entryOfPage(key: string): RawBuilder<unknown> {
  return sql`select probed.rank from ${entriesOfKey(key)} probed
    where probed.space_id = page.space_id and probed.page_id = page.id and ${isOfKey(key, sql.ref('probed'))}`
}

export function entryKeyBytes(key: string, value: SortKey): RawBuilder<unknown> {
  return toBytes(entryKey(key, value))
}

export function all(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

function or(conditions: readonly RawBuilder<unknown>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(conditions, sql` or `)})`
}

function entryRows(key: string, is: IndexRows['is']): IndexRows {
  return { table: entriesOfKey(key), tableAs: (alias) => entriesOfKey(key, alias), is }
}

function rowsOfKey(key: string): IndexRows {
  return entryRows(key, (alias) => isOfKey(key, alias))
}

function rowsInRange(key: string, range: SortRange): IndexRows {
  const keys = { ...range, from: entryKey(key, range.from), to: entryKey(key, range.to) }
  return entryRows(key, (alias) => isInRange(alias, keys))
}

function rowsInRanges(key: string, ranges: readonly SortRange[]): IndexRows {
  return entryRows(key, (alias) => or(ranges.map((range) => rowsInRange(key, range).is(alias))))
}

function rowsOfValues(key: string, sorts: readonly SortKey[]): IndexRows {
  const ranks = sorts.map((sort) => `\\x${entryKey(key, sort)}`)
  return entryRows(key, (alias) => sql<boolean>`${alias}.rank = any (${ranks}::bytea[])`)
}

function isInRange(alias: RawBuilder<unknown>, keys: SortRange): RawBuilder<boolean> {
  return sql<boolean>`${alias}.rank ${keys.fromIncluded ? sql`>=` : sql`>`} ${toBytes(keys.from)}
    and ${alias}.rank ${keys.toIncluded ? sql`<=` : sql`<`} ${toBytes(keys.to)}`
}

function toBytes(hexadecimal: string): RawBuilder<unknown> {
  return sql`decode(${hexadecimal}, 'hex')`
}

/** A row of a long array names no element: the few documents decide, read once, and only where such a row is met. */
function isElement({ key, value }: KindCondition<'element'>, row: RawBuilder<unknown>) {
  return sql<boolean>`(${row}.rank = ${toBytes(elementKey(key, value))} or page.id = any(array(
    select long.page_id from metadata_element long
    cross join lateral (
      select from page_metadata metadata where metadata.space_id = long.space_id and metadata.page_id = long.page_id
        and ${all(containment({ key, value, isElement: true }))} offset 0
    ) document
    where long.rank = ${toBytes(longArrayKey(key))})))`
}

/** A value that a key has, or that is an element of its array. */
interface Containment {
  readonly key: string
  readonly value: unknown
  readonly isElement: boolean
}

/**
 * `@>`, which the index page_metadata_doc serves, and which decides scalars. {"a":1,"b":2} contains {"a":1}: other
 * values are compared as well, within a `case`, lest the planner expect next to no rows.
 */
function containment({ key, value, isElement }: Containment): RawBuilder<boolean>[] {
  const document = objectText([[key, isElement ? [value] : value]])
  const contains = sql<boolean>`metadata.doc @> ${document}::jsonb`
  if (typeof value !== 'object' || value === null) return [contains]
  const json = JSON.stringify(value)
  const equal = isElement
    ? sql`jsonb_typeof(${valueInDocument(key)}) = 'array'
          and exists (select from jsonb_array_elements(${valueInDocument(key)}) as element (value)
            where element.value = ${json}::jsonb)`
    : sql`${valueInDocument(key)} = ${json}::jsonb`
  return [contains, sql<boolean>`case when ${equal} then true else false end`]
}

function valueInDocument(key: string): RawBuilder<unknown> {
  return sql`(metadata.doc -> ${key}::text)`
}
