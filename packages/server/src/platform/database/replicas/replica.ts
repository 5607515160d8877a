import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '@recto/lib/concurrency/within.ts'
import pg from 'pg'
import { classifyFailure } from '../availability/failure.ts'
import { sessionOptionsRejected } from '../availability/reach.ts'
import { CancelledError, cancellable } from '../connections/cancellable.ts'
import { checkOut } from '../connections/driver.ts'
import { sendPipelined } from '../connections/pipeline.ts'
import { createPool, preparedName } from '../connections/pool.ts'
import { registerStatement } from '../connections/registry.ts'
import { currentRequest } from '../connections/request-scope.ts'
import { DatabaseServer, type Target } from '../connections/server.ts'
import type { ReplayPosition } from './position.ts'

export interface ReplicaSettings {
  readonly target: Target
  readonly name: string
  readonly size: number
  readonly prepared: boolean
}

/** A replica that has not responded by then is not used until it responds to the monitor. */
const ANSWER_MS = 500
/** How long a read waits for a replica to catch up; after one such wait the primary is used until it has. */
const CATCH_UP_MS = 20

/** Whether this connection is to a standby of the primary which has replayed everything up to the position. */
const CHECK = `select pg_is_in_recovery() as standby,
  coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as replayed,
  exists (select from timeline where id = $2 and token = $3) as follows`
registerStatement(CHECK, 'check_replica', 'read')

interface Checked {
  readonly standby: boolean
  readonly replayed: boolean
  readonly follows: boolean
}

/** One streaming standby, with connections of its own. */
export class Replica {
  readonly name: string
  readonly #server: DatabaseServer
  readonly #pool: pg.Pool
  readonly #size: number
  #monitor: pg.Client | undefined
  #usable = false
  #standby = true
  /** The last replayed position that is known. */
  #reached = ''
  #caughtUpAt = performance.now()

  constructor({ target, name, size, prepared }: ReplicaSettings) {
    this.name = name
    this.#size = size
    this.#server = new DatabaseServer(target)
    // A read on a lost connection fails by itself, and the monitor logs it.
    this.#pool = createPool({ server: this.#server, size, prepared, onError: () => {} })
  }

  /** Whether reads may be sent there: it follows the primary, and was up to date at the last check. */
  get usable(): boolean {
    return this.#usable
  }

  /** The replication lag in seconds; 0 if it is up to date. Undefined while it is a primary. */
  get lagSeconds(): number | undefined {
    if (!this.#standby) return undefined
    return this.#usable ? 0 : (performance.now() - this.#caughtUpAt) / 1000
  }

  /** The result of a read; undefined if this replica is not as current as the primary. */
  async read(text: string, values: readonly unknown[], position: ReplayPosition): Promise<pg.QueryResult | undefined> {
    if (this.#pool.totalCount - this.#pool.idleCount >= this.#size) return undefined
    const since = performance.now()
    let client: pg.PoolClient | undefined
    let broken = false
    const onCancel = () => {
      broken = true
    }
    try {
      client = await checkOut(this.#pool, since + ANSWER_MS)
      if (this.#reached !== position.lsn && !(await this.#reaches(client, position))) {
        this.#usable = false
        return undefined
      }
      const check = { text: CHECK, values: checkValues(position), name: preparedName(client, CHECK) }
      const query = { text, values, name: preparedName(client, text) }
      // In one message, so that a pooler sends both to one server.
      const waitedMs = performance.now() - since
      const answer = sendPipelined(client, [check, query])
      const [checked, result] = await cancellable({ client, answer, waitedMs, onCancel })
      currentRequest()?.answered()
      return isFresh(checked?.rows[0]) ? result : undefined
    } catch (error) {
      // No caller waits any more, or the primary would take as long.
      if (
        currentRequest()?.abandoned ||
        error instanceof CancelledError ||
        (error instanceof pg.DatabaseError && error.code === '57014')
      )
        throw error
      if (error instanceof SilentError || classifyFailure(error) === 'away') {
        broken = true
        this.#usable = false
      }
      return undefined
    } finally {
      client?.release(broken)
    }
  }

  /** Checks whether it responds, follows the primary, and is up to date; returns the reason if not. With a timeout. */
  async look(position: ReplayPosition): Promise<string | undefined> {
    const startedAt = performance.now()
    try {
      const checkedState = await withinLimit(this.#open().then((client) => this.#catchUp(client, position)))
      this.#usable = isFresh(checkedState)
      this.#standby = checkedState.standby
      if (this.#usable) this.#caughtUpAt = startedAt
      if (!checkedState.standby) return 'it is not a standby'
      if (!checkedState.follows) return 'it does not follow the primary'
      return undefined
    } catch (error) {
      this.#usable = false
      // The primary serves its reads in flight.
      this.close()
      if (sessionOptionsRejected(error)) this.#server.withoutSessionOptions()
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Closes every connection at once, including those of a server that hangs. */
  close(): void {
    this.#monitor?.connection.stream.destroy()
    this.#monitor = undefined
    this.#server.dropConnections()
  }

  async end(): Promise<void> {
    this.close()
    await this.#pool.end()
  }

  async #open(): Promise<pg.Client> {
    if (this.#monitor) return this.#monitor
    const client = new pg.Client({ ...this.#server.settings(), application_name: 'recto replica monitor' })
    client.on('error', () => {}) // reported by the next query
    client.on('end', () => {
      if (this.#monitor === client) this.#monitor = undefined
    })
    this.#monitor = client
    await client.connect()
    return client
  }

  async #reaches(client: pg.PoolClient, position: ReplayPosition): Promise<boolean> {
    const checkedState = await withinLimit(this.#catchUp(client, position))
    return isFresh(checkedState)
  }

  /** The state of the replica, once it has caught up, or after a short while. */
  async #catchUp(client: pg.ClientBase, position: ReplayPosition): Promise<Checked> {
    const until = performance.now() + CATCH_UP_MS
    for (let wait = 1; ; wait *= 2) {
      const { rows } = await client.query(CHECK, checkValues(position))
      const checkedState: Checked = rows[0]
      if (isFresh(checkedState)) this.#reached = position.lsn
      else if (!checkedState.replayed && performance.now() + wait < until) {
        await sleep(wait)
        continue
      }
      return checkedState
    }
  }
}

class SilentError extends Error {}

function isFresh(checkedState: Checked | undefined): boolean {
  return checkedState?.standby === true && checkedState.follows && checkedState.replayed
}

function checkValues({ lsn, timeline, token }: ReplayPosition): unknown[] {
  return [lsn, timeline, token]
}

function withinLimit<T>(work: Promise<T>): Promise<T> {
  return within(ANSWER_MS, work, () => new SilentError('it does not answer'))
}
