import { readJson } from './api.ts'

/** Somebody who can read a page. */
export interface Reader {
  readonly id: string
  readonly name: string
  readonly kind: string
}

const LIMIT = 20

/** A page; without a path, a space. */
interface Place {
  readonly space: string
  readonly path?: string | undefined
}

/** Those who can read a page and whose names contain some letters; nobody, if that fails. */
export async function findReaders(words: string, place: Place, signal: AbortSignal): Promise<readonly Reader[]> {
  return (await load(place, [['name', words]], signal)) ?? []
}

const MENTION = /\[@?([^\]\n]*)\]\([^)\s]*\/people\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/g

/** The names of those whom a text mentions and who cannot read the page: they are not told. */
export async function findOutsiders(text: string, place: Place): Promise<readonly string[]> {
  const names = new Map([...text.matchAll(MENTION)].map(([, name = '', id = '']) => [id, name]))
  if (names.size === 0) return []
  const readers = await load(
    place,
    [...names.keys()].slice(0, LIMIT).map((id) => ['principal', id]),
  )
  for (const { id } of readers ?? []) names.delete(id)
  return readers ? [...names.values()] : []
}

async function load(place: Place, filters: string[][], signal?: AbortSignal): Promise<readonly Reader[] | undefined> {
  const { space, path } = place
  const query = new URLSearchParams([
    ['limit', String(LIMIT)],
    ...filters,
    ...(path === undefined ? [] : [['path', path]]),
  ])
  const url = `/spaces/${space}/readers?${query}`
  const list = await readJson<{ items: readonly { readonly principal: Reader }[] }>(url, signal)
  return list?.items.map(({ principal }) => principal)
}
