/** Statements that are prepared, by their text. */
const names = new Map<string, string>()

/** Has statements of this text prepared by this name on every connection that prepares. */
export function registerStatement(text: string, name: string): void {
  names.set(text, name)
}

/** The name under which this text was registered, if it was. */
export function statementName(text: string): string | undefined {
  return names.get(text)
}

/** A `with` may hide a write, so it counts as a read only where no writing word stands in it. */
export function isRead(sql: string): boolean {
  return /^\s*(select|with)\b/i.test(sql) && !/\b(insert into|update|delete from|nextval)\b/i.test(sql)
}
