import { PAGE_FIELDS, type ValueOp } from '@recto/contract/filter-ops.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { fieldKey } from './field-key.ts'
import { type Clock, resolveDate } from './relative-date.ts'
import { type SortKey, type SortRange, TEXT_CHARACTERS, textSortKey, toSortKey, toSortRange } from './sort-key.ts'

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
export type FieldCondition =
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
export function parseFieldFilter({
  field,
  op,
  value,
  clock,
}: FieldFilter): FieldCondition | { readonly message: string } {
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
