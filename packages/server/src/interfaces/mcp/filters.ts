import { FILTER_OP_NAMES, FILTER_OPS, isFilterOp, parseName, RELATIVE_DATE } from '@recto/contract/filter-ops.ts'
import { exactNumber } from '@recto/lib/json/json.ts'
import { Type } from 'typebox'

interface Filter {
  readonly key: string
  readonly op: string
  readonly value?: unknown
}

/** Filters by metadata. */
export const filtersArgument = Type.Unsafe<readonly Filter[]>({
  type: 'array',
  items: {
    type: 'object',
    properties: { key: { type: 'string' }, op: { type: 'string', enum: FILTER_OP_NAMES }, value: {} },
    required: ['key', 'op'],
    additionalProperties: false,
  },
  maxItems: 20,
  description: 'E.g. {"key":"status","op":"eq","value":"draft"}; all must match.',
})

/** The filters as JSON text, as the use cases parse them. */
export function filtersText(filters: readonly Filter[]): string {
  return JSON.stringify(
    filters.map((filter) => {
      const { key, ...condition } = lenient(filter)
      return { ...parseName(key), ...condition }
    }),
  )
}

/**
 * Without a value that says nothing, such as `true` for `exists`; numbers and relative dates to compare with may be
 * text, a list one value.
 */
function lenient({ key, op, value }: Filter): Filter {
  const { operand } = isFilterOp(op) ? FILTER_OPS[op] : { operand: 'value' }
  if (operand === 'none' && (value === null || value === true || value === '')) return { key, op }
  if (operand === 'list' && value !== undefined && !Array.isArray(value)) return { key, op, value: [value] }
  if (operand === 'comparable' && typeof value === 'string' && RELATIVE_DATE.test(value))
    return { key, op, value: { $date: value } }
  const number = operand === 'comparable' && typeof value === 'string' ? exactNumber(value) : undefined
  return { key, op, ...(value !== undefined && { value: number ?? value }) }
}
