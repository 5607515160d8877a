import { registerSampled, type SampledMetric } from '@recto/lib/sampled.ts'
import { Counter, Histogram, type Registry } from 'prom-client'
import { freeBytes, RESERVE_BYTES } from './availability/disk-reserve.ts'
import { type Db, queryRows } from './database.ts'
import type { DatabaseObserver } from './observer.ts'
import type { ReplicaState, Replicas } from './replicas/replicas.ts'

/** The state of pg's pool. */
interface PoolState {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** Counts and times the work of the database layer. */
export function databaseObserver(registry: Registry): DatabaseObserver {
  const registers = [registry]
  const waits = new Histogram({
    name: 'recto_database_pool_wait_seconds',
    help:
      'Time that work waited for a connection of the pool; ' +
      'the time to reach a database that is away is part of it.',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const statements = new Histogram({
    name: 'recto_database_statement_seconds',
    help:
      'Time to the response of a statement; pipelined ones are one, by the name of the last: ' +
      '`commit` is all that a write enqueued.',
    labelNames: ['name'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  })
  const lostConnections = new Counter({
    name: 'recto_database_connections_lost_total',
    help: 'Open connections to the database that ended without being closed here.',
    registers,
  })
  return {
    waited: (ms) => waits.observe(ms / 1000),
    executed: (name, ms) => statements.observe({ name }, ms / 1000),
    lostConnection: () => lostConnections.inc(),
  }
}

export interface MeasuredDatabase {
  readonly pool: PoolState
  readonly db: Db
  /** The maximum of connections of the pool. */
  readonly size: number
  /** Why requests cannot be served; undefined if they can. */
  readonly notReady: () => Promise<string | undefined>
  /** How many statements have found damaged storage. */
  readonly damageCount: () => number
  readonly replicas: Pick<Replicas, 'states' | 'answered'>
  /** The folder of the embedded database; absent: an external one. */
  readonly folder: string | undefined
}

/** Registers the state of the database, of its pool and of its replicas. */
export function databaseMetrics(registry: Registry, measuredDatabase: MeasuredDatabase): void {
  const { db, notReady, damageCount, folder } = measuredDatabase
  registerSampled(registry, [
    {
      name: 'recto_database_up',
      help: '1 when requests can be served, as /readyz says; 0 otherwise.',
      otherwise: 0,
      sample: async () => ((await notReady()) === undefined ? 1 : 0),
    },
    {
      type: 'counter',
      name: 'recto_database_failovers_total',
      help: 'Promotions of another PostgreSQL that this node saw: each begins a new timeline.',
      sample: promotionCounter(() => findTimeline(db)),
    },
    {
      type: 'counter',
      name: 'recto_database_damage_total',
      help: 'Statements that found damaged storage: a block whose checksum is wrong, or a corrupted index.',
      sample: damageCount,
    },
    ...poolMetrics(measuredDatabase),
    ...replicaMetrics(measuredDatabase),
    ...(folder === undefined ? [] : diskMetrics(folder)),
  ])
}

function poolMetrics({ pool, size }: MeasuredDatabase): readonly SampledMetric[] {
  return [
    {
      name: 'recto_database_pool_connections',
      help: 'Connections of the pool.',
      label: 'state',
      sample: () => ({ in_use: pool.totalCount - pool.idleCount, idle: pool.idleCount }),
    },
    { name: 'recto_database_pool_size', help: 'Connections that the pool opens at most.', sample: () => size },
    {
      name: 'recto_database_pool_waiting',
      help: 'Requests that wait for a connection of the pool.',
      sample: () => pool.waitingCount,
    },
  ]
}

function replicaMetrics({ replicas }: MeasuredDatabase): readonly SampledMetric[] {
  const byReplica = (value: (replica: ReplicaState) => number | undefined) => () => {
    const values: Record<string, number> = {}
    for (const state of replicas.states) {
      const own = value(state)
      if (own !== undefined) values[state.name] = own
    }
    return values
  }
  return [
    {
      name: 'recto_database_replica_up',
      help: '1 when reads are sent to the replica; 0 while it is away, behind, or follows another primary.',
      label: 'replica',
      sample: byReplica(({ usable }) => (usable ? 1 : 0)),
    },
    {
      name: 'recto_database_replica_lag_seconds',
      help: 'Time since the replica had last replayed all that the primary had committed; 0 while it has.',
      label: 'replica',
      sample: byReplica(({ lagSeconds }) => lagSeconds),
    },
    {
      type: 'counter',
      name: 'recto_database_reads_total',
      help: 'Statements that may be answered by a replica, by who answered.',
      label: 'target',
      sample: () => replicas.answered,
    },
  ]
}

function diskMetrics(folder: string): readonly SampledMetric[] {
  return [
    {
      name: 'recto_disk_free_bytes',
      help: 'Space left on the disk of the embedded database.',
      sample: () => freeBytes(folder),
    },
    {
      name: 'recto_disk_reserve_bytes',
      help: 'Free space below which writes are rejected with 507, so that reads continue.',
      sample: () => RESERVE_BYTES,
    },
  ]
}

/** How often the timeline has grown since the first read; the last value stays while the database is unavailable. */
function promotionCounter(timeline: () => Promise<number | undefined>): () => Promise<number> {
  let first: number | undefined
  let last = 0
  return async () => {
    const now = await timeline().catch(() => undefined)
    if (now !== undefined) {
      first ??= now
      last = Math.max(last, now)
    }
    return first === undefined ? 0 : last - first
  }
}

/** The timeline of the primary; undefined if a standby responds. */
async function findTimeline(db: Db): Promise<number | undefined> {
  const rows = await queryRows<{ file: string | null }>(db)`
    select case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_insert_lsn()) end
      as file`
  const file = rows[0]?.file
  return file ? Number.parseInt(file.slice(0, 8), 16) : undefined
}
