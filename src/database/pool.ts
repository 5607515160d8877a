import pg from 'pg'
import { statementName } from './registry.ts'

export interface PoolSettings {
  readonly connection:
    | string
    | {
        readonly host: string
        readonly port: number
        readonly user: string
        readonly password: string
        readonly database: string
      }
  readonly size: number
  /** Whether registered statements are prepared by name. */
  readonly prepared: boolean
  readonly onError: (error: Error) => void
}

const INT8 = 20

/** A pool whose clients prepare the registered statements by name and read bigint as a number. */
export function createPool(settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    ...clientSettings(settings),
    Client: settings.prepared ? PreparingClient : pg.Client,
    max: settings.size,
    idleTimeoutMillis: 60_000,
  })
  pool.on('error', settings.onError)
  // A checked-out client whose backend dies emits `error` on the client itself: unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', settings.onError))
  return pool
}

/** What every connection is opened with. */
export function clientSettings({ connection }: PoolSettings): pg.ClientConfig {
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    connectionTimeoutMillis: 2_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'recto',
    types: { getTypeParser },
  }
}

/** Ids and sizes stay below 2^53; everything else is parsed as pg does. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format)
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
