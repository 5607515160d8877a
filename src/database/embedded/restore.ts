import { createHash, type Hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createZstdDecompress } from 'node:zlib'
import { readTar, type TarEntry, TarError } from '../../lib/tar.ts'
import { DESCRIPTION, KEPT_FILES, MANIFEST, OWN_FOLDER, readBackup } from './backup.ts'
import { type Folder, inspectCluster, prepareFolder, syncDirectory } from './folder.ts'
import { lockFolder } from './lock.ts'
import { StartError } from './start-error.ts'
import { type Verified, verifyCluster } from './verify.ts'

export interface RestoreReport extends Verified {
  /** When the backup was begun. */
  readonly createdAt: string
  readonly files: number
}

/** What the manifest says of a file. */
interface Listed {
  readonly size: number
  readonly sha256: string
}

/** Backups of large archives have large manifests, which are parsed in one piece. */
const MAX_SMALL_FILE = 256 * 1024 * 1024
/** Written by the server after the manifest was begun, and checked by its recovery. */
const UNLISTED = /^(pg_wal\/|tablespace_map$)/

/**
 * Makes the embedded database of a data folder that has none from a backup file: every file is checked against the
 * manifest, the server recovers to the moment of the backup, and its tables and indexes are checked. What fails is not
 * left where a service would take it for a database.
 */
export async function restore(dataDir: string, backup: string): Promise<RestoreReport> {
  const file = resolve(backup)
  if (!existsSync(file)) throw new StartError(`There is no file ${file}.`)
  const folder = prepareFolder(dataDir)
  if (inspectCluster(folder) === 'ready') {
    throw new StartError(
      `${folder.cluster} holds a database already: name an empty data folder with SVC_DATA, or move that one away.`,
    )
  }
  const work = mkdtempSync(join(folder.root, 'postgres.restore-'))
  try {
    const unpacked = await unpack(file, work)
    await place(folder, work, unpacked.own)
    try {
      return { ...(await verifyCluster(folder)), createdAt: unpacked.createdAt, files: unpacked.files }
    } catch (error) {
      renameSync(folder.cluster, `${folder.cluster}.failed-${Date.now()}`)
      throw error
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
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
  const found = new Map<string, Listed>()
  let manifest: Buffer | undefined
  const bytes = readBackup(file)
  try {
    for await (const entry of readTar(bytes.pipe(createZstdDecompress()))) {
      rejectUnexpected(entry)
      if (entry.name === MANIFEST) manifest = await whole(entry)
      else if (entry.name.startsWith(OWN_FOLDER))
        own.set(entry.name.slice(OWN_FOLDER.length), await whole(entry))
      else if (entry.kind === 'folder') mkdirSync(join(cluster, entry.name), { recursive: true, mode: 0o700 })
      else found.set(entry.name, await writeEntry(join(cluster, entry.name), entry))
    }
  } catch (error) {
    if (error instanceof TarError || /^(Z_|ZSTD_|ERR_)/.test(String((error as NodeJS.ErrnoException).code))) {
      throw new StartError(`${file} is damaged, or no backup: ${(error as Error).message}.`)
    }
    throw error
  } finally {
    bytes.destroy()
  }
  const createdAt = describedTime(own, file)
  if (manifest === undefined) throw new StartError(`${file} is no whole backup: it has no manifest.`)
  checkFiles(manifest, found, file)
  return { createdAt, files: found.size, own }
}

/** Names come from a file that anybody may have made. */
function rejectUnexpected({ name, kind }: TarEntry): void {
  const segments = name.replace(/\/$/, '').split('/')
  const odd = segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  if (odd || name.includes('\\') || name.includes('\0') || kind === 'other') {
    throw new StartError(`The backup holds ${JSON.stringify(name)}, which no backup of Recto does.`)
  }
}

async function whole({ content, size, name }: TarEntry): Promise<Buffer> {
  if (size > MAX_SMALL_FILE) throw new StartError(`The file ${name} of the backup is too large.`)
  const parts: Buffer[] = []
  for await (const part of content) parts.push(part)
  return Buffer.concat(parts)
}

async function writeEntry(path: string, entry: TarEntry): Promise<Listed> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const hash: Hash = createHash('sha256')
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const part of entry.content) {
      hash.update(part)
      await handle.writeFile(part)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { size: entry.size, sha256: hash.digest('hex') }
}

function describedTime(own: ReadonlyMap<string, Buffer>, file: string): string {
  const description = own.get(DESCRIPTION.slice(OWN_FOLDER.length))
  const { format, formatVersion, createdAt } = description ? JSON.parse(description.toString('utf8')) : {}
  if (format === 'recto-backup' && formatVersion === 1) return String(createdAt)
  throw new StartError(`${file} is no backup that this release of Recto reads.`)
}

/** Every file that the manifest names is there as it says, and no other is. */
function checkFiles(manifest: Buffer, found: ReadonlyMap<string, Listed>, file: string): void {
  const text = manifest.toString('utf8')
  const { Files: files, 'Manifest-Checksum': checksum } = JSON.parse(text)
  const signed = text.slice(0, text.lastIndexOf('"Manifest-Checksum"'))
  if (createHash('sha256').update(signed).digest('hex') !== checksum) {
    throw new StartError(`${file} is damaged: its manifest does not have its own checksum.`)
  }
  const listed = new Map<string, Listed>(
    (files as readonly Record<string, string | number>[]).map((entry) => [
      String(entry.Path ?? Buffer.from(String(entry['Encoded-Path']), 'hex').toString('utf8')),
      { size: Number(entry.Size), sha256: String(entry.Checksum) },
    ]),
  )
  for (const [path, { size, sha256 }] of listed) {
    const actual = found.get(path)
    if (actual?.size !== size || actual.sha256 !== sha256) {
      throw new StartError(`${file} is damaged: ${path} is ${actual ? 'not what it was' : 'missing'}.`)
    }
  }
  const unknown = [...found.keys()].find((path) => !listed.has(path) && !UNLISTED.test(path))
  if (unknown !== undefined) throw new StartError(`${file} is damaged: ${unknown} does not belong to it.`)
}

/** The files beside the cluster first: whoever finds the cluster finds all of it. */
async function place(folder: Folder, work: string, own: ReadonlyMap<string, Buffer>): Promise<void> {
  using _lock = await lockFolder(folder)
  if (inspectCluster(folder) === 'ready')
    throw new StartError(`${folder.cluster} was made while the backup was read.`)
  for (const name of KEPT_FILES) {
    const content = own.get(name)
    if (content) writeFileSync(join(folder.root, name), content, { mode: 0o600, flush: true })
  }
  rmSync(folder.cluster, { recursive: true, force: true })
  renameSync(join(work, 'cluster'), folder.cluster)
  syncDirectory(folder.root)
}
