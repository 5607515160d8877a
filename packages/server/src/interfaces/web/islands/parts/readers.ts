import { send } from './api.ts'

/** Somebody who can read a page. */
export interface Reader {
  readonly id: string
  readonly name: string
  readonly kind: string
}

const LIMIT = 20

/** Those who can read a page (without a path, a space) and whose names contain some letters; nobody, if that fails. */
export async function findReaders(
  words: string,
  { space, path }: { readonly space: string; readonly path?: string | undefined },
  signal: AbortSignal,
): Promise<readonly Reader[]> {
  const query = new URLSearchParams({ limit: String(LIMIT), name: words, ...(path !== undefined && { path }) })
  const response = await send('GET', `/spaces/${space}/readers?${query}`, { signal }).catch(() => undefined)
  if (!response?.ok) return []
  const { items }: { items: readonly { readonly principal: Reader }[] } = await response.json()
  return items.map(({ principal }) => principal)
}
