import { AppError, type Issue } from '@recto/contract/errors.ts'
import {
  type Comparison,
  FILTER_OP_NAMES,
  hasOperand,
  isFilterOp,
  isPageField,
  PAGE_FIELD_NAMES,
  PAGE_FIELDS,
  type ValueOp,
} from '@recto/contract/filter-ops.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { isJsonObject, JsonError, parseJson, pointerTo } from '@recto/lib/json/json.ts'
import { type Clock, resolveDate } from './relative-date.ts'
import {
  intersect,
  prefixRanges,
  type SortKey,
  type SortRange,
  TEXT_CHARACTERS,
  textSortKey,
  toSortKey,
  toSortRange,
  wholeSortKey,
} from './sort-key.ts'
import { fieldKey, keyProblem, unstorable } from './value.ts'

/**
 * A condition on a page. `range` compares numbers with numbers, dates with dates and strings by their beginning;
 * `oneOf` is `in` where sort keys are the whole values, and `equal` where they are not. The `sorts` of `differs` are
 * those of the values, if all have one. `prefix` has the intervals of strings that may begin so. `element` is a
 * `contains` that rows of elements decide (elements.ts).
 */
export type Condition =
  | FieldCondition
  | { readonly kind: 'equal'; readonly key: string; readonly values: readonly unknown[] }
  | { readonly kind: 'prefix'; readonly key: string; readonly text: string; readonly ranges: readonly SortRange[] }
  | { readonly kind: 'element'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'contains'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'present'; readonly key: string }
  | { readonly kind: 'absent'; readonly key: string }

const MAX_FILTERS = 20
const MAX_VALUES = 100
const MEMBERS = ['key', 'field', 'op', 'value']

/** Parses the parameter `filters`, a JSON array; the error lists every mistake. Relative dates are by the clock. */
export function parseFilters(text: string, clock: Clock = { now: new Date(), timeZone: 'UTC' }): Condition[] {
  const filters = parseArray(text)
  const issues: Issue[] = []
  const conditions = filters.flatMap((filter, index) => {
    const parsedFilter = parseFilter(filter, `filters/${index}`, clock)
    if ('kind' in parsedFilter) return [parsedFilter]
    issues.push(parsedFilter)
    return []
  })
  if (issues.length > 0) throw invalid(issues)
  return mergeRanges(conditions)
}

/** With one range for all comparisons of a key, which an index reads at once. */
function mergeRanges(conditions: readonly Condition[]): Condition[] {
  const ranges = new Map<string, SortRange>()
  for (const condition of conditions) {
    if (condition.kind !== 'range') continue
    const other = ranges.get(condition.key)
    ranges.set(condition.key, other ? intersect(other, condition.range) : condition.range)
  }
  const mergedRanges = [...ranges].map(([key, range]) => ({ kind: 'range', key, range }) as const)
  return [...mergedRanges, ...conditions.filter(({ kind }) => kind !== 'range')]
}

function parseArray(text: string): readonly unknown[] {
  const value = parseText(text)
  if (!Array.isArray(value)) throw invalid([{ path: 'filters', message: 'must be a JSON array of filters' }])
  if (value.length <= MAX_FILTERS) return value
  throw invalid([{ path: 'filters', message: `must not have more than ${MAX_FILTERS} filters` }])
}

function parseText(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw invalid([{ path: `filters${error.pointer ?? ''}`, message: `must be JSON, URL-encoded: ${error.message}` }])
  }
}

function parseFilter(filter: unknown, path: string, clock: Clock): Condition | Issue {
  if (!isJsonObject(filter)) return { path, message: 'must be an object of key, op and value' }
  const unknownMember = Object.keys(filter).find((name) => !MEMBERS.includes(name))
  if (unknownMember !== undefined)
    return { path: pointerTo(path, unknownMember), message: 'is not a member of a filter' }
  const { key, field, op, value } = filter
  if (field !== undefined) return parseOnField(filter, path, clock)
  if (typeof key !== 'string') return { path: `${path}/key`, message: 'must be a metadata key' }
  const problem = keyProblem(key)
  if (problem !== undefined) return { path: `${path}/key`, message: problem }
  if (!isFilterOp(op)) return { path: `${path}/op`, message: `must be one of ${FILTER_OP_NAMES.join(', ')}` }
  const hasValue = Object.hasOwn(filter, 'value')
  if (!hasOperand(op)) {
    if (hasValue) return { path: `${path}/value`, message: `must be left out with ${op}` }
    return { kind: op === 'exists' ? 'present' : 'absent', key }
  }
  if (!hasValue) return { path: `${path}/value`, message: `is required with ${op}` }
  return (
    unstorable(value, `${path}/value`) ?? listIssue(op, value, path) ?? parseCondition({ op, key, value, path, clock })
  )
}

function parseOnField(filter: Readonly<Record<string, unknown>>, path: string, clock: Clock): Condition | Issue {
  const { key, field, op, value } = filter
  if (key !== undefined) return { path: `${path}/field`, message: 'must be left out with key' }
  if (!isPageField(field)) return { path: `${path}/field`, message: `must be one of ${PAGE_FIELD_NAMES.join(', ')}` }
  if (!isFilterOp(op) || !hasOperand(op))
    return { path: `${path}/op`, message: 'must be an operator with a value: every page has its fields' }
  const condition = listIssue(op, value, path) ?? parseFieldFilter({ field, op, value, clock })
  return 'message' in condition ? { path: `${path}/value`, message: condition.message } : condition
}

function listIssue(op: ValueOp, value: unknown, path: string): Issue | undefined {
  if ((op !== 'in' && op !== 'notIn') || (Array.isArray(value) && value.length <= MAX_VALUES)) return undefined
  return { path: `${path}/value`, message: `must be an array of at most ${MAX_VALUES} values with ${op}` }
}

