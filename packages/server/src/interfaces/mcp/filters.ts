import { FILTER_OP_NAMES, FILTER_OPS, isFilterOp } from '@recto/contract/filter-ops.ts'
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
    properties: {
      key: { type: 'string' },
      op: { type: 'string', enum: FILTER_OP_NAMES },
      value: { description: 'JSON.' },
    },
    required: ['key', 'op'],
    additionalProperties: false,
  },
  maxItems: 20,
  description: 'Such as {"key":"status","op":"eq","value":"draft"}; all must match.',
})

/** The filters as JSON text, as the use cases parse them. */
export function filtersText(filters: readonly Filter[]): string {
  return JSON.stringify(filters.map(lenient))
}

/** Without a value that says nothing, such as `true` for `exists`; numbers to compare with may be text. */
function lenient({ key, op, value }: Filter): Filter {
  const { operand } = isFilterOp(op) ? FILTER_OPS[op] : { operand: 'value' }
  if (operand === 'none' && (value === null || value === true || value === '')) return { key, op }
  const number = operand === 'comparable' && typeof value === 'string' ? exactNumber(value) : undefined
  return { key, op, ...(value !== undefined && { value: number ?? value }) }
}
