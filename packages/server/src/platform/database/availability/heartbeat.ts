import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '@recto/lib/concurrency/within.ts'
import pg from 'pg'
import type { DatabaseServer } from '../connections/server.ts'
import { BY_CODE, classifyFailure } from './failure.ts'
import type { Presence } from './presence.ts'
import { primaryAmong } from './primary.ts'

interface HeartbeatOptions {
  readonly server: DatabaseServer
  /** The migration of the schema: the first check, and every statement, wait for its end. */
  readonly after: Promise<unknown>
  /** Whether the schema is what this release needs. */
  readonly hasSchema: (client: pg.Client) => Promise<boolean>
  readonly onChange: (reason: string | undefined) => void
  /** Holds its lock on the connection of the heartbeat, which lives as long as the node. */
  readonly presence: Presence
}

const EVERY_MS = 1_000
const AWAY_EVERY_MS = 250
const READY_MS = 1_500
/** A proxy may be silent for a while; a server that is silent for longer hangs, and its connection is closed. */
const HUNG_MS = 5_000
const NO_ANSWER = 'The database does not answer.'

/** Checks whether the database responds, on a connection of its own. It runs until it is disposed. */
export class Heartbeat implements AsyncDisposable {
  readonly #options: HeartbeatOptions
  readonly #stop = new AbortController()
  readonly #waiting = new Set<() => void>()
  readonly #running: Promise<void>
  #client: pg.Client | undefined
  #reason: string | undefined
  #away = false
  #beating: Promise<void> | undefined

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Undefined if requests can be served now, else the reason; within two seconds. */
  async notReady(): Promise<string | undefined> {
    try {
      await within(READY_MS, this.#nextBeat(), () => new HungError())
      return this.#reason
    } catch {
      return NO_ANSWER
    }
  }

  /** Resolves once the schema is current and the database responds; rejects at the deadline (`performance.now()`). */
  readonly available = async (until: number): Promise<void> => {
    await this.#options.after
    while (this.#away) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, Math.max(until - performance.now(), 0))
      this.#waiting.add(resolve)
      await promise
      clearTimeout(timer)
      this.#waiting.delete(resolve)
      if (this.#away && performance.now() >= until) throw new Error('timeout exceeded when trying to connect')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#client?.connection.stream.destroy()
    await this.#running
    this.#client?.connection.stream.destroy()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    await this.#options.after.catch(() => {}) // the start reports it
    while (!signal.aborted) {
      await this.#nextBeat()
      await sleep(this.#away ? AWAY_EVERY_MS : EVERY_MS, undefined, { signal, ref: false }).catch(
        () => {}, // rejects only when it is aborted
      )
    }
  }

  #nextBeat(): Promise<void> {
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined
    })
    return this.#beating
  }

  async #beat(): Promise<void> {
    try {
      if (this.#away && this.#options.server.targets.length > 1) await this.#findPrimary()
      // A connection that was lost between two checks is reopened first.
      const check = this.#client ? this.#check().catch((error) => this.#checkAgain(error)) : this.#check()
      this.#note(await within(HUNG_MS, check, () => new HungError()), false)
    } catch (error) {
      this.#client?.connection.stream.destroy()
      this.#client = undefined
      if (error instanceof HungError) this.#options.server.dropConnections()
      this.#note(findReason(error), saysThatItIsGone(error))
    }
  }

  async #findPrimary(): Promise<void> {
    const { server } = this.#options
    const primary = await primaryAmong(server)
    if (primary === undefined) throw new AwayError()
    server.follow(primary)
  }

  /** Why requests cannot be served, as checked on one connection; throws if the check fails. */
  async #check(): Promise<string | undefined> {
    const connection = this.#client ?? (await this.#open())
    const { rows } = await connection.query(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only`,
    )
    if (rows[0].standby) throw new StandbyError()
    if (rows[0].read_only) throw new ReadOnlyError()
    await this.#options.presence.announce(connection)
    return (await this.#options.hasSchema(connection))
      ? undefined
      : 'The schema of the database is not what this release needs.'
  }

  async #checkAgain(error: unknown): Promise<string | undefined> {
    if (error instanceof StandbyError || classifyFailure(error) !== 'away') throw error
    this.#client = undefined
    return this.#check()
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({
      ...this.#options.server.settings(['statement_timeout=1000']),
      application_name: 'recto heartbeat',
    })
    // Reported by the next query.
    client.on('error', () => {})
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined
    })
    this.#client = client
    await client.connect()
    return client
  }

  #note(reason: string | undefined, away: boolean): void {
    if (reason !== this.#reason) this.#options.onChange(reason)
    this.#reason = reason
    this.#away = away
    if (away) return
    for (const wake of this.#waiting) wake()
  }
}

class HungError extends Error {}
class StandbyError extends Error {}
class AwayError extends Error {}
/** Reads succeed. The next check takes a new connection: a default of the database is that of new sessions. */
class ReadOnlyError extends Error {}

/** Whether connecting is pointless. An error of this one connection says nothing about the others. */
function saysThatItIsGone(error: unknown): boolean {
  if (error instanceof HungError || error instanceof StandbyError || error instanceof AwayError) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^[0-9A-Z]{5}$/.test(code) && !Object.hasOwn(BY_CODE, code)) return /^57P0[1-4]$/.test(code)
  return classifyFailure(error) === 'away'
}

function findReason(error: unknown): string {
  if (error instanceof StandbyError) return 'The database is a standby: it takes no writes.'
  if (error instanceof ReadOnlyError) return 'The database is read-only: it takes no writes.'
  return NO_ANSWER
}
