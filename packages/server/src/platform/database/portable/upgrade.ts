import { renameSync } from 'node:fs'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import type { Logger } from 'pino'
import { prepareFolder, syncDirectory } from '../embedded/folder.ts'
import { lockDataFolder } from '../embedded/lock.ts'
import { startForReading } from '../embedded/server.ts'
import type { OlderDatabaseError } from '../embedded/start-error.ts'
import { finishUpgrade } from '../embedded/upgraded.ts'
import { connectEmbedded } from './connect.ts'
import { sumUp } from './format.ts'
import { load } from './load.ts'
import { fillNewCluster } from './new-cluster.ts'
import { readDatabase } from './read.ts'

interface UpgradeOptions {
  readonly dataDir: string
  /** The folders of SVC_POSTGRES_BIN. */
  readonly programs: readonly string[]
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
}

/**
 * Brings a data folder of an older major version of PostgreSQL to that of the programs: starts the older server, and
 * copies everything to a new cluster. The old one is kept, as `postgres.<major>`. Until the new one is complete,
 * nothing changes in the old one.
 */
export async function upgradeCluster(
  { dataDir, programs, log }: UpgradeOptions,
  error: OlderDatabaseError,
): Promise<void> {
  const { from, to } = error
  const folder = prepareFolder(dataDir)
  log.warn({ from, to }, `the database of PostgreSQL ${from} is being copied to one of ${to}`)
  const began = performance.now()
  await using old = await startForReading({ dataDir, maxConnections: 4, programs, log })
  const newCluster = await fillNewCluster(folder, programs, async (connection) => {
    using source = await connectEmbedded(old.connection)
    using target = await connectEmbedded(connection)
    return await load(target.client, readDatabase(source.client), () => {})
  })
  await old.stop()
  using _lock = await lockDataFolder(folder)
  renameSync(newCluster.cluster, folder.upgraded)
  syncDirectory(folder.root)
  newCluster[Symbol.dispose]()
  const oldCluster = finishUpgrade(folder)
  const { rows, bytes } = sumUp(newCluster.result.manifest)
  const seconds = Math.round((performance.now() - began) / 1000)
  log.warn(
    { rows, bytes, seconds, oldCluster },
    `the database is one of PostgreSQL ${to} now: ${rows} rows, ${byteSize(bytes)} of text, ` +
      `compared with their digests. ` +
      `The old one is kept in ${oldCluster}: remove it when you do not need it any more`,
  )
}
