const HEADERS = { accept: 'application/json' }
const MAX_SPACES = 1000

interface ListedSpace {
  readonly slug: string
  readonly name: string
  readonly icon: string | null
}

/** The spaces in the order of their slugs; of more than MAX_SPACES the first ones. */
export async function loadSpaces(): Promise<ListedSpace[]> {
  const spaces: ListedSpace[] = []
  const query = new URLSearchParams({ limit: '200', fields: 'slug,name,icon' })
  for (let isMore = true; isMore && spaces.length < MAX_SPACES; ) {
    const { items, nextCursor } = await load<{ items: ListedSpace[]; nextCursor: string | null }>(`/spaces?${query}`)
    for (const space of items) spaces.push(space)
    isMore = nextCursor !== null
    if (nextCursor !== null) query.set('cursor', nextCursor)
  }
  return spaces
}

/** Rejects with the status as message if the service does not answer with 200. */
export async function load<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: HEADERS })
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}
