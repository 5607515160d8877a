import { JsonError, parseJson } from '../../lib/json.ts'

/** A filter as a form has it: the value as somebody types it. */
export interface FilterRow {
  readonly key: string
  readonly op: string
  readonly value: string
}

/** Operators in the words of forms. */
export const OP_TEXTS = {
  eq: 'is',
  neq: 'is not',
  contains: 'contains',
  exists: 'is set',
  missing: 'is not set',
  gt: 'greater than / after',
  gte: 'at least / from',
  lt: 'less than / before',
  lte: 'at most / until',
} as const

/** Whether the operator takes a value. */
export function takesValue(op: string): boolean {
  return op !== 'exists' && op !== 'missing'
}

/** The filters in an address: `key`, `op` and `value` stand once for each; those without a key are none. */
export function filtersIn(query: URLSearchParams): FilterRow[] {
  const [ops, values] = [query.getAll('op'), query.getAll('value')]
  return query
    .getAll('key')
    .map((key, index) => ({ key, op: ops[index] ?? 'eq', value: values[index] ?? '' }))
    .filter(({ key }) => key !== '')
}

/** Puts the filters into an address. */
export function addFilters(query: URLSearchParams, filters: readonly FilterRow[]): void {
  for (const { key, op, value } of filters) {
    query.append('key', key)
    query.append('op', op)
    query.append('value', takesValue(op) ? value : '')
  }
}

/** The same for the query of metadata; undefined where there is none. */
export function filtersJson(filters: readonly FilterRow[]): string | undefined {
  if (filters.length === 0) return undefined
  const members = filters.map(({ key, op, value }) =>
    takesValue(op) ? { key, op, value: meantBy(value) } : { key, op },
  )
  return JSON.stringify(members)
}

/** What somebody typed as a value: JSON where it is JSON, such as `3`, `true` or `["a"]`; else text. */
export function meantBy(typed: string): unknown {
  try {
    return parseJson(typed)
  } catch (error) {
    if (error instanceof JsonError) return typed
    throw error
  }
}

/** What to type so that it means the value. */
export function typedOf(value: unknown): string {
  return typeof value === 'string' && meantBy(value) === value ? value : JSON.stringify(value)
}
