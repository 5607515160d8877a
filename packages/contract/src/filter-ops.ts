/** The operand of a filter: any value, an array of values, a text, a number or a date to compare with, or none. */
type Operand = 'value' | 'list' | 'text' | 'comparable' | 'none'

interface FilterOpSpec {
  readonly operand: Operand
  /** The sign after the key on the command line; `''` is the key alone, `!` is before the key. */
  readonly sign: string
  /** The text of the option in forms. */
  readonly label: string
  /** The condition on the value of the key, for the references. */
  readonly meaning: string
}

/**
 * The operators of metadata filters. This is the only table of them: the API, MCP, the types of the client, the forms
 * and the command line with its help are typed by it or generated from it, and a test compares docs/api.md.
 */
export const FILTER_OPS = {
  eq: { operand: 'value', sign: '=', label: 'is', meaning: 'equal JSON' },
  neq: { operand: 'value', sign: '!=', label: 'is not', meaning: 'another JSON value' },
  in: { operand: 'list', sign: '~~', label: 'is one of', meaning: 'equal to a value of the array' },
  notIn: { operand: 'list', sign: '!~~', label: 'is none of', meaning: 'a JSON value that the array does not have' },
  startsWith: { operand: 'text', sign: '^=', label: 'starts with', meaning: 'a string that starts with the operand' },
  contains: { operand: 'value', sign: '~', label: 'contains', meaning: 'an array that contains the operand' },
  exists: { operand: 'none', sign: '', label: 'is set', meaning: 'any value' },
  missing: { operand: 'none', sign: '!', label: 'is not set', meaning: 'no value' },
  gt: { operand: 'comparable', sign: '>', label: 'greater than / after', meaning: 'greater, or later' },
  gte: { operand: 'comparable', sign: '>=', label: 'at least / from', meaning: 'the same, greater or later' },
  lt: { operand: 'comparable', sign: '<', label: 'less than / before', meaning: 'less, or earlier' },
  lte: { operand: 'comparable', sign: '<=', label: 'at most / until', meaning: 'the same, less or earlier' },
} as const satisfies Record<string, FilterOpSpec>

export type FilterOp = keyof typeof FILTER_OPS
type OpWith<O extends Operand> = {
  [Op in FilterOp]: (typeof FILTER_OPS)[Op]['operand'] extends O ? Op : never
}[FilterOp]
/** The operators with an operand. */
export type ValueOp = OpWith<Exclude<Operand, 'none'>>
/** The operators that compare numbers with numbers and dates with dates. */
export type Comparison = OpWith<'comparable'>

export const FILTER_OP_NAMES = Object.keys(FILTER_OPS) as FilterOp[]

export function isFilterOp(op: unknown): op is FilterOp {
  return typeof op === 'string' && Object.hasOwn(FILTER_OPS, op)
}

/** Whether the operator has an operand. */
export function hasOperand(op: FilterOp): op is ValueOp {
  return FILTER_OPS[op].operand !== 'none'
}

/** All operators in a sentence, for references. */
export const FILTER_OPS_TEXT =
  `${FILTER_OP_NAMES.map((op) => `${op}: ${FILTER_OPS[op].meaning}`).join('; ')}. ` +
  `${FILTER_OP_NAMES.filter((op) => FILTER_OPS[op].operand === 'comparable').join(', ')} compare numbers with ` +
  `numbers and ISO dates with ISO dates, also with { "$date": "today+90d" } (now or today; h d w m y); ` +
  `${FILTER_OP_NAMES.filter((op) => !hasOperand(op)).join(' and ')} have no operand.`

/** A date relative to the time of a query, such as `today+90d`. */
export const RELATIVE_DATE = /^(now|today)(?:([+-]\d{1,5})([hdwmy]))?$/

/** The operand that is typed for an operator: a list may have commas, a relative date stands alone. */
export function parseOperand(op: string, typedText: string, parse: (text: string) => unknown): unknown {
  const value = parse(typedText)
  switch (isFilterOp(op) ? FILTER_OPS[op].operand : undefined) {
    case 'list':
      return Array.isArray(value) ? value : typedText.split(',').map((part) => parse(part.trim()))
    case 'text':
      return typeof value === 'string' ? value : typedText
    case 'comparable':
      return RELATIVE_DATE.test(typedText) ? { $date: typedText } : value
    default:
      return value
  }
}

/** The fields of a page that a query may name in place of a metadata key, and what they are compared as. */
export const PAGE_FIELDS = {
  title: 'text',
  path: 'text',
  createdAt: 'time',
  updatedAt: 'time',
  createdBy: 'id',
  updatedBy: 'id',
  updatedByKind: 'text',
  version: 'number',
} as const
export type PageField = keyof typeof PAGE_FIELDS

export const PAGE_FIELD_NAMES = Object.keys(PAGE_FIELDS) as PageField[]

export function isPageField(name: unknown): name is PageField {
  return typeof name === 'string' && Object.hasOwn(PAGE_FIELDS, name)
}

/** What a typed name names: `$title` the field of a page, anything else a metadata key. */
export function parseName(name: string): { readonly field: PageField } | { readonly key: string } {
  const field = name.startsWith('$') ? name.slice(1) : undefined
  return isPageField(field) ? { field } : { key: name }
}

/** The orders of typed names: one of `orderBy`, or several such as `due desc`. */
export function toOrder({
  orderBy,
  sort,
}: {
  readonly orderBy?: string | undefined
  readonly sort?: readonly string[] | undefined
}) {
  const orders = sort?.map((text) => {
    const [, name = text, order = 'asc'] = /^(.+) (asc|desc)$/s.exec(text) ?? []
    return JSON.stringify({ ...parseName(name), order })
  })
  const name = orderBy === undefined ? undefined : parseName(orderBy)
  return {
    ...(name && ('field' in name ? { orderByField: name.field } : { orderBy: name.key })),
    ...(orders && { sort: orders }),
  }
}

const NAMES = { key: { type: 'string' as const }, field: { type: 'string' as const, enum: PAGE_FIELD_NAMES } }

/** A filter with an operand on a metadata key, or on a field of the page. */
const withOperand = <N extends keyof typeof NAMES>(name: N) => ({
  type: 'object' as const,
  required: [name, 'op' as const, 'value' as const],
  properties: {
    [name]: NAMES[name],
    op: { type: 'string' as const, enum: FILTER_OP_NAMES.filter(hasOperand) },
    value: { description: 'Any JSON value.' },
  },
})

export const filterSchema = {
  description:
    `A condition on one metadata key, or on a field of the page: ${PAGE_FIELD_NAMES.join(', ')}. ` +
    `Value of the key: ${FILTER_OPS_TEXT}`,
  oneOf: [
    {
      type: 'object' as const,
      required: ['key', 'op'],
      properties: {
        key: NAMES.key,
        op: { type: 'string' as const, enum: FILTER_OP_NAMES.filter((op) => !hasOperand(op)) },
      },
    },
    withOperand('key'),
    withOperand('field'),
  ],
}
