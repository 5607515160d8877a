import pg from 'pg'
import { hostUrls } from '../lib/postgres-url.ts'
import { CONNECT_MS, SESSION_OPTIONS } from './limits.ts'

/** Where one server is: an address, or what an embedded one is reached by. */
export type Target =
  | string
  | {
      readonly host: string
      readonly port: number
      readonly user: string
      readonly password: string
      readonly database: string
    }

const INT8 = 20

/**
 * The servers of one database, of which one takes writes, and the connections that are open to it. Whoever connects asks
 * for the settings anew each time: after a failover they are those of another host.
 */
export class DatabaseServer {
  readonly targets: readonly Target[]
  #current: Target
  #options: readonly string[] = SESSION_OPTIONS
  readonly #clients = new Set<pg.Client>()

  constructor(connection: Target) {
    this.targets = typeof connection === 'string' ? (hostUrls(connection) ?? [connection]) : [connection]
    this.#current = this.targets[0] ?? connection
  }

  get current(): Target {
    return this.#current
  }

  /** From now on connections go there; those to another host are closed. */
  follow(target: Target): void {
    if (target === this.#current) return
    this.#current = target
    this.dropConnections()
  }

  /** A pooler that takes no `options` at the start of a session: its limits are those of the role. */
  withoutSessionOptions(): void {
    this.#options = []
  }

  /** How a connection is opened. */
  settings(options: readonly string[] = [], target = this.#current): pg.ClientConfig {
    const all = [...this.#options, ...(this.#options.length > 0 ? options : [])]
    return {
      ...connectionSettings(target, all),
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: 'recto',
      types: { getTypeParser },
    }
  }

  /** Keeps the client in mind for as long as it is open. */
  track(client: pg.Client): void {
    this.#clients.add(client)
    client.on('end', () => this.#clients.delete(client))
  }

  /** Closes every connection at once. What was under way on them fails as any lost connection does. */
  dropConnections(): void {
    for (const client of this.#clients) client.connection.stream.destroy()
  }
}

/** Parameters of the address come last: what an operator sets there wins. */
function connectionSettings(target: Target, options: readonly string[]): pg.ClientConfig {
  const words = options.map((option) => `-c ${option}`)
  if (typeof target !== 'string') return { ...target, ...(words.length > 0 && { options: words.join(' ') }) }
  const url = new URL(target)
  const own = url.searchParams.get('options')
  if (own) words.push(own)
  url.searchParams.delete('options')
  return { connectionString: url.href, ...(words.length > 0 && { options: words.join(' ') }) }
}

/** Ids and sizes stay below 2^53; everything else is parsed as pg does. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format)
}
