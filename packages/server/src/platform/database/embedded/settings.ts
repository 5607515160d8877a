import { planMemory } from '@recto/lib/memory-plan.ts'
import { PORT } from './socket.ts'

/** Reserved for the superuser, so that a full pool cannot lock out a backup or a repair. */
const RESERVED = 3

/** The same on every machine. */
const FIXED: Settings = {
  cluster_name: 'recto',
  listen_addresses: '',
  unix_socket_permissions: '0700',
  port: PORT,
  superuser_reserved_connections: RESERVED,

  // Acknowledged writes are on disk.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  restart_after_crash: 'on',
  // Enough for a backup while serving, and no more: logical replication would cost a process.
  wal_level: 'replica',
  max_wal_senders: 2,
  max_logical_replication_workers: 0,
  // With pglz, an import spent an eighth of the processor time of PostgreSQL on it, for 7 % less log.
  wal_compression: 'off',
  // Recovery replays at most this much, which takes a few seconds.
  max_wal_size: '512MB',
  checkpoint_timeout: '5min',

  // Reads in the backend itself: a small server does without the I/O workers.
  io_method: 'sync',
  autovacuum_worker_slots: 3,
  // Tables that were just filled are analysed soon.
  autovacuum_naptime: '15s',
  max_worker_processes: 4,
  max_parallel_workers: 2,
  // A parallel worker for one query would take the core of the next one.
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1.1,
  jit: 'off',

  // A query whose client has disconnected ends soon.
  client_connection_check_interval: '2s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  // The progress of a recovery: the wait for readiness reads the log's growth.
  log_startup_progress_interval: '2s',
}

/** Settings that older servers do not have, with the major version that brought them. */
const SINCE: Readonly<Record<string, number>> = { io_method: 18, autovacuum_worker_slots: 18 }

/** Settings by name, as in postgresql.conf. */
export type Settings = Readonly<Record<string, string | number>>

/** The server's settings, as arguments: they override postgresql.conf. `overrides` take precedence. */
export function settings(
  socketFolder: string,
  maxConnections: number,
  { overrides = {}, major }: { readonly overrides?: Settings | undefined; readonly major: number },
): string[] {
  const memory = planMemory()
  const values: Settings = {
    ...FIXED,
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    max_connections: maxConnections + RESERVED,
    shared_buffers: `${memory.sharedBuffersMb}MB`,
    // 16 MB hold the bitmap of pages of a condition among a million: with less it becomes lossy.
    work_mem: `${memory.workMemMb}MB`,
    maintenance_work_mem: `${memory.maintenanceMb}MB`,
    ...overrides,
  }
  return Object.entries(values)
    .filter(([name]) => major >= (SINCE[name] ?? 0))
    .flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
