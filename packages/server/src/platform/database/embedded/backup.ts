import { createReadStream, createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { Client, DatabaseError } from 'pg'
import { pack } from 'tar-stream'
import { copyMessages } from '../connections/copy-stream.ts'
import { type Folder, inspectCluster, prepareFolder, syncDirectory } from './folder.ts'
import { SUPERUSER } from './initialise.ts'
import { readPassword } from './password.ts'
import { askServer } from './provision.ts'
import { type ConnectionSettings, startForReading } from './server.ts'
import { findShortFiles } from './short-files.ts'
import { PORT } from './socket.ts'
import { damageError, StartError } from './start-error.ts'

/** Files of the data folder outside the cluster that a restore needs. */
export const KEPT_FILES = ['postgres-password', 'secret-key'] as const
/** Names that no file of a cluster has. */
export const OWN_FOLDER = 'recto/'
export const DESCRIPTION = `${OWN_FOLDER}backup.json`
export const MANIFEST = 'backup_manifest'

export interface BackupReport {
  readonly file: string
  /** Bytes of the file. */
  readonly size: number
}

/** Two empty blocks end a tar archive. */
export const TAR_END = Buffer.alloc(1024)

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * Writes a backup of the embedded database to a new file that only its owner can read, while the service continues; if
 * none runs on the data folder, its server is started. It contains everything that was acknowledged before the call.
 * The file gets its name only when it is complete and on disk (atomic rename).
 */
export async function backUp(dataDir: string, target: string, programs?: readonly string[]): Promise<BackupReport> {
  const file = newFile(target)
  const folder = existingFolder(dataDir)
  await using server = await reachServer(folder, programs)
  return { file, size: await writeCompressed(file, archive(folder, server.superuser)) }
}

/** A data folder that has a database, for a command. */
export function existingFolder(dataDir: string): Folder {
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new StartError(`There is no embedded database in ${dataDir}: name its folder with SVC_DATA.`)
  }
  const folder = prepareFolder(dataDir)
  inspectCluster(folder)
  return folder
}

/** Rejects a database of which a file was cut: the rest of its rows would be missing without a word. */
async function rejectShortFiles(superuser: ConnectionSettings): Promise<void> {
  const shortFiles = await findShortFiles(superuser)
  if (shortFiles.length > 0) throw damageError(`these files are too short: ${shortFiles.slice(0, 5).join(', ')}`)
}

/** Rejects the name of a file that exists. */
export function newFile(target: string): string {
  const file = resolve(target)
  if (existsSync(file)) throw new StartError(`${file} exists: name a file that does not.`)
  return file
}

interface Reached extends AsyncDisposable {
  readonly superuser: ConnectionSettings
}

