import { addFilters, type FilterRow, filtersIn } from '../filters/state.ts'

/** The state of a view, which its URL contains. */
export interface ViewState {
  /** Absent: all spaces that the reader can see. */
  readonly space: string | undefined
  readonly filters: readonly FilterRow[]
  /** Keys that are shown; empty for the default columns. */
  readonly columns: readonly string[]
  readonly orderBy: string | undefined
  readonly order: 'asc' | 'desc'
  readonly cursor: string | undefined
}

const MAX_COLUMNS = 20
/** What the URL of a view may have; `as` is the format. */
export const PARAMETERS = ['key', 'op', 'value', 'col', 'add', 'by', 'order', 'cursor', 'as']

/** Parses the state of a view from a query; unknown parameters are ignored. */
export function viewStateIn(space: string | undefined, query: URLSearchParams): ViewState {
  const columns = [...query.getAll('col'), query.get('add') ?? ''].filter((key) => key !== '')
  return {
    space,
    filters: filtersIn(query),
    columns: [...new Set(columns)].slice(0, MAX_COLUMNS),
    orderBy: query.get('by') || undefined,
    order: query.get('order') === 'desc' ? 'desc' : 'asc',
    cursor: query.get('cursor') ?? undefined,
  }
}

/** The query with this state: the inverse of `viewStateIn`. */
export function viewQuery(state: ViewState): URLSearchParams {
  const query = new URLSearchParams()
  addFilters(query, state.filters)
  for (const column of state.columns) query.append('col', column)
  if (state.orderBy !== undefined) query.set('by', state.orderBy)
  if (state.orderBy !== undefined && state.order === 'desc') query.set('order', 'desc')
  if (state.cursor !== undefined) query.set('cursor', state.cursor)
  return query
}

/** The first page of the view, sorted by a key: ascending, then descending, then unsorted. */
export function ordered(state: ViewState, key: string): ViewState {
  const first = { ...state, cursor: undefined }
  if (state.orderBy !== key) return { ...first, orderBy: key, order: 'asc' }
  return state.order === 'asc' ? { ...first, order: 'desc' } : { ...first, orderBy: undefined, order: 'asc' }
}
