/** The recently read pages, newest first. Stored only in this browser. */
import { SIGN_IN } from '../../urls.ts'
import { inStorage, readStored, writeStored } from './in-storage.ts'

export interface Visited {
  readonly url: string
  readonly title: string
  readonly space: string
  readonly path: string
}

const KEY = 'recto.visited'
const MAX = 20

/** The recently read pages; none if storage is disabled. */
export function visitedPages(): Visited[] {
  const storedValue = readStored(KEY)
  return Array.isArray(storedValue) ? storedValue.filter(isVisited) : []
}

/** Records the current page; the sign-in screen deletes the list. */
export function noteVisit(): void {
  if (location.pathname === SIGN_IN) inStorage(() => localStorage.removeItem(KEY))
  const [, space, path] = /^\/pages\/([^/]+)\/(.+)$/.exec(location.pathname) ?? []
  const title = document.querySelector('article h1, #page-title')?.textContent?.trim()
  if (!space || !path || !title) return
  const page = { url: location.pathname, title, space: decodeURIComponent(space), path: decodeURIComponent(path) }
  const others = visitedPages().filter(({ url }) => url !== page.url)
  writeStored(KEY, [page, ...others].slice(0, MAX))
  for (const other of others)
    if (other.title === title && other.space === page.space) void forgetIfMoved(other, page.url)
}

/** Removes a page that has moved to the URL: only its former address says so, by its redirect. */
async function forgetIfMoved({ url }: Visited, newUrl: string): Promise<void> {
  const answer = await fetch(url, { method: 'HEAD', headers: { Accept: 'text/html' } }).catch(() => undefined)
  if (!answer?.redirected || new URL(answer.url).pathname !== newUrl) return
  const others = visitedPages().filter((page) => page.url !== url)
  writeStored(KEY, others)
}

function isVisited(value: unknown): value is Visited {
  if (typeof value !== 'object' || value === null) return false
  const { url, title, space, path } = value as Record<string, unknown>
  const texts = [url, title, space, path]
  // Only a URL of this origin: the storage is not trusted.
  return texts.every((text) => typeof text === 'string') && String(url).startsWith('/pages/')
}
