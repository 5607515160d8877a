import pg from 'pg'
import { statementName } from './registry.ts'
import type { DatabaseServer } from './server.ts'

export interface PoolSettings {
  readonly server: DatabaseServer
  readonly size: number
  /** Whether registered statements are prepared by name. */
  readonly prepared: boolean
  readonly onError: (error: Error) => void
}

/** A pool whose clients prepare the registered statements by name and read bigint as a number. */
export function createPool({ server, size, prepared, onError }: PoolSettings): pg.Pool {
  class PoolClient extends pg.Client {
    constructor() {
      super(server.settings())
      server.track(this)
    }
  }
  class PreparingPoolClient extends PreparingClient {
    constructor() {
      super(server.settings())
      server.track(this)
    }
  }
  const pool = new pg.Pool({
    Client: prepared ? PreparingPoolClient : PoolClient,
    max: size,
    idleTimeoutMillis: 60_000,
  })
  pool.on('error', onError)
  // A checked-out client whose backend dies emits `error` on the client itself: without a listener that would end the
  // process.
  pool.on('connect', (client) => client.on('error', onError))
  return pool
}

/** The name by which this client prepares the statement, if it does. */
export function preparedName(client: pg.ClientBase, text: string): string | undefined {
  return client instanceof PreparingClient ? statementName(text) : undefined
}

class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg overloads `query` in ways that TypeScript cannot restate
  override query(...args: any[]): any {
    const [text, values, ...rest] = args
    const name = typeof text === 'string' ? statementName(text) : undefined
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const query = super.query as any
    return name === undefined ? query.apply(this, args) : query.call(this, { name, text, values }, ...rest)
  }
}
