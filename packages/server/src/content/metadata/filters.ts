import { AppError, type Issue } from '@recto/contract/errors.ts'
import { type Comparison, FILTER_OP_NAMES, hasOperand, isFilterOp, type ValueOp } from '@recto/contract/filter-ops.ts'
import { isJsonObject, JsonError, parseJson, pointerTo } from '@recto/lib/json/json.ts'
import { equalRange, intersect, type SortRange, toSortRange } from './sort-key.ts'
import { keyProblem, unstorable } from './value.ts'

/**
 * A condition on a page. `range` compares numbers with numbers, dates with dates and, where both ends are the same,
 * short strings; the `range` of `differs` is that of the value, if it has one. `element` is a `contains` that rows of
 * elements decide (elements.ts).
 */
export type Condition =
  | { readonly kind: 'equal'; readonly key: string; readonly value: unknown }
  | {
      readonly kind: 'differs'
      readonly key: string
      readonly value: unknown
      readonly range: SortRange | undefined
    }
  | { readonly kind: 'element'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'contains'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'present'; readonly key: string }
  | { readonly kind: 'absent'; readonly key: string }
  | { readonly kind: 'range'; readonly key: string; readonly range: SortRange }

const MAX_FILTERS = 20
const MEMBERS = ['key', 'op', 'value']

/** Parses the parameter `filters`, a JSON array; the error lists every mistake in it. */
export function parseFilters(text: string): Condition[] {
  const filters = parseArray(text)
  const issues: Issue[] = []
  const conditions = filters.flatMap((filter, index) => {
    const parsedFilter = parseFilter(filter, `filters/${index}`)
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

function parseFilter(filter: unknown, path: string): Condition | Issue {
  if (!isJsonObject(filter)) return { path, message: 'must be an object of key, op and value' }
  const unknownMember = Object.keys(filter).find((name) => !MEMBERS.includes(name))
  if (unknownMember !== undefined)
    return { path: pointerTo(path, unknownMember), message: 'is not a member of a filter' }
  const { key, op, value } = filter
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
  return unstorable(value, `${path}/value`) ?? parseCondition(op, key, value, path)
}

function parseCondition(op: ValueOp, key: string, value: unknown, path: string): Condition | Issue {
  switch (op) {
    case 'eq': {
      const range = equalRange(value)
      return range ? { kind: 'range', key, range } : { kind: 'equal', key, value }
    }
    case 'neq':
      return { kind: 'differs', key, value, range: equalRange(value) }
    case 'contains':
      return { kind: 'contains', key, value }
    default:
      return comparison(op, key, value, path)
  }
}

function comparison(op: Comparison, key: string, value: unknown, path: string): Condition | Issue {
  const range = toSortRange(op, value)
  if (range) return { kind: 'range', key, range }
  return { path: `${path}/value`, message: `must be a number, or an ISO date or date-time, with ${op}` }
}

function invalid(issues: readonly Issue[]): AppError {
  const first = issues[0]
  return new AppError('invalid_request', `The filters are not valid: ${first?.path} ${first?.message}.`, {
    issues,
  })
}
