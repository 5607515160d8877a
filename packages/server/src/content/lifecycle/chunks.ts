/** The number of pages for one statement, so that the event loop is free in between. */
const CHUNK = 500

/** Splits pages into chunks, one for each statement. */
export function chunks<T>(items: readonly T[]): (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += CHUNK) parts.push(items.slice(at, at + CHUNK))
  return parts
}