interface Operation {
  readonly op: ValueOp
  readonly key: string
  readonly value: unknown
  readonly path: string
  readonly clock: Clock
}

function parseCondition(operation: Operation): Condition | Issue {
  const { op, key, value, path } = operation
  switch (op) {
    case 'eq':
      return matchAnyValue(key, [value])
    case 'neq':
      return { kind: 'differs', key, values: [value], sorts: wholeSortKeys([value]) }
    case 'in':
      return matchAnyValue(key, value as readonly unknown[])
    case 'notIn':
      return {
        kind: 'differs',
        key,
        values: value as readonly unknown[],
        sorts: wholeSortKeys(value as readonly unknown[]),
      }
    case 'startsWith':
      if (typeof value !== 'string') return { path: `${path}/value`, message: `must be a string with ${op}` }
      return startsWith(key, value)
    case 'contains':
      return { kind: 'contains', key, value }
    default:
      return comparison(op, operation)
  }
}

function matchAnyValue(key: string, values: readonly unknown[]): Condition {
  const sorts = wholeSortKeys(values)
  if (!sorts) return { kind: 'equal', key, values }
  const [only] = sorts
  if (sorts.length > 1 || only === undefined) return { kind: 'oneOf', key, sorts }
  return { kind: 'range', key, range: { from: only, fromIncluded: true, to: only, toIncluded: true } }
}

/** The sort keys of the values, if each is the whole value. */
function wholeSortKeys(values: readonly unknown[]): readonly SortKey[] | undefined {
  const sorts = values.flatMap((value) => wholeSortKey(value) ?? [])
  return sorts.length === values.length ? sorts : undefined
}

function startsWith(key: string, text: string): Condition {
  const { ranges, isDecided } = prefixRanges(text)
  const [only] = ranges
  return isDecided && only ? { kind: 'range', key, range: only } : { kind: 'prefix', key, text, ranges }
}

function comparison(op: Comparison, { key, value, path, clock }: Operation): Condition | Issue {
  const range = toSortRange(op, resolveDate(value, clock))
  if (range) return { kind: 'range', key, range }
  const message = `must be a number, an ISO date or date-time, or { "$date": "today+90d" }, with ${op}`
  return { path: `${path}/value`, message }
}

function invalid(issues: readonly Issue[]): AppError {
  const first = issues[0]
  return new AppError('invalid_request', `The filters are not valid: ${first?.path} ${first?.message}.`, { issues })
}

type FieldKind = (typeof PAGE_FIELDS)[keyof typeof PAGE_FIELDS]

/** What an operand must be, and its sort key if it is that: for every kind of field the complete value. */
const OPERANDS: Readonly<Record<FieldKind, readonly [what: string, toKey: (value: unknown) => SortKey | undefined]>> = {
  text: [
    `a string of less than ${TEXT_CHARACTERS} characters`,
    (value) => (typeof value === 'string' && value.length < TEXT_CHARACTERS ? textSortKey(value) : undefined),
  ],
  number: ['a number', (value) => (typeof value === 'number' ? toSortKey(value) : undefined)],
  time: ['an ISO date or date-time', (value) => (isTime(value) ? toSortKey(value) : undefined)],
  id: [
    'an id',
    (value) => (typeof value === 'string' && isUuid(value) ? value.replaceAll('-', '').toLowerCase() : undefined),
  ],
}

/** The kinds whose values are greater or less. */
const NUMERIC: readonly FieldKind[] = ['number', 'time']

/** Those of the conditions of filters.ts that sort keys can decide. */
type FieldCondition =
  | { readonly kind: 'range'; readonly key: string; readonly range: SortRange }
  | { readonly kind: 'oneOf'; readonly key: string; readonly sorts: readonly SortKey[] }
  | {
      readonly kind: 'differs'
      readonly key: string
      readonly values: readonly unknown[]
      readonly sorts: readonly SortKey[] | undefined
    }

interface FieldFilter {
  readonly field: keyof typeof PAGE_FIELDS
  readonly op: ValueOp
  readonly value: unknown
  readonly clock: Clock
}

/** The condition of a filter on a field, which sort keys decide alone; otherwise what is wrong with it. */
function parseFieldFilter(filter: FieldFilter): FieldCondition | { readonly message: string } {
  const { field, op, value, clock } = filter
  const key = fieldKey(field)
  const kind = PAGE_FIELDS[field]
  const [what, toKey] = OPERANDS[kind]
  if (op === 'contains') return { message: 'must be another operator with a field' }
  if (op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte') {
    const operand = resolveDate(value, clock)
    const range = NUMERIC.includes(kind) && toKey(operand) ? toSortRange(op, operand) : undefined
    return range ? { kind: 'range', key, range } : { message: `compares only dates and numbers, as ${field} has them` }
  }
  const operands = op === 'in' || op === 'notIn' ? (value as readonly unknown[]) : [value]
  const sorts = operands.flatMap((each) => toKey(each) ?? [])
  const [first = ''] = sorts
  if (sorts.length < operands.length) return { message: `must be ${what}` }
  if (op === 'neq' || op === 'notIn') return { kind: 'differs', key, values: operands, sorts }
  if (op !== 'startsWith') return { kind: 'oneOf', key, sorts }
  if (kind !== 'text') return { message: 'must be another operator with this field' }
  return { kind: 'range', key, range: { from: first, fromIncluded: true, to: `${first}ff`, toIncluded: false } }
}

const isTime = (value: unknown) => typeof value === 'string' && toSortKey(value).startsWith('02')
