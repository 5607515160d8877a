import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { hostUrls } from '../../lib/network/postgres-url.ts'
import { statementName } from '../connections/registry.ts'
import type { Db, Parts, Reader } from '../database.ts'
import { type DatabaseObserver, labelOf } from '../observer.ts'
import { autocommit } from '../transaction.ts'
import { createReadIndex, markTimeline } from './position.ts'
import { createReadDb, type ReadFromReplica } from './read-db.ts'
import { Replica } from './replica.ts'

export interface ReplicasSettings {
  readonly config: Pick<Config, 'databaseReplicaUrl' | 'databasePool'>
  readonly prepared: boolean
  /** The primary: its pool, and its handle with the collaborators. */
  readonly pool: pg.Pool
  readonly db: Db
  readonly parts: Parts & { readonly reader: Reader; readonly observer: DatabaseObserver }
  readonly log: {
    info(values: object, message: string): void
    warn(values: object, message: string): void
  }
}

/** The state of one replica, for metrics. */
export type ReplicaState = Pick<Replica, 'name' | 'usable' | 'lagSeconds'>

/** Standbys that serve reads as the primary would, as long as they are up to date. */
export interface Replicas extends AsyncDisposable {
  readonly states: readonly ReplicaState[]
  /** Statements that a replica might have served, by the server that did. */
  readonly answered: Readonly<Record<'primary' | 'replica', number>>
  /** Its reads run on replicas that have everything that was committed by then, and else on the primary. */
  readonly db: Db
}

const LOOK_EVERY_MS = 500
const AWAY_EVERY_MS = 250

/** Monitors the replicas from now on. They may all be down. */
export function startReplicas(settings: ReplicasSettings): Replicas {
  const { config, prepared, pool, db, parts, log } = settings
  const { databaseReplicaUrl: url, databasePool: size } = config
  const replicas = (url === undefined ? [] : (hostUrls(url) ?? [])).map(
    (target) => new Replica({ target, name: nameOf(target), size, prepared }),
  )
  const readIndex = createReadIndex(parts.reader)
  const answered = { primary: 0, replica: 0 }
  const stop = new AbortController()
  const { promise: stopped, resolve: markStopped } = Promise.withResolvers<undefined>()
  let turn = 0

  /** `why` is the reason of the last check not to use it: a change is logged. */
  async function monitor(replica: Replica): Promise<void> {
    let why: string | undefined
    while (!stop.signal.aborted) {
      const position = await Promise.race([readIndex(), stopped])
      if (position?.token === null) await markTimeline(autocommit(db)).catch(() => {}) // at the next check
      if (position?.token) {
        const now = await replica.look(position)
        if (now !== why) logState(replica, now)
        why = now
      }
      const pause = replica.usable ? LOOK_EVERY_MS : AWAY_EVERY_MS
      await sleep(pause, undefined, { signal: stop.signal, ref: false }).catch(() => {}) // rejects only when it is aborted
    }
  }
  const logState = ({ name }: Replica, reason: string | undefined) =>
    reason === undefined
      ? log.info({ replica: name }, 'the replica answers')
      : log.warn({ replica: name, reason }, 'the replica is not used')
  const running = Promise.all(replicas.map(monitor))

  async function fromReplica(text: string, values: readonly unknown[]): Promise<pg.QueryResult | undefined> {
    if (!replicas.some(({ usable }) => usable)) return undefined
    const position = await readIndex()
    if (!position?.token) return undefined
    const usable = replicas.filter(({ usable }) => usable)
    const replica = usable[turn++ % usable.length]
    return replica?.read(text, values, position)
  }

  const read: ReadFromReplica = async (text, values) => {
    const began = performance.now()
    const result = await fromReplica(text, values)
    if (result) parts.observer.executed(labelOf(text, statementName(text)), performance.now() - began)
    answered[result ? 'replica' : 'primary']++
    return result
  }

  return {
    states: replicas,
    answered,
    db: replicas.length > 0 ? createReadDb(pool, read, parts) : db,
    async [Symbol.asyncDispose]() {
      stop.abort()
      markStopped(undefined)
      for (const replica of replicas) replica.close()
      await running
      await Promise.all(replicas.map((replica) => replica.end()))
    },
  }
}

/** Host and port, without credentials. */
function nameOf(target: string): string {
  const { host, searchParams } = new URL(target)
  return host || [searchParams.get('host'), searchParams.get('port')].filter(Boolean).join(':')
}
