/** Compares texts by code points, as the collation `C` of a database does; `<` compares UTF-16 units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
