import pg from 'pg'

/** One statement of a batch; `name` when it is to be prepared. */
export interface PipelinedStatement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name?: string | undefined
}

type Done = (error: Error | undefined, results: readonly pg.QueryResult[]) => void

/** What pg's client calls on a submitted query, and what a configuration would set; missing in its types. */
interface Sent extends pg.Submittable {
  name?: string | undefined
  values: readonly unknown[]
  queryMode: 'extended'
  readonly text: string
  readonly _result: { _types: pg.CustomTypesConfig }
  callback: (error: Error | null, result?: pg.QueryResult) => void
  submit(connection: pg.Connection): Error | null
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
  handleEmptyQuery(connection: pg.Connection): void
  handleReadyForQuery(connection: pg.Connection): void
}

const BaseQuery = pg.Query as unknown as new (text: string) => Sent

/** The names of statements that were sent to be prepared and are not yet confirmed. */
type Preparing = pg.Connection & { readonly submittedNamedStatements: Record<string, string> }

/** What batches send through instead of the connection itself. */
const viewsWithoutSync = new WeakMap<pg.Connection, pg.Connection>()

/** Pipelining (PostgreSQL, 55.2.4) with one `Sync`: after a failure the server skips the rest, a `commit` included. */
export function sendPipelined(
  client: pg.ClientBase,
  statements: readonly PipelinedStatement[],
): Promise<readonly pg.QueryResult[]> {
  return new Promise((resolve, reject) => {
    const types = { getTypeParser: client.getTypeParser.bind(client) }
    client.query(new PipelineBatch(statements, types, (error, results) => (error ? reject(error) : resolve(results))))
  })
}

class PipelineBatch implements pg.Submittable {
  readonly #queries: readonly Sent[]
  readonly #results: pg.QueryResult[] = []
  readonly #done: Done
  #answered = 0
  #unsent: Error | undefined

  constructor(statements: readonly PipelinedStatement[], types: pg.CustomTypesConfig, done: Done) {
    this.#done = done
    const callback: Sent['callback'] = (error, result) => {
      if (error) this.#unsent ??= error
      else if (result) this.#results.push(result)
    }
    this.#queries = statements.map(({ text, values, name }) => {
      const query = new BaseQuery(text) // pg would copy a configuration, property by property
      Object.assign(query, { name, values, queryMode: 'extended', callback })
      query._result._types = types
      return query
    })
  }

  /** pg registers a prepared statement by the name and text of the query that is being answered. */
  get name(): string | undefined {
    return this.#current?.name
  }

  get text(): string | undefined {
    return this.#current?.text
  }

  submit(connection: pg.Connection): void {
    const withoutSync = getViewWithoutSync(connection)
    connection.stream.cork()
    for (const query of this.#queries) {
      // The callback may set `#unsent` meanwhile, which `??=` would read too early.
      const error = query.submit(withoutSync)
      this.#unsent ??= error ?? undefined
      // Nothing may run after a statement that was not sent.
      if (this.#unsent) break
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription(message: unknown): void {
    this.#current?.handleRowDescription(message)
  }

  handleDataRow(message: unknown): void {
    this.#current?.handleDataRow(message)
  }

  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.#current?.handleCommandComplete(message, connection)
    this.#answered++
  }

  handleEmptyQuery(connection: pg.Connection): void {
    this.#current?.handleEmptyQuery(connection)
    this.#answered++
  }

  handleError(error: Error, connection: pg.Connection): void {
    const { submittedNamedStatements } = connection as Preparing // as pg.Query uses it
    for (const { name } of this.#queries.slice(this.#answered)) {
      if (name !== undefined) delete submittedNamedStatements[name]
    }
    this.#done(error, [])
  }

  handleReadyForQuery(connection: pg.Connection): void {
    for (const query of this.#queries.slice(0, this.#answered)) query.handleReadyForQuery(connection)
    this.#done(this.#unsent, this.#results)
  }

  get #current(): Sent | undefined {
    return this.#queries[this.#answered]
  }
}

function getViewWithoutSync(connection: pg.Connection): pg.Connection {
  const view = viewsWithoutSync.get(connection) ?? Object.create(connection, { sync: { value: () => {} } })
  viewsWithoutSync.set(connection, view)
  return view
}