/** The running server, or one that is started for the command; a damaged one is rejected. */
export async function reachServer(folder: Folder, programs?: readonly string[]): Promise<Reached> {
  const server = await findServer(folder, programs)
  try {
    await rejectShortFiles(server.superuser)
    return server
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

/** The running server, or one that is started for the command. */
export async function findServer(folder: Folder, programs?: readonly string[]): Promise<Reached> {
  const connection = (password: string): ConnectionSettings => ({
    host: folder.socket,
    port: PORT,
    user: SUPERUSER,
    password,
    database: 'template1',
  })
  if (existsSync(join(folder.socket, `.s.PGSQL.${PORT}`))) {
    const password = readPassword(folder)
    if (password === undefined)
      throw new StartError(`${folder.password} is missing: restart the service, which mends that.`)
    // A crash of the machine leaves the socket of no server.
    const answer = await askServer(folder.socket, password, false)
    if (answer.ready || answer.code !== 'ECONNREFUSED') {
      return { superuser: connection(password), [Symbol.asyncDispose]: async () => {} }
    }
  }
  const server = await startForReading({ dataDir: folder.root, maxConnections: 4, programs, log: silent })
  return {
    superuser: { ...server.connection, user: SUPERUSER, database: 'template1' },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

/** Writes a file that only its owner can read; returns its size. It is named once it is complete and on disk. */
export async function writeCompressed(file: string, content: AsyncIterable<Buffer>): Promise<number> {
  const draft = `${file}.partial-${process.pid}`
  try {
    const output = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
    const compress = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    await pipeline(Readable.from(content, { objectMode: false }), compress, output)
    const { size } = await stat(draft)
    await rename(draft, file)
    syncDirectory(dirname(file))
    return size
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Our own files first, then the server's, then the manifest: one tar archive, readable by any tar. */
async function* archive(folder: Folder, superuser: ConnectionSettings): AsyncGenerator<Buffer> {
  const now = new Date()
  const major = readFileSync(join(folder.cluster, 'PG_VERSION'), 'utf8').trim()
  const description = { format: 'recto-backup', formatVersion: 1, createdAt: now.toISOString(), postgres: major }
  yield await tarFile(DESCRIPTION, Buffer.from(`${JSON.stringify(description, null, 2)}\n`), now)
  const present = new Set(readdirSync(folder.root))
  for (const name of KEPT_FILES) {
    if (present.has(name)) yield await tarFile(OWN_FOLDER + name, readFileSync(join(folder.root, name)), now)
  }
  const manifest: Buffer[] = []
  // The server ends its archive, but ours continues: its end marker is held back.
  let heldBytes: Buffer = Buffer.alloc(0)
  for await (const { part, bytes } of baseBackup(superuser)) {
    if (part === 'manifest') {
      manifest.push(bytes)
      continue
    }
    const all = Buffer.concat([heldBytes, bytes])
    heldBytes = all.subarray(Math.max(0, all.length - TAR_END.length))
    if (all.length > heldBytes.length) yield all.subarray(0, all.length - heldBytes.length)
  }
  if (!heldBytes.equals(TAR_END) || manifest.length === 0) throw new Error('the server sent an incomplete backup')
  yield await tarFile(MANIFEST, Buffer.concat(manifest), now)
  yield TAR_END
}

/** One file as a part of an archive: its header, its content and the padding, without the end of the archive. */
export async function tarFile(name: string, content: Buffer, mtime: Date): Promise<Buffer> {
  const archive = pack()
  archive.entry({ name, mtime, mode: 0o600 }, content)
  archive.finalize()
  const parts: Buffer[] = []
  for await (const part of archive) parts.push(part as Buffer)
  return Buffer.concat(parts).subarray(0, -TAR_END.length)
}

/** The bytes of a backup file. */
export function readBackup(file: string): Readable {
  return createReadStream(file, { highWaterMark: 256 * 1024 })
}

/** The data of a backup: bytes of the archive of its files, then of the manifest that lists them all. */
interface BackupPiece {
  readonly part: 'archive' | 'manifest'
  readonly bytes: Buffer
}

const COMMAND = `BASE_BACKUP (LABEL 'recto', CHECKPOINT 'fast', WAL, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`
/** PostgreSQL, appendix A. The server warns of each damaged block and its file before it fails with this code. */
const DATA_CORRUPTED = 'XX001'
const MAX_NAMED = 5

/**
 * Takes a physical backup of a running server with the replication protocol (BASE_BACKUP): a tar archive of its files
 * with all the log that they need to be consistent, while writers go on. The server checks every page against its
 * checksum. `superuser` connects to it.
 */
async function* baseBackup(superuser: ConnectionSettings): AsyncGenerator<BackupPiece> {
  const settings = { ...superuser, ssl: false, replication: 'true', application_name: 'recto backup' }
  const client = new Client(settings)
  client.on('error', () => {})
  const warnings: string[] = []
  client.on('notice', ({ severity, message = '' }) => severity === 'WARNING' && warnings.push(message))
  await client.connect()
  try {
    // Ends with the connection. The log that is written meanwhile is retained for it.
    await client.query(`CREATE_REPLICATION_SLOT recto_backup_${process.pid} TEMPORARY PHYSICAL (RESERVE_WAL)`)
    yield* toPieces(copyMessages(client, COMMAND))
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== DATA_CORRUPTED) throw error
    const places = warnings.slice(0, MAX_NAMED).join('; ') || error.message
    throw damageError(places)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The first byte of a message is its type: a new archive, the manifest, data of either, or progress. */
async function* toPieces(lists: AsyncIterable<readonly Buffer[]>): AsyncGenerator<BackupPiece> {
  let part: BackupPiece['part'] = 'archive'
  for await (const messages of lists) {
    for (const message of messages) {
      const type = String.fromCharCode(message[0] ?? 0)
      if (type === 'm') part = 'manifest'
      if (type === 'd') yield { part, bytes: message.subarray(1) }
    }
  }
}
