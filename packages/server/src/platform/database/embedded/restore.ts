import { createHash, type Hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { Client } from 'pg'
import { extract, type Header } from 'tar-stream'
import { DESCRIPTION, KEPT_FILES, MANIFEST, OWN_FOLDER, readBackup } from './backup.ts'
import { type Folder, inspectCluster, prepareFolder, syncDirectory } from './folder.ts'
import { SUPERUSER } from './initialise.ts'
import { lockDataFolder } from './lock.ts'
import { startForReading } from './server.ts'
import { StartError } from './start-error.ts'

export interface RestoreReport extends Verified {
  /** The start of the backup. */
  readonly createdAt: string
  readonly files: number
}

/** A file of the archive; read its bytes before the next one. */
type ArchiveEntry = AsyncIterable<Buffer> & { readonly header: Header }

/** The manifest's entry of a file. */
interface Listed {
  readonly size: number
  readonly sha256: string
}

/** Large backups have large manifests, which are parsed at once. */
const MAX_SMALL_FILE = 256 * 1024 * 1024
const KNOWN_TYPES: ReadonlySet<string> = new Set(['file', 'contiguous-file', 'directory'])
/** Written by the server after the manifest was begun, and checked by its recovery. */
const UNLISTED = /^(pg_wal\/|tablespace_map$)/

/**
 * Restores the embedded database of an empty data folder from a backup file: every file is checked against the
 * manifest, the server recovers to the moment of the backup, and its tables and indexes are checked. After a failure
 * nothing is left that a service would take for a database.
 */
export async function restore(dataDir: string, backup: string, programs?: readonly string[]): Promise<RestoreReport> {
  const file = existingFile(backup)
  const folder = emptyFolder(dataDir)
  const work = mkdtempSync(join(folder.root, 'postgres.restore-'))
  try {
    const unpackedBackup = await unpack(file, work)
    {
      using _lock = await lockDataFolder(folder)
      placeCluster(folder, join(work, 'cluster'), unpackedBackup.own)
    }
    try {
      return {
        ...(await verifyCluster(folder, programs)),
        createdAt: unpackedBackup.createdAt,
        files: unpackedBackup.files,
      }
    } catch (error) {
      renameSync(folder.cluster, `${folder.cluster}.failed-${Date.now()}`)
      throw error
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The path of a backup. */
export function existingFile(backup: string): string {
  const file = resolve(backup)
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`)
  return file
}

/** A data folder without a database, for one that is restored. */
export function emptyFolder(dataDir: string): Folder {
  const folder = prepareFolder(dataDir)
  if (inspectCluster(folder) === 'missing') return folder
  throw new StartError(
    `${folder.cluster} holds a database already: name an empty data folder with SVC_DATA, or move that one away.`,
  )
}

interface Unpacked {
  readonly createdAt: string
  readonly files: number
  readonly own: ReadonlyMap<string, Buffer>
}

async function unpack(file: string, work: string): Promise<Unpacked> {
  const cluster = join(work, 'cluster')
  mkdirSync(cluster, { mode: 0o700 })
  const own = new Map<string, Buffer>()
  const listedFiles = new Map<string, Listed>()
  let manifest: Buffer | undefined
  using archive = openArchive(file)
  try {
    for await (const entry of archive.entries) {
      const name = toRelativeName(entry)
      if (name === MANIFEST) manifest = await readAll(entry, name)
      else if (name.startsWith(OWN_FOLDER)) own.set(name.slice(OWN_FOLDER.length), await readAll(entry, name))
      else if (entry.header.type === 'directory') mkdirSync(join(cluster, name), { recursive: true, mode: 0o700 })
      else listedFiles.set(name, await writeEntry(join(cluster, name), entry))
    }
    await archive.end
  } catch (error) {
    throw toReadError(error, file)
  }
  const createdAt = describedTime(own, file)
  if (manifest === undefined) throw new StartError(`${file} is not a complete backup: it has no manifest.`)
  checkFiles(manifest, listedFiles, file)
  return { createdAt, files: listedFiles.size, own }
}

interface OpenArchive extends Disposable {
  readonly entries: AsyncIterable<ArchiveEntry>
  /** Resolves when everything was read; rejects for what the entries do not show. */
  readonly end: Promise<void>
}

/** Opens a compressed archive. */
export function openArchive(file: string): OpenArchive {
  const archive = extract()
  const end = pipeline(readBackup(file), createZstdDecompress(), archive)
  // Whoever reads the entries awaits it at the end; until then they report what fails.
  end.catch(() => {})
  // tar-stream types its entries more loosely.
  return { entries: archive as AsyncIterable<ArchiveEntry>, end, [Symbol.dispose]: () => archive.destroy() }
}

/** A StartError for what is wrong with a file; an error of the system as it is. */
export function toReadError(error: unknown, file: string): unknown {
  return isDamage(error) ? new StartError(`${file} is damaged, or no backup: ${error.message}.`) : error
}

/** Errors of the operating system name their system call; all others come from what was read. */
function isDamage(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof StartError) && !('syscall' in error)
}

/** The name of an entry relative to the archive's folder. Names are untrusted. */
export function toRelativeName({ header }: ArchiveEntry): string {
  // Some programs prefix every name with the folder of the files.
  const name = header.name.replace(/^\.\//, '')
  const segments = name.replace(/\/$/, '').split('/')
  const odd = segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  if (odd || name.includes('\\') || name.includes('\0') || !KNOWN_TYPES.has(header.type)) {
    throw new StartError(`The backup holds ${JSON.stringify(name)}, which no backup of Recto does.`)
  }
  return name
}

export async function readAll(entry: ArchiveEntry, name: string): Promise<Buffer> {
  if (entry.header.size > MAX_SMALL_FILE) throw new StartError(`The file ${name} of the backup is too large.`)
  const parts: Buffer[] = []
  for await (const part of entry) parts.push(part)
  return Buffer.concat(parts)
}

async function writeEntry(path: string, entry: ArchiveEntry): Promise<Listed> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const hash: Hash = createHash('sha256')
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const part of entry) {
      hash.update(part)
      await handle.writeFile(part)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { size: entry.header.size, sha256: hash.digest('hex') }
}

function describedTime(own: ReadonlyMap<string, Buffer>, file: string): string {
  const description = own.get(DESCRIPTION.slice(OWN_FOLDER.length))
  const { format, formatVersion, createdAt } = description ? JSON.parse(description.toString('utf8')) : {}
  if (format === 'recto-backup' && formatVersion === 1) return String(createdAt)
  if (format === 'recto-portable') throw new StartError(`${file} is a portable backup: restore it with --portable.`)
  throw new StartError(`${file} is no backup that this release of Recto reads.`)
}

/** Checks that the files are exactly those of the manifest. */
function checkFiles(manifest: Buffer, listedFiles: ReadonlyMap<string, Listed>, file: string): void {
  const text = manifest.toString('utf8')
  const { Files: files, 'Manifest-Checksum': checksum } = JSON.parse(text)
  const signedText = text.slice(0, text.lastIndexOf('"Manifest-Checksum"'))
  if (createHash('sha256').update(signedText).digest('hex') !== checksum) {
    throw new StartError(`${file} is damaged: its manifest does not have its own checksum.`)
  }
  const manifestFiles = new Map<string, Listed>(
    (files as readonly Record<string, string | number>[]).map((entry) => [
      String(entry.Path ?? Buffer.from(String(entry['Encoded-Path']), 'hex').toString('utf8')),
      { size: Number(entry.Size), sha256: String(entry.Checksum) },
    ]),
  )
  for (const [path, { size, sha256 }] of manifestFiles) {
    const actual = listedFiles.get(path)
    if (actual?.size !== size || actual.sha256 !== sha256) {
      throw new StartError(`${file} is damaged: ${path} is ${actual ? 'not what it was' : 'missing'}.`)
    }
  }
  const unknownPath = [...listedFiles.keys()].find((path) => !manifestFiles.has(path) && !UNLISTED.test(path))
  if (unknownPath !== undefined) throw new StartError(`${file} is damaged: ${unknownPath} does not belong to it.`)
}

/** Gives a cluster its place, after the files next to it. Only for the owner of the lock of the data folder. */
export function placeCluster(folder: Folder, cluster: string, own: ReadonlyMap<string, Buffer>): void {
  if (inspectCluster(folder) === 'ready') throw new StartError(`${folder.cluster} was made while the backup was read.`)
  for (const name of KEPT_FILES) {
    const content = own.get(name)
    if (content) writeFileSync(join(folder.root, name), content, { mode: 0o600, flush: true })
  }
  rmSync(folder.cluster, { recursive: true, force: true })
  renameSync(cluster, folder.cluster)
  syncDirectory(folder.root)
}

interface Verified {
  readonly tables: number
  readonly indexes: number
  readonly pages: number
}

const silent = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * Starts the server of a data folder, which recovers first, and checks every table and B-tree index with amcheck:
 * pages against their checksums, rows for corruption, indexes against their tables. Then stops it.
 */
async function verifyCluster(folder: Folder, programs?: readonly string[]): Promise<Verified> {
  await using server = await startForReading({ dataDir: folder.root, maxConnections: 2, programs, log: silent })
  const client = new Client({ ...server.connection, user: SUPERUSER, ssl: false, application_name: 'recto restore' })
  client.on('error', () => {})
  await client.connect()
  try {
    // Rolled back: the extension is only for the check.
    await client.query('begin; create schema amcheck_once; create extension amcheck schema amcheck_once')
    const damagedIndexes = await client.query(`
      select class.relname, damage.msg from pg_class class
      join pg_namespace namespace on namespace.oid = class.relnamespace,
        lateral amcheck_once.verify_heapam(class.oid, check_toast => true) damage
      where namespace.nspname = 'public' and class.relkind = 'r' limit 5`)
    const [first] = damagedIndexes.rows
    if (first) throw new StartError(`The restored table ${first.relname} is damaged: ${first.msg}`)
    const tables = await client.query(`
      select 1 from pg_class class join pg_namespace namespace on namespace.oid = class.relnamespace
      where namespace.nspname = 'public' and class.relkind = 'r'`)
    const indexes = await client.query(`
      select amcheck_once.bt_index_check(class.oid, heapallindexed => index.indisvalid) from pg_class class
      join pg_index index on index.indexrelid = class.oid join pg_am method on method.oid = class.relam
      join pg_namespace namespace on namespace.oid = class.relnamespace
      where namespace.nspname = 'public' and method.amname = 'btree'`)
    const tableNames = await client.query(`select to_regclass('public.page') is not null as known`)
    const pages = tableNames.rows[0].known
      ? (await client.query('select count(*)::int as count from page')).rows[0].count
      : 0
    await client.query('rollback')
    return { tables: tables.rowCount ?? 0, indexes: indexes.rowCount ?? 0, pages }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The restored database does not pass its check: ${(error as Error).message}`)
  } finally {
    await client.end().catch(() => {})
  }
}
