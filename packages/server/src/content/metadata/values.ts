import { AppError, inputError } from '@recto/contract/errors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { readableSpaces } from '../../access/space.ts'
import { joinHidden } from '../../access/visibility.ts'
import { type List, type PageQuery, parseWindow, type Window } from '../../platform/http/paging.ts'
import type { ValueUse } from './schema.ts'
import { listValues, type ValuePosition } from './store-values.ts'
import { keyProblem } from './value.ts'

/** Up to so many pages are read for a page of the list: a value of more has no complete count. */
const SCAN_LIMIT = 5_000

/**
 * The values of a key on pages that the caller can read, in their order. Where `scanLimit` cuts the pages of a sort
 * key, it is left for the next page of the list, which begins to count there; only where it has all pages that are
 * read, its values are listed with incomplete counts.
 */
export async function metadataValues(
  ctx: Ctx,
  input: PageQuery & { readonly key: string; readonly space?: string },
  scanLimit = SCAN_LIMIT,
): Promise<List<ValueUse>> {
  const { key } = input
  const problem = keyProblem(key)
  if (problem !== undefined) throw inputError('invalid_request', `The parameter key ${problem}.`, 'key', problem)
  const spaces = await readableSpaces(ctx, input.space)
  const name = `metadata-values/${ctx.actor.id}/${JSON.stringify([input.space ?? null, key])}`
  const window = parseWindow(ctx, name, input, ['text', 'text'])
  const list = (after: ValuePosition | undefined) =>
    listValues(ctx.db, {
      key,
      spaceIds: spaces.map(({ id }) => id),
      hidden: joinHidden(spaces),
      after,
      limit: window.limit + 1,
      scanLimit,
    })
  const after = readPosition(window)
  const first = await list(after)
  const isListed = after !== undefined && first[0]?.sort !== after.sort && (first[0]?.is_cut ?? true)
  const rows = isListed ? await list({ sort: after.sort }) : first
  const wholeRows = rows.filter(({ is_cut }) => !is_cut)
  const visibleRows = (wholeRows.length > 0 ? wholeRows : rows).slice(0, window.limit)
  const last = visibleRows.at(-1)
  const hasMore = last !== undefined && (last.is_cut || rows.length > visibleRows.length)
  return {
    items: visibleRows.map(({ value, pages, is_cut }) => ({ value, pageCount: pages, isComplete: !is_cut })),
    nextCursor: hasMore ? window.seal([last.sort, last.digest]) : null,
  }
}

function readPosition({ after }: Window): ValuePosition | undefined {
  if (after === undefined) return undefined
  const [sort, digest] = after.map(String)
  if (sort !== undefined && /^([0-9a-f]{2})*$/.test(sort)) return { sort, digest }
  throw new AppError('invalid_cursor', 'The cursor is not valid for this list. Start again without a cursor.')
}
