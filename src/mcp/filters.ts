import { Type } from 'typebox'
import { FILTER_OPS } from '../metadata/filters.ts'

interface Filter {
  readonly key: string
  readonly op: string
  readonly value?: unknown
}

/** Filters by metadata, as a list or as the JSON of one, which some agents send for lists. */
export const filtersArgument = Type.Unsafe<string | readonly Filter[]>({
  type: ['array', 'string'],
  items: {
    type: 'object',
    properties: {
      key: { type: 'string' },
      op: { type: 'string', enum: FILTER_OPS },
      value: { description: 'Any JSON value; left out with exists and missing.' },
    },
    required: ['key', 'op'],
    additionalProperties: false,
  },
  maxItems: 20,
  description:
    'Conditions that a page has to meet, all of them, such as [{"key":"status","op":"eq","value":"draft"}]. eq, neq: equal JSON; gt, gte, lt, lte: numbers with numbers, ISO dates with ISO dates; contains: an array that holds the value; exists, missing: without value.',
})

/** The filters as the use cases read them. */
export function filtersText(filters: string | readonly Filter[]): string {
  return typeof filters === 'string' ? filters : JSON.stringify(filters)
}
