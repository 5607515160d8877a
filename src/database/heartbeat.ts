import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { within } from '../lib/within.ts'
import { BY_CODE, failureOf } from './failure.ts'
import type { Presence } from './presence.ts'
import { primaryAmong } from './primary.ts'
import type { DatabaseServer } from './server.ts'

/** Checks whether the database responds, on a connection of its own, however full the pool is. */
export interface Heartbeat extends AsyncDisposable {
  /** Undefined if requests can be served now, else the reason; within two seconds. */
  notReady(): Promise<string | undefined>
  /**
   * Resolves once the database is not known to be unavailable; rejects if it is at the deadline
   * (`performance.now()`).
   */
  available(until: number): Promise<void>
}

export interface HeartbeatOptions {
  readonly server: DatabaseServer
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

/** Starts the heartbeat; it runs until it is disposed. */
export function startHeartbeat({ server, hasSchema, onChange, presence }: HeartbeatOptions): Heartbeat {
  const stop = new AbortController()
  let client: pg.Client | undefined
  let reason: string | undefined
  let away = false
  let beating: Promise<void> | undefined
  const waiting = new Set<() => void>()

  async function open(): Promise<pg.Client> {
    const next = new pg.Client({
      ...server.settings(['statement_timeout=1000']),
      application_name: 'recto heartbeat',
    })
    // Reported by the next query.
    next.on('error', () => {})
    next.on('end', () => {
      if (client === next) client = undefined
    })
    client = next
    await next.connect()
    return next
  }

  /** Why requests cannot be served, as checked on one connection; throws if the check fails. */
  async function check(): Promise<string | undefined> {
    const connection = client ?? (await open())
    const { rows } = await connection.query(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only`,
    )
    if (rows[0].standby) throw new StandbyError()
    if (rows[0].read_only) throw new ReadOnlyError()
    await presence.announce(connection)
    return (await hasSchema(connection))
      ? undefined
      : 'The schema of the database is not what this release needs.'
  }

  async function beat(): Promise<void> {
    try {
      if (away && server.targets.length > 1) await findPrimary()
      // A connection that was lost between two checks is reopened first.
      note(await within(HUNG_MS, client ? check().catch(retryOnce) : check(), () => new HungError()), false)
    } catch (error) {
      client?.connection.stream.destroy()
      client = undefined
      const gone = saysThatItIsGone(error)
      if (error instanceof HungError) server.dropConnections()
      note(reasonOf(error), gone)
    }
  }

  async function retryOnce(error: unknown): Promise<string | undefined> {
    if (error instanceof StandbyError || failureOf(error) !== 'away') throw error
    client = undefined
    return check()
  }

  async function findPrimary(): Promise<void> {
    const found = await primaryAmong(server)
    if (found === undefined) throw new AwayError()
    server.follow(found)
  }

  function note(next: string | undefined, gone: boolean): void {
    if (next !== reason) onChange(next)
    reason = next
    away = gone
    if (away) return
    for (const wake of waiting) wake()
  }

  function nextBeat(): Promise<void> {
    beating ??= beat().finally(() => {
      beating = undefined
    })
    return beating
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await nextBeat()
      await sleep(away ? AWAY_EVERY_MS : EVERY_MS, undefined, { signal: stop.signal, ref: false }).catch(
        () => {}, // rejects only when it is aborted
      )
    }
  }
  const running = run()

  return {
    async notReady() {
      try {
        await within(READY_MS, nextBeat(), () => new HungError())
        return reason
      } catch {
        return 'The database does not answer.'
      }
    },
    async available(until) {
      while (away) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const timer = setTimeout(resolve, Math.max(until - performance.now(), 0))
        waiting.add(resolve)
        await promise
        clearTimeout(timer)
        waiting.delete(resolve)
        if (away && performance.now() >= until) throw new Error('timeout exceeded when trying to connect')
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      client?.connection.stream.destroy()
      await running
      client?.connection.stream.destroy()
    },
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
  return failureOf(error) === 'away'
}

function reasonOf(error: unknown): string {
  if (error instanceof StandbyError) return 'The database is a standby: it takes no writes.'
  if (error instanceof ReadOnlyError) return 'The database is read-only: it takes no writes.'
  return 'The database does not answer.'
}
