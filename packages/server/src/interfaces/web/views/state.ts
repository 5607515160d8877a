import { addFilters, type FilterRow, filtersIn } from '../filters/state.ts'

/** The state of a view, which its URL contains. */
export interface ViewState {
  /** Absent: all spaces that the reader can see. */
  readonly space: string | undefined
  readonly filters: readonly FilterRow[]
  /** Keys that are shown; empty for the default columns. */
  readonly columns: readonly string[]
  readonly orders: readonly ViewOrder[]
  readonly cursor: string | undefined
}

interface ViewOrder {
  readonly key: string
  readonly order: 'asc' | 'desc'
}

const MAX_COLUMNS = 20
export const MAX_ORDERS = 3
/** What the URL of a view may have; `as` is the format. */
export const PARAMETERS = ['key', 'op', 'value', 'col', 'add', 'by', 'order', 'cursor', 'as']

/** Parses the state of a view from a query; unknown parameters are ignored. */
export function viewStateIn(space: string | undefined, query: URLSearchParams): ViewState {
  const columns = [...query.getAll('col'), query.get('add') ?? ''].filter((key) => key !== '')
  return {
    space,
    filters: filtersIn(query),
    columns: [...new Set(columns)].slice(0, MAX_COLUMNS),
    orders: ordersIn(query),
    cursor: query.get('cursor') ?? undefined,
  }
}

/** `by` and `order` are repeated for each; one without a key, and one of an earlier key, is dropped. */
function ordersIn(query: URLSearchParams): ViewOrder[] {
  const [keys, directions] = [query.getAll('by'), query.getAll('order')]
  return keys
    .map((key, index): ViewOrder => ({ key, order: directions[index] === 'desc' ? 'desc' : 'asc' }))
    .filter(({ key }, index) => key !== '' && keys.indexOf(key) === index)
    .slice(0, MAX_ORDERS)
}

/** The query with this state: the inverse of `viewStateIn`. */
export function viewQuery(state: ViewState): URLSearchParams {
  const query = new URLSearchParams()
  addFilters(query, state.filters)
  for (const column of state.columns) query.append('col', column)
  for (const { key, order } of state.orders) {
    query.append('by', key)
    query.append('order', order)
  }
  if (state.cursor !== undefined) query.set('cursor', state.cursor)
  return query
}

/** The first page of the view, sorted by a key: ascending, then descending, then unsorted. */
export function ordered(state: ViewState, key: string): ViewState {
  const [first] = state.orders
  const order = first?.key !== key ? 'asc' : first.order === 'asc' ? 'desc' : undefined
  return { ...state, cursor: undefined, orders: order ? [{ key, order }] : [] }
}
