/** The files of the folder. Every change is one atomic rename, so that a crash leaves no file in between. */

import type { Stats } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isHiddenName } from '@recto/lib/hidden-file.ts'
import { decodeUtf8 } from '@recto/lib/json/json.ts'
import { computeFileSha256, computeSha256, type LocalFile } from './entry.ts'
import type { FileCache } from './file-cache.ts'
import { isConflictCopy, parseName } from './names.ts'
import { splitPageFile, UnsyncableFileError } from './page-file.ts'
import { StaleError, type Step } from './service-writes.ts'

/** What a scan has found so far. */
interface Scanning {
  readonly files: LocalFile[]
  readonly conflictCopies: string[]
  readonly problems: { readonly name: string; readonly reason: string; readonly id?: string | undefined }[]
  /** Names that are no files, such as symbolic links. */
  readonly links: string[]
}
export type Scan = { readonly [Found in keyof Scanning]: readonly Scanning[Found][number][] }

export type Folder = ReturnType<typeof openFolder>

export interface FolderOptions {
  readonly root: string
  /** For unfinished files, on the same disk. */
  readonly drafts: string
  readonly frontMatter: boolean
  readonly cache: FileCache
  readonly step: Step
}

/** The highest limit of a page that a deployment can set. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024

export function openFolder(options: FolderOptions) {
  const { root } = options
  return {
    root,
    /** All files. Of several for one page or file those in `knownNames` count. */
    scan: (knownNames: ReadonlySet<string>) => scan(options, knownNames),
    read: (name: string) => readFile(join(root, name)),
    ...replaceMethods(options),
    rename: (file: LocalFile, to: string) => renameFile(options, file, to),
    remove: (file: LocalFile) => removeFile(options, file),
  }
}

/** Files are complete under another name before they replace the old ones. */
function replaceMethods(options: FolderOptions) {
  const { root, drafts, step } = options
  let counter = 0
  const newDraft = () => join(drafts, String(counter++))
  const replace = async (name: string, draft: string, before: LocalFile | undefined) => {
    await makeParents(root, name)
    if (!(await isFile(options, name, before))) {
      await rm(draft, { force: true })
      throw new StaleError(`${name} changed meanwhile`)
    }
    await rename(draft, join(root, name))
    step(`write ${name}`)
    return describeFile(options, name)
  }
  return {
    /** Writes a file over `before`, the one that was read, if any; throws StaleError if another one is there now. */
    async write(name: string, bytes: Buffer, before: LocalFile | undefined) {
      const draft = newDraft()
      await writeFile(draft, bytes, { flush: true })
      return replace(name, draft, before)
    },
    /** The same with bytes of this SHA-256; throws StaleError for others. */
    async download(
      name: string,
      { stream, digest }: { readonly stream: ReadableStream<Uint8Array>; readonly digest: string },
      before: LocalFile | undefined,
    ) {
      const draft = newDraft()
      await writeFile(draft, stream as AsyncIterable<Uint8Array>, { flush: true })
      if ((await computeFileSha256(draft)) !== digest)
        throw new StaleError(`${name} has other bytes than its digest says`)
      return replace(name, draft, before)
    },
  }
}

async function renameFile(options: FolderOptions, file: LocalFile, to: string): Promise<LocalFile> {
  const { root } = options
  await makeParents(root, to)
  if (await readStats(join(root, to))) throw new StaleError(`${to} exists meanwhile`)
  await rename(join(root, file.name), join(root, to))
  await forget(options, file.name, 'rename')
  return { ...(await describeFile(options, to)), path: parseName(to).path }
}

async function removeFile(options: FolderOptions, file: LocalFile): Promise<void> {
  if (!(await isFile(options, file.name, file))) throw new StaleError(`${file.name} changed meanwhile`)
  await rm(join(options.root, file.name))
  await forget(options, file.name, 'delete')
}

/** After a file of this name was renamed or deleted. */
async function forget({ root, cache, step }: FolderOptions, name: string, what: string): Promise<void> {
  cache.delete(name)
  step(`${what} ${name}`)
  await removeEmptyParents(root, name)
}

/** Whether the file of a name is the one that was read; undefined if there was none. */
async function isFile(options: FolderOptions, name: string, before: LocalFile | undefined): Promise<boolean> {
  const now = await readStats(join(options.root, name))
  if (!now || !before) return now === undefined && before === undefined
  return (await describeFile(options, name)).digest === before.digest
}

