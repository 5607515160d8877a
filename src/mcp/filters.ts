import { Type } from 'typebox'
import { FILTER_OP_NAMES } from '../metadata/filter-ops.ts'

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
  return JSON.stringify(filters)
}
