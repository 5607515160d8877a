import { hostUrls } from '@recto/lib/network/postgres-url.ts'
import type pg from 'pg'
import { isDamage } from '../availability/failure.ts'
import { getTypeParser } from '../values.ts'
import { CONNECT_MS, SESSION_OPTIONS } from './request-scope.ts'

/** The address of one server, or the connection of an embedded one. */
export type Target =
  | string
  | {
      readonly host: string
      readonly port: number
      readonly user: string
      readonly password: string
      readonly database: string
    }

/** pg verifies the certificate in these modes as well, and warns on standard error that it does. */
const VERIFIED_MODES = new Set(['prefer', 'require', 'verify-ca'])

/** The servers of one database, and connections to its primary. Get the settings anew for each connection. */
export class DatabaseServer {
  readonly targets: readonly Target[]
  #current: Target
  #options: readonly string[] = SESSION_OPTIONS
  readonly #clients = new Set<pg.Client>()
  #damageCount = 0

  constructor(connection: Target) {
    this.targets = typeof connection === 'string' ? (hostUrls(connection) ?? [connection]) : [connection]
    this.#current = this.targets[0] ?? connection
  }

  get current(): Target {
    return this.#current
  }

  /** Switches new connections to another host, and closes those to the present one. */
  follow(target: Target): void {
    if (target === this.#current) return
    this.#current = target
    this.dropConnections()
  }

  /** For poolers that reject `options` at the start of a session: its limits are those of the role. */
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

  /** How many statements have found damaged storage, those of background work included. */
  get damageCount(): number {
    return this.#damageCount
  }

  /** Registers the client for as long as it is open. */
  track(client: pg.Client): void {
    this.#clients.add(client)
    client.on('end', () => this.#clients.delete(client))
    client.connection.on('errorMessage', (error: unknown) => {
      if (isDamage(error)) this.#damageCount++
    })
  }

  /** Closes every connection at once. Statements in flight fail as with any lost connection. */
  dropConnections(): void {
    for (const client of this.#clients) client.connection.stream.destroy()
  }
}

/** Parameters of the URL come last, so that an operator can override ours. */
function connectionSettings(target: Target, options: readonly string[]): pg.ClientConfig {
  const words = options.map((option) => `-c ${option}`)
  if (typeof target !== 'string') return { ...target, ...(words.length > 0 && { options: words.join(' ') }) }
  const url = new URL(target)
  const own = url.searchParams.get('options')
  if (own) words.push(own)
  url.searchParams.delete('options')
  if (VERIFIED_MODES.has(url.searchParams.get('sslmode') ?? '') && !url.searchParams.has('uselibpqcompat')) {
    url.searchParams.set('sslmode', 'verify-full')
  }
  return { connectionString: url.href, ...(words.length > 0 && { options: words.join(' ') }) }
}
