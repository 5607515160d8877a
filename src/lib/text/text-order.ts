/** Compares texts by code points, as the collation `C` of a database does; `<` compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}

const natural = new Intl.Collator('en', { numeric: true })

/** Compares names as people read them: "Part 2" before "Part 10". */
export function compareNaturally(a: string, b: string): number {
  return natural.compare(a, b)
}
