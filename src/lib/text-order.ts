/** Orders texts by their code points, as a database with the collation `C` does; `<` would order by UTF-16 units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
