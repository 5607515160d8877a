/** Whether a statement only reads: then a replica may serve it, and it is retried when its connection is lost. */
export type StatementKind = 'read' | 'write'

/** Prepared statements, by their text. */
const statements = new Map<string, { readonly name: string; readonly kind: StatementKind }>()

/** Registers a name by which all preparing connections prepare statements of this text. */
export function registerStatement(text: string, name: string, kind: StatementKind): void {
  statements.set(text, { name, kind })
}

/** The name under which this text was registered, if any. */
export function statementName(text: string): string | undefined {
  return statements.get(text)?.name
}

/** A `with` may contain a write, so that unregistered text counts as a read only if no writing keyword occurs. */
export function isRead(sql: string): boolean {
  const registeredStatement = statements.get(sql)
  return registeredStatement ? registeredStatement.kind === 'read' : seemsToRead(sql)
}

export function seemsToRead(sql: string): boolean {
  return (
    /^\s*(explain \(format json\) )?(select|with)\b/i.test(sql) &&
    !/\b(insert into|update|delete from|nextval)\b/i.test(sql)
  )
}

/** One registered statement with its values. */
export interface PointRead {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}
