import type { Ctx } from '../../access/ctx.ts'
import { type NeededPlace, requirePaths, toNeededPlaces } from '../../access/space.ts'
import { countHistory, countOutsiders, type Place } from '../spaces/store-readers.ts'
import { type MoveOrder, type MoveOutcome, movedPath } from './move-order.ts'

/** The old and the new place of some pages and files of a move, by the folders whose rules decide there. */
interface Passage {
  readonly from: Place
  readonly to: Place
  readonly paths: Set<string>
}

/** Between which places a move leads, and where it needs roles. */
export interface MovePlaces {
  readonly passages: readonly Passage[]
  readonly needs: readonly NeededPlace[]
}

/** Throws unless the caller may write at the old and the new paths of what moves. */
export async function requireMove(
  ctx: Pick<Ctx, 'db' | 'actor'>,
  order: MoveOrder,
  { pages, files }: Readonly<Record<'pages' | 'files', readonly { readonly path: string }[]>>,
): Promise<MovePlaces> {
  const source = { id: order.from.spaceId, slug: order.from.space }
  const target = order.to.space
  const items = [
    ...pages.map(({ path }) => ({ path, newPath: movedPath(order, path) })),
    ...files.map(({ path }) => ({ path, newPath: movedPath(order, path, 'file') })),
  ]
  const requireAt = (space: typeof source, paths: readonly string[]) => requirePaths(ctx, space, paths, 'editor')
  const sourceRows = await requireAt(
    source,
    items.map(({ path }) => path),
  )
  const targetRows = await requireAt(
    target,
    items.map(({ newPath }) => newPath),
  )
  const [prefixes, newPrefixes] = [sourceRows, targetRows].map(
    (rows) => new Map(rows.map(({ path, prefix }) => [path, prefix ?? ''])),
  )
  const passages = new Map<string, Passage>()
  for (const { path, newPath } of items) {
    const from = { spaceId: source.id, path: prefixes?.get(path) ?? '' }
    const to = { spaceId: target.id, path: newPrefixes?.get(newPath) ?? '' }
    const key = `${from.path}\n${to.path}`
    const passage = passages.get(key) ?? { from, to, paths: new Set<string>() }
    passage.paths.add(path)
    passages.set(key, passage)
  }
  const needs = [...toNeededPlaces(source, sourceRows, 'editor'), ...toNeededPlaces(target, targetRows, 'editor')]
  return { passages: [...passages.values()], needs }
}

/** Who gains and who loses by a move: how many read at the new place and not at the old one, and the reverse. */
export async function changeOfReaders(
  { db }: Pick<Ctx, 'db'>,
  { from, file }: MoveOrder,
  { passages }: MovePlaces,
  rows: {
    readonly pages: readonly { readonly page_id: number; readonly path: string }[]
    readonly files: readonly { readonly id: number; readonly path: string }[]
  },
): Promise<Pick<MoveOutcome, 'opens' | 'closes'>> {
  const changes = passages.filter(({ from, to }) => from.spaceId !== to.spaceId || from.path !== to.path)
  const gains = await countOutsiders(
    db,
    changes.map(({ from, to }) => [to, from]),
  )
  const losses = await countOutsiders(
    db,
    changes.map(({ from, to }) => [from, to]),
  )
  const gaining = gains.flatMap(({ pair }) => (pair === null ? [] : (changes[pair] ?? [])))
  const isOpened = ({ path }: { readonly path: string }) => gaining.some(({ paths }) => paths.has(path))
  const pageIds = rows.pages.filter(isOpened).map((row) => row.page_id)
  const files = file ? [file] : rows.files
  const fileIds = files.filter(isOpened).map(({ id }) => id)
  const [people, fewer] = [gains, losses].map((counts) => counts.find(({ pair }) => pair === null)?.people)
  return {
    opens: people ? { people, ...(await countHistory(db, from.spaceId, { pageIds, fileIds })) } : null,
    closes: fewer ? { people: fewer } : null,
  }
}
