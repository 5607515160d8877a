import { type AppError, inputError } from '@recto/contract/errors.ts'
import { isPageField, PAGE_FIELD_NAMES } from '@recto/contract/filter-ops.ts'
import { isJsonObject, JsonError, parseJson } from '@recto/lib/json/json.ts'
import { fieldKey } from './field-key.ts'
import type { Order } from './sort-position.ts'
import { keyProblem } from './value.ts'

const MAX_ORDERS = 3
const MEMBERS = ['key', 'field', 'order']

export interface OrderInput {
  readonly orderBy?: string
  readonly orderByField?: string
  readonly order?: 'asc' | 'desc'
  /** In place of these several orders, each as JSON. */
  readonly sort?: readonly string[]
}

/** The orders of a query, the most significant first: of `orderBy` or `orderByField`, or the JSON of each `sort`. */
export function parseOrders({ orderBy, orderByField, order, sort }: OrderInput): Order[] {
  if (orderBy === undefined && orderByField === undefined) {
    if (order !== undefined) throw invalid('order', 'must be left out without orderBy')
    return parseSort(sort ?? [])
  }
  if (sort) throw invalid('sort', 'must be left out with orderBy')
  if (orderBy !== undefined && orderByField !== undefined)
    throw invalid('orderByField', 'must be left out with orderBy')
  const name = orderBy === undefined ? 'orderByField' : 'orderBy'
  return [{ key: parseKey({ key: orderBy, field: orderByField }, name), descending: order === 'desc' }]
}

function parseSort(sort: readonly string[]): Order[] {
  if (sort.length > MAX_ORDERS) throw invalid('sort', `must not be repeated more than ${MAX_ORDERS} times`)
  const orders = sort.map((text, index) => {
    const value = parseOrder(text)
    const { order = 'asc', ...named } = value ?? {}
    if (!value || Object.keys(value).some((name) => !MEMBERS.includes(name)) || (order !== 'asc' && order !== 'desc'))
      throw invalid(`sort/${index}`, 'must be JSON like { "key": "due", "order": "desc" }, or with field')
    return { key: parseKey(named, `sort/${index}`), descending: order === 'desc' }
  })
  if (new Set(orders.map(({ key }) => key)).size < orders.length) throw invalid('sort', 'must not name a key twice')
  return orders
}

function parseOrder(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function parseKey({ key, field }: { readonly key?: unknown; readonly field?: unknown }, path: string): string {
  if (key === undefined) {
    if (isPageField(field)) return fieldKey(field)
    throw invalid(path, `must name a key, or a field: ${PAGE_FIELD_NAMES.join(', ')}`)
  }
  const problem = field === undefined && typeof key === 'string' ? keyProblem(key) : 'must name one key or field'
  if (typeof key !== 'string' || problem !== undefined) throw invalid(path, problem ?? '')
  return key
}

function invalid(path: string, message: string): AppError {
  return inputError('invalid_request', `The parameter ${path} ${message}.`, path, message)
}
