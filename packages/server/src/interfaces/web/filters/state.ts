import { hasOperand, isFilterOp, parseName, parseOperand } from '@recto/contract/filter-ops.ts'
import { JsonError, parseJson } from '@recto/lib/json/json.ts'

/** A filter in a form; `value` is what was typed. */
export interface FilterRow {
  readonly key: string
  readonly op: string
  readonly value: string
}

/** Whether the operator takes a value. An unknown one does: the API rejects it with its name. */
export function takesValue(op: string): boolean {
  return !isFilterOp(op) || hasOperand(op)
}

/** The filters in a query: `key`, `op` and `value` are repeated for each; a filter without a key is dropped. */
export function filtersIn(query: URLSearchParams): FilterRow[] {
  const [ops, values] = [query.getAll('op'), query.getAll('value')]
  return query
    .getAll('key')
    .map((key, index) => ({ key, op: ops[index] ?? 'eq', value: values[index] ?? '' }))
    .filter(({ key }) => key !== '')
}

export function addFilters(query: URLSearchParams, filters: readonly FilterRow[]): void {
  for (const { key, op, value } of filters) {
    query.append('key', key)
    query.append('op', op)
    query.append('value', takesValue(op) ? value : '')
  }
}

/** The filters as JSON for a metadata query; undefined if there are none. */
export function filtersJson(filters: readonly FilterRow[]): string | undefined {
  if (filters.length === 0) return undefined
  const members = filters.map(({ key, op, value }) =>
    takesValue(op) ? { ...parseName(key), op, value: parseOperand(op, value, parseTyped) } : { ...parseName(key), op },
  )
  return JSON.stringify(members)
}

/** Parses a typed value: JSON if it is JSON, such as `3`, `true` or `["a"]`; else text. */
export function parseTyped(typedText: string): unknown {
  try {
    return parseJson(typedText)
  } catch (error) {
    if (error instanceof JsonError) return typedText
    throw error
  }
}

/** The inverse of `parseTyped`. */
export function formatTyped(value: unknown): string {
  return typeof value === 'string' && parseTyped(value) === value ? value : JSON.stringify(value)
}
