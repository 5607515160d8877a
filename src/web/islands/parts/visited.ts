/** The pages that were read in this browser last, the latest first. Kept here alone. */
export interface Visited {
  readonly url: string
  readonly title: string
  readonly space: string
  readonly path: string
}

const KEY = 'recto.visited'
const MAX = 20

/** Those pages; none where the browser keeps nothing. */
export function visitedPages(): Visited[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isVisited) : []
  } catch {
    // Kept by another release, or not allowed.
    return []
  }
}

/** Notes the page that is shown. Whoever signs in or out passes the one screen where all is forgotten. */
export function noteVisit(): void {
  try {
    if (location.pathname === '/sign-in') localStorage.removeItem(KEY)
    const address = /^\/pages\/([^/]+)\/(.+)$/.exec(location.pathname)
    const title = document.querySelector('article h1, #page-title')?.textContent?.trim()
    if (!address?.[1] || !address[2] || !title) return
    const page = {
      url: location.pathname,
      title,
      space: decodeURIComponent(address[1]),
      path: decodeURIComponent(address[2]),
    }
    const others = visitedPages().filter(({ url }) => url !== page.url)
    localStorage.setItem(KEY, JSON.stringify([page, ...others].slice(0, MAX)))
  } catch {
    // A browser that keeps nothing: the switcher offers what was changed last.
  }
}

function isVisited(value: unknown): value is Visited {
  if (typeof value !== 'object' || value === null) return false
  const { url, title, space, path } = value as Record<string, unknown>
  const texts = [url, title, space, path]
  // Only an address of this origin: what is kept here is not trusted.
  return texts.every((text) => typeof text === 'string') && String(url).startsWith('/pages/')
}
