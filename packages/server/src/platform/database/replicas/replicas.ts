import { setTimeout as sleep } from 'node:timers/promises'
import { hostUrls } from '@recto/lib/network/postgres-url.ts'
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { statementName } from '../connections/registry.ts'
import { autocommit, type Db, type Parts, type Reader } from '../database.ts'
import { type DatabaseObserver, toLabel } from '../observer.ts'
import { createReadIndex, markTimeline } from './position.ts'
import { createReadDb } from './read-db.ts'
import { Replica } from './replica.ts'

export interface ReplicasSettings {
  readonly config: Pick<Config, 'databaseReplicaUrl' | 'databasePool'>
  readonly prepared: boolean
  /** The primary: its pool, and its handle with the collaborators. */
  readonly pool: pg.Pool
  readonly db: Db
  readonly parts: Parts & { readonly reader: Reader; readonly observer: DatabaseObserver }
  readonly log: { info(values: object, message: string): void; warn(values: object, message: string): void }
}

export type ReplicaState = Pick<Replica, 'name' | 'usable' | 'lagSeconds'>

const LOOK_EVERY_MS = 500
const AWAY_EVERY_MS = 250

/** Standbys that serve reads as the primary would, as long as they are up to date. They may all be down. */
export class Replicas implements AsyncDisposable {
  /** Its reads run on replicas that have everything that was committed by then, and else on the primary. */
  readonly db: Db
  /** Statements that a replica might have served, by the server that did. */
  readonly answered: Record<'primary' | 'replica', number> = { primary: 0, replica: 0 }
  readonly #settings: ReplicasSettings
  readonly #replicas: readonly Replica[]
  readonly #readIndex: ReturnType<typeof createReadIndex>
  readonly #stop = new AbortController()
  readonly #stopped = Promise.withResolvers<undefined>()
  readonly #running: Promise<unknown>
  #turn = 0

  constructor(settings: ReplicasSettings) {
    const { config, prepared, pool, db, parts } = settings
    const { databaseReplicaUrl: url, databasePool: size } = config
    this.#settings = settings
    this.#replicas = (url === undefined ? [] : (hostUrls(url) ?? [])).map(
      (target) => new Replica({ target, name: toHostName(target), size, prepared }),
    )
    this.#readIndex = createReadIndex(parts.reader)
    this.db = this.#replicas.length > 0 ? createReadDb(pool, (text, values) => this.#read(text, values), parts) : db
    this.#running = Promise.all(this.#replicas.map((replica) => this.#monitor(replica)))
  }

  get states(): readonly ReplicaState[] {
    return this.#replicas
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#stopped.resolve(undefined)
    for (const replica of this.#replicas) replica.close()
    await this.#running
    await Promise.all(this.#replicas.map((replica) => replica.end()))
  }

  async #monitor(replica: Replica): Promise<void> {
    const { signal } = this.#stop
    // The reason of the last check not to use it: a change is logged.
    let why: string | undefined
    while (!signal.aborted) {
      const position = await Promise.race([this.#readIndex(), this.#stopped.promise])
      // at the next check
      if (position?.token === null) await markTimeline(autocommit(this.#settings.db)).catch(() => {})
      if (position?.token) {
        const now = await replica.look(position)
        if (now !== why) this.#logState(replica, now)
        why = now
      }
      const pause = replica.usable ? LOOK_EVERY_MS : AWAY_EVERY_MS
      await sleep(pause, undefined, { signal, ref: false }).catch(() => {}) // rejects only when it is aborted
    }
  }

  #logState({ name }: Replica, reason: string | undefined): void {
    const { log } = this.#settings
    if (reason === undefined) log.info({ replica: name }, 'the replica answers')
    else log.warn({ replica: name, reason }, 'the replica is not used')
  }

  async #read(text: string, values: readonly unknown[]): Promise<pg.QueryResult | undefined> {
    const began = performance.now()
    const result = await this.#fromReplica(text, values)
    const { observer } = this.#settings.parts
    if (result) observer.executed(toLabel(text, statementName(text)), performance.now() - began)
    this.answered[result ? 'replica' : 'primary']++
    return result
  }

  async #fromReplica(text: string, values: readonly unknown[]): Promise<pg.QueryResult | undefined> {
    if (!this.#replicas.some(({ usable }) => usable)) return undefined
    const position = await this.#readIndex()
    if (!position?.token) return undefined
    const usable = this.#replicas.filter(({ usable }) => usable)
    return usable[this.#turn++ % usable.length]?.read(text, values, position)
  }
}

/** Host and port, without credentials. */
function toHostName(target: string): string {
  const { host, searchParams } = new URL(target)
  return host || [searchParams.get('host'), searchParams.get('port')].filter(Boolean).join(':')
}
