/** How many pages one statement takes, so that the process has its turns between them. */
const CHUNK = 500

/** The pages in parts that one statement takes each. */
export function chunks<T>(items: readonly T[]): (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += CHUNK) parts.push(items.slice(at, at + CHUNK))
  return parts
}
