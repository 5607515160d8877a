/** Compares texts by code points, as the collation `C` of a database does; `<` compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  if (!OTHER_ORDER.test(a) && !OTHER_ORDER.test(b)) return a < b ? -1 : 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** UTF-16 units from the surrogates on, whose order is not that of their code points. */
const OTHER_ORDER = /[\ud800-\uffff]/

const natural = new Intl.Collator('en', { numeric: true })

/** Compares names as people read them: "Part 2" before "Part 10". */
export function compareNaturally(a: string, b: string): number {
  return natural.compare(a, b)
}
