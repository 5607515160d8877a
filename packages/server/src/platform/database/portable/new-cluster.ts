import { chownSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Folder } from '../embedded/folder.ts'
import { clearCutShort, FILL_PREFIX } from '../embedded/initialise.ts'
import { type ConnectionSettings, startEmbedded } from '../embedded/server.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/** A data folder inside of another one, in which a cluster is filled. */
export interface NewCluster<T> extends Disposable {
  readonly cluster: string
  readonly password: string
  readonly result: T
}

/**
 * Makes a new cluster next to that of a data folder, with its password if it has one, and fills it. Nothing takes it
 * for the cluster of the folder until it is moved; what a kill leaves is removed by the next start, or attempt. Only
 * for the owner of the lock of the folder, or of its server.
 */
export async function fillNewCluster<T>(
  folder: Folder,
  programs: readonly string[] | undefined,
  fill: (connection: ConnectionSettings) => Promise<T>,
): Promise<NewCluster<T>> {
  const work = join(folder.root, `${FILL_PREFIX}${process.pid}`)
  const [cluster, password] = [folder.cluster, folder.password].map((path) => join(work, basename(path))) as [
    string,
    string,
  ]
  const remove = () => rmSync(work, { recursive: true, force: true })
  await clearCutShort(folder)
  try {
    // The account that PostgreSQL runs as follows from the owner and the mode.
    const { mode, uid, gid } = statSync(folder.root)
    mkdirSync(work, { mode })
    if (process.getuid?.() === 0) chownSync(work, uid, gid)
    if (existsSync(folder.password)) copyFileSync(folder.password, password)
    await using server = await startEmbedded({ dataDir: work, maxConnections: 4, programs, log: silent })
    const result = await fill(server.connection)
    await server.stop()
    return { cluster, password, result, [Symbol.dispose]: remove }
  } catch (error) {
    remove()
    throw error
  }
}
