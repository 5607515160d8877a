import { Type } from 'typebox'
import { FILTER_OP_NAMES, FILTER_OPS_TEXT } from '../metadata/filter-ops.ts'

interface Filter {
  readonly key: string
  readonly op: string
  readonly value?: unknown
}

/** Filters by metadata: a list, or its JSON as a string, which some agents send instead. */
export const filtersArgument = Type.Unsafe<string | readonly Filter[]>({
  type: ['array', 'string'],
  items: {
    type: 'object',
    properties: {
      key: { type: 'string' },
      op: { type: 'string', enum: FILTER_OP_NAMES },
      value: { description: 'Any JSON value.' },
    },
    required: ['key', 'op'],
    additionalProperties: false,
  },
  maxItems: 20,
  description: `Conditions on metadata; a page must match all, such as [{"key":"status","op":"eq","value":"draft"}]. Value of the key: ${FILTER_OPS_TEXT}`,
})

/** The filters as JSON text, as the use cases parse them. */
export function filtersText(filters: string | readonly Filter[]): string {
  return typeof filters === 'string' ? filters : JSON.stringify(filters)
}
