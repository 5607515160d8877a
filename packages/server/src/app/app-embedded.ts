import { planMemory } from '@recto/lib/memory-plan.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../platform/config.ts'
import { type EmbeddedServer, startEmbedded } from '../platform/database/embedded/server.ts'
import { OlderDatabaseError } from '../platform/database/embedded/start-error.ts'

/** Connections that all short reads share, apart from the pool. */
export const READERS = 2
/** Further connections of the server: for the heartbeat, for backups, and for an operator. */
const SPARE_CONNECTIONS = 9

/** Starts the embedded server; undefined if the database is external. The process needs few modules until then. */
export async function startOwnServer(config: Config, log: FastifyBaseLogger): Promise<EmbeddedServer | undefined> {
  if (config.databaseUrl !== undefined) return undefined
  const maxConnections = poolSize(config) + READERS + SPARE_CONNECTIONS
  const options = { dataDir: config.data, programs: config.postgresPrograms, log }
  try {
    return await startEmbedded({ ...options, maxConnections })
  } catch (error) {
    if (!(error instanceof OlderDatabaseError)) throw error
    const { upgradeCluster } = await import('../platform/database/portable/upgrade.ts')
    await upgradeCluster(options, error)
    return startEmbedded({ ...options, maxConnections })
  }
}

/** The connections of the pool: with the embedded server no more than the memory allows. */
export function poolSize({ databasePool, databaseUrl }: Config): number {
  return databaseUrl === undefined ? Math.min(databasePool, planMemory().connections) : databasePool
}
