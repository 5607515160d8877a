import type { FastifyBaseLogger } from 'fastify'
import { createFirstAdmin } from '../identity/people/first-admin.ts'
import type { Config } from '../platform/config.ts'
import { diskReserve } from '../platform/database/availability/disk-reserve.ts'
import { Heartbeat } from '../platform/database/availability/heartbeat.ts'
import { requirePreparedStatements } from '../platform/database/availability/prepared.ts'
import { createPresence, type Presence } from '../platform/database/availability/presence.ts'
import { reachDatabase } from '../platform/database/availability/reach.ts'
import { createPool, type PoolSettings } from '../platform/database/connections/pool.ts'
import { createReader } from '../platform/database/connections/reader.ts'
import { DatabaseServer } from '../platform/database/connections/server.ts'
import { createDb, type Parts } from '../platform/database/database.ts'
import type { EmbeddedServer } from '../platform/database/embedded/server.ts'
import { connectForMigration, hasSchema, migrate } from '../platform/database/migrate.ts'
import type { DatabaseObserver } from '../platform/database/observer.ts'
import { Replicas } from '../platform/database/replicas/replicas.ts'
import { Topics } from '../platform/database/topics.ts'
import { poolSize, READERS } from './app-embedded.ts'

interface DatabaseOptions {
  readonly config: Config
  readonly log: FastifyBaseLogger
  readonly observer: DatabaseObserver
  /** Undefined if the database is external. */
  readonly embedded: EmbeddedServer | undefined
}

/** The database of a running service. */
export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>

/**
 * Connects to the embedded server or the external one and begins to migrate the schema; meanwhile everything else may
 * be set up. Resources to close at the end are added to `starting`.
 */
export async function openDatabase(
  starting: AsyncDisposableStack,
  { config, log, observer, embedded }: DatabaseOptions,
) {
  const ownServer = embedded !== undefined
  const size = poolSize(config)
  const server = new DatabaseServer(embedded?.connection ?? config.databaseUrl ?? '')
  const settings = buildPoolSettings(server, { config, log, observer, size, isEmbedded: ownServer })
  if (!embedded) await reachDatabase(server, log)
  if (!embedded && config.databasePrepared) await requirePreparedStatements(server)
  const pool = createPool(settings)
  starting.defer(() => pool.end())
  await connectForMigration(pool)
  // A start on a full disk is allowed, so that reads work.
  const migration = migrate(pool).then(() => createFirstAdmin(createDb(pool), config, new Date()))
  migration.catch(() => {}) // the start fails where it waits for it
  const presence = createPresence()
  const heartbeat = starting.use(watchDatabase(server, presence, log, migration))
  const { available } = heartbeat
  const reader = starting.use(createReader({ ...settings, observer, size: READERS, ownServer, available }))
  const topics = new Topics()
  const disk = embedded && { checkDiskSpace: diskReserve(config.data) }
  const parts = { reader, observer, available, topics, ...disk }
  const db = createDb(pool, parts satisfies Parts)
  const replicas = starting.use(new Replicas({ ...settings, config, pool, db, parts, log }))
  return {
    db,
    pool,
    size,
    topics,
    presence,
    replicas,
    /** Resolves when the schema is current and there is an admin. Statements through `db` wait for it. */
    migrated: migration,
    /** An external server: other nodes may use it as well. */
    shared: embedded ? undefined : server,
    damageCount: () => server.damageCount,
    /** Why requests cannot be served; undefined if they can. */
    notReady: async () => notReady(heartbeat, embedded),
  }
}

function buildPoolSettings(
  server: DatabaseServer,
  options: Omit<DatabaseOptions, 'embedded'> & { readonly size: number; readonly isEmbedded: boolean },
): PoolSettings {
  const { config, log, observer, size, isEmbedded } = options
  return {
    server,
    size,
    prepared: isEmbedded || config.databasePrepared,
    onError(error) {
      observer.lostConnection()
      log.warn({ err: error }, 'a database connection was lost')
    },
  }
}

function watchDatabase(
  server: DatabaseServer,
  presence: Presence,
  log: FastifyBaseLogger,
  migration: Promise<unknown>,
): Heartbeat {
  return new Heartbeat({
    server,
    after: migration,
    presence,
    hasSchema,
    onChange: (reason) => (reason === undefined ? log.info('the database answers') : log.warn({ reason }, 'not ready')),
  })
}

/** Why the database cannot be used now; undefined: it can. */
async function notReady(heartbeat: Heartbeat, embeddedServer: EmbeddedServer | undefined): Promise<string | undefined> {
  const state = embeddedServer?.state()
  if (state && !state.up) return `The database is down: ${state.reason}`
  return heartbeat.notReady()
}
