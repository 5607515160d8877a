import { readJson } from '../parts/api.ts'

export interface TitledPage {
  readonly space: string
  readonly path: string
  readonly title: string
  readonly url: string
}

const LIMIT = 20

/** Pages by title and path: those of the same space first, otherwise in the order of the response. */
export async function findPages(words: string, space: string, signal: AbortSignal): Promise<TitledPage[]> {
  const query = new URLSearchParams({ q: words, limit: String(LIMIT) })
  const pages = await load<TitledPage>(`/titles?${query}`, signal)
  return pages.sort((a, b) => Number(b.space === space) - Number(a.space === space))
}

/** Files of a space by a part of their path. */
export function findFiles(words: string, space: string, signal: AbortSignal): Promise<SpaceFile[]> {
  const query = new URLSearchParams({ limit: String(LIMIT), ...(words !== '' && { q: words }) })
  return load<SpaceFile>(`/spaces/${space}/files?${query}`, signal)
}

export interface SpaceFile {
  readonly path: string
  readonly url: string
  readonly contentType: string
}

/** Emoji by the names that GitHub gives them. */
export async function loadEmoji(): Promise<readonly (readonly [name: string, sign: string])[]> {
  const { nameToEmoji } = await import('gemoji')
  return Object.entries(nameToEmoji)
}

/** The items of a list; none if they cannot be loaded. */
async function load<T>(url: string, signal: AbortSignal): Promise<T[]> {
  return (await readJson<{ items: T[] }>(url, signal))?.items ?? []
}
