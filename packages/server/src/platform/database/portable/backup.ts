import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { existingFolder, newFile, reachServer, writeCompressed } from '../embedded/backup.ts'
import { prepareFolder } from '../embedded/folder.ts'
import { lockDataFolder } from '../embedded/lock.ts'
import { PRODUCT } from '../embedded/provision.ts'
import { emptyFolder, existingFile, placeCluster } from '../embedded/restore.ts'
import { archivePieces, readPieces } from './archive.ts'
import { connectEmbedded, connectUrl } from './connect.ts'
import type { Manifest, Progress } from './format.ts'
import { type LoadReport, load } from './load.ts'
import { fillNewCluster } from './new-cluster.ts'
import { readDatabase } from './read.ts'

/** Where a database is: embedded in a data folder, or at a URL. */
export interface Place {
  readonly data: string
  readonly databaseUrl: string | undefined
  readonly programs?: readonly string[]
}

export interface PortableBackup {
  readonly file: string
  /** Bytes of the file. */
  readonly size: number
  readonly manifest: Manifest
  readonly hasKey: boolean
}

/** Writes a portable backup of a database to a new file, while its service continues. */
export async function backUpPortable(place: Place, target: string, progress: Progress): Promise<PortableBackup> {
  const file = newFile(target)
  await using undo = new AsyncDisposableStack()
  const keyFile = join(place.data, 'secret-key')
  const secretKey = existsSync(keyFile) ? readFileSync(keyFile) : undefined
  const { client } = undo.use(await openSource(place, undo))
  let manifest: Manifest | undefined
  const onManifest = (whole: Manifest) => {
    manifest = whole
  }
  const size = await writeCompressed(file, archivePieces(readDatabase(client), secretKey, { progress, onManifest }))
  if (!manifest) throw new Error('the database was read without an end')
  return { file, size, manifest, hasKey: secretKey !== undefined }
}

async function openSource({ data, databaseUrl, programs }: Place, undo: AsyncDisposableStack) {
  if (databaseUrl !== undefined) return connectUrl(databaseUrl, 'SVC_DATABASE_URL')
  const { superuser } = undo.use(await reachServer(existingFolder(data), programs))
  return connectEmbedded({ ...superuser, user: PRODUCT, database: PRODUCT })
}

/** Restores a portable backup into an empty database, with its secret key, which goes into the data folder. */
export async function restorePortable(place: Place, backup: string, progress: Progress): Promise<LoadReport> {
  const file = existingFile(backup)
  const own = new Map<string, Buffer>()
  if (place.databaseUrl === undefined) return restoreEmbedded(place, file, own, progress)
  using target = await connectUrl(place.databaseUrl, '--database-url')
  const report = await load(target.client, readPieces(file, own), progress)
  const { root } = prepareFolder(place.data)
  const key = own.get('secret-key')
  // A key that is there is used by a service: it is for the operator to choose.
  if (key && !existsSync(join(root, 'secret-key')))
    writeFileSync(join(root, 'secret-key'), key, { mode: 0o600, flush: true })
  return report
}

async function restoreEmbedded(
  { data, programs }: Place,
  file: string,
  own: Map<string, Buffer>,
  progress: Progress,
): Promise<LoadReport> {
  const folder = emptyFolder(data)
  using _lock = await lockDataFolder(folder)
  using newCluster = await fillNewCluster(folder, programs, async (connection) => {
    using target = await connectEmbedded(connection)
    return await load(target.client, readPieces(file, own), progress)
  })
  own.set('postgres-password', readFileSync(newCluster.password))
  placeCluster(folder, newCluster.cluster, own)
  return newCluster.result
}
