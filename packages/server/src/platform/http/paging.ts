import { inputError } from '@recto/contract/errors.ts'
import type { CursorSealer, Position } from '@recto/lib/encoding/cursor.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Keyset } from '../database/conditions.ts'

export type { Position }

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** A list on the wire. */
export interface List<T> {
  readonly items: T[]
  readonly nextCursor: string | null
}

/** The values in a cursor: cursors are opaque, but not trusted. */
type Part = 'text' | 'integer' | 'time' | 'transaction' | 'id'

/** The start and the length of a page of the list. */
export interface Window {
  readonly limit: number
  readonly after: Position | undefined
  /** The cursor for a position in this list. */
  seal(position: Position): string
}

/** Parses `limit` and `cursor`; one of another list, filter or shape is `invalid_cursor`. `query` names both. */
export function parseWindow(
  { cursors }: { readonly cursors: CursorSealer },
  query: string,
  paging: PageQuery,
  shape: readonly Part[],
): Window {
  const limit = paging.limit ?? 50
  const seal = (position: Position) => cursors.seal(query, position)
  if (paging.cursor === undefined) return { limit, after: undefined, seal }
  const after = cursors.open(query, paging.cursor)
  if (after?.length === shape.length && shape.every((part, index) => fits(part, after[index])))
    return { limit, after, seal }
  const detail = 'The cursor is not valid for this list. Start again without a cursor.'
  throw inputError('invalid_cursor', detail, 'cursor', 'does not belong to this list and these filters')
}

/** The upper bound of xid8 in PostgreSQL. */
const MAX_TRANSACTION = 2n ** 64n

function fits(part: Part, value: unknown): boolean {
  if (part === 'integer') return Number.isSafeInteger(value)
  if (typeof value !== 'string') return false
  if (part === 'transaction') return /^\d{1,20}$/.test(value) && BigInt(value) < MAX_TRANSACTION
  if (part === 'id') return isUuid(value)
  return part === 'time' ? isTime(value) : !value.includes('\0') && value.isWellFormed()
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** What a statement reads for a page of results in the order of one text: a row more than the page has. */
export function toKeyset({ after, limit }: Window): Keyset {
  return { after: after === undefined ? undefined : String(after[0]), limit: limit + 1 }
}

/** The position of a row: its columns with these names, or what a function makes of it. */
export type PositionOf<Row> = readonly (keyof Row)[] | ((row: Row) => Position)

/** Builds the page from up to `limit + 1` rows, so that its end is known without a second query. */
export function buildPage<Row, T>(
  window: Window,
  rows: readonly Row[],
  position: PositionOf<Row>,
  item: (row: Row) => T,
): List<T> {
  const shownRows = rows.slice(0, window.limit)
  const last = rows.length > window.limit ? shownRows.at(-1) : undefined
  return { items: shownRows.map(item), nextCursor: last === undefined ? null : window.seal(positionIn(last, position)) }
}

function positionIn<Row>(row: Row, position: PositionOf<Row>): Position {
  if (typeof position === 'function') return position(row)
  return position.map((column) => {
    const value = row[column]
    // lists are ordered by such columns
    return value instanceof Date ? value.toISOString() : (value as Position[number])
  })
}