async function scan(options: FolderOptions, knownNames: ReadonlySet<string>): Promise<Scan> {
  const scanning: Scanning = { files: [], conflictCopies: [], problems: [], links: [] }
  const paths = new Map<string, string>()
  const names: string[] = []
  for await (const name of namesIn(options.root, '', scanning)) names.push(name)
  for (const name of names.sort((one, other) => Number(knownNames.has(other)) - Number(knownNames.has(one)))) {
    if (isConflictCopy(name)) {
      scanning.conflictCopies.push(name)
      continue
    }
    const { kind, path } = parseName(name)
    const key = `${kind} ${path}`
    const other = paths.get(key)
    if (other !== undefined) {
      const reason = `${other} stands for the same ${kind}: rename one of them`
      scanning.problems.push({ name, reason, id: await findId(options.root, name) })
      continue
    }
    paths.set(key, name)
    try {
      scanning.files.push(await describeFile(options, name))
    } catch (error) {
      if (isVanished(error)) continue
      if (!(error instanceof UnsyncableFileError || isSystemError(error))) throw error
      scanning.problems.push({ name, reason: error.message, id: await findId(options.root, name) })
    }
  }
  return scanning
}

/** The names of all files below a folder. Hidden files and symbolic links are left alone. */
async function* namesIn(root: string, prefix: string, scanning: Scanning): AsyncGenerator<string> {
  for (const entry of await readFolder(root, prefix, scanning)) {
    const text = decodeUtf8(entry.name)
    const name = prefix + (text ?? entry.name.toString('latin1'))
    if (text === undefined) scanning.problems.push({ name, reason: 'its name is not UTF-8' })
    else if (isHiddenName(text)) continue
    else if (entry.isDirectory()) yield* namesIn(root, `${name}/`, scanning)
    else if (entry.isFile()) yield name
    else scanning.links.push(name)
  }
}

/** Nothing of a folder that cannot be read, or has vanished. */
async function readFolder(root: string, prefix: string, scanning: Scanning) {
  try {
    const entries = await readdir(join(root, prefix), { withFileTypes: true, encoding: 'buffer' })
    return entries.sort((one, other) => Buffer.compare(one.name, other.name))
  } catch (error) {
    if (prefix === '' || !isSystemError(error)) throw error
    if (!isVanished(error)) scanning.problems.push({ name: prefix, reason: error.message })
    return []
  }
}

async function describeFile({ root, frontMatter, cache }: FolderOptions, name: string): Promise<LocalFile> {
  const file = join(root, name)
  const stat = await lstat(file)
  const { kind, path } = parseName(name)
  const id = toId(stat)
  const cachedFile = cache.get(name, stat)
  if (cachedFile) return { kind, path, name, id, ...cachedFile }
  const content =
    kind === 'page' ? parseContent(await readPage(file, stat), frontMatter) : { digest: await computeFileSha256(file) }
  cache.set(name, stat, id, content)
  return { kind, path, name, id, ...content }
}

async function readPage(file: string, { size }: Stats): Promise<Buffer> {
  if (size > MAX_PAGE_BYTES) throw new UnsyncableFileError(`its ${size} bytes exceed the size of a page`)
  return readFile(file)
}

function parseContent(bytes: Buffer, frontMatter: boolean): Pick<LocalFile, 'digest' | 'metadata'> {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new UnsyncableFileError('it is not UTF-8')
  if (text.includes('\0')) throw new UnsyncableFileError('it contains NUL')
  if (!frontMatter) return { digest: computeSha256(bytes) }
  const { body, metadata } = splitPageFile(text)
  return { digest: computeSha256(Buffer.from(body)), metadata }
}

/** A new file can get the inode of a deleted one, but not its birth. */
function toId({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`
}

/** The identity of a file that may be unreadable; undefined if it cannot be told. */
async function findId(root: string, name: string): Promise<string | undefined> {
  try {
    return toId(await lstat(join(root, name)))
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}

async function readStats(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file)
  } catch (error) {
    if (isVanished(error)) return undefined
    throw error
  }
}

/** Creates the folders of a file. A symbolic link could lead out of the folder. */
async function makeParents(root: string, name: string): Promise<void> {
  const segments = name.split('/').slice(0, -1)
  for (let length = 1; length <= segments.length; length++) {
    const folder = join(root, segments.slice(0, length).join('/'))
    const stat = await readStats(folder)
    if (!stat) await mkdir(folder, { recursive: true })
    else if (!stat.isDirectory()) {
      throw new UnsyncableFileError(
        `a file is where its folder ${segments.slice(0, length).join('/')} belongs: move or rename that file`,
      )
    }
  }
}

async function removeEmptyParents(root: string, name: string): Promise<void> {
  try {
    for (let folder = dirname(name); folder !== '.'; folder = dirname(folder)) await rmdir(join(root, folder))
  } catch (error) {
    // It has other files, or is in use.
    if (!isSystemError(error)) throw error
  }
}

function isVanished(error: unknown): boolean {
  return isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
