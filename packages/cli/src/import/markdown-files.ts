import { type Dirent, readdirSync, statSync } from 'node:fs'
import { isHiddenName } from '@recto/lib/hidden-file.ts'
import { decodeUtf8 } from '@recto/lib/json/json.ts'
import { CommandError } from '../command.ts'
import { unreadable } from '../input.ts'

export interface MarkdownFile {
  /** Its path as bytes, because names need not be UTF-8. */
  readonly file: Buffer
  /** Its path relative to the folder. */
  readonly name: string
  /** The path of its page: the name without `.md`. */
  readonly path: string
}

/** A file that cannot be imported, and why. */
export interface RejectedFile {
  readonly name: string
  readonly reason: string
}

export interface Found {
  readonly files: readonly MarkdownFile[]
  /** Other files, such as images: their path is their name. */
  readonly attachments: readonly MarkdownFile[]
  readonly rejected: readonly RejectedFile[]
  /** Names of hidden files and folders. */
  readonly others: readonly string[]
  readonly links: readonly string[]
}

const SUFFIX = /\.md$/i
/** The record of the last import, and its temporary files. */
const RECORD = /^\.recto-import\.json/

/**
 * Finds all files below a folder, sorted by name: Markdown is for pages, the rest for files. Hidden files and folders
 * (`.git`, `.obsidian`, `.trash`) are skipped. Symbolic links are not followed, except for the folder itself. Files
 * whose names are not UTF-8 are rejected.
 */
export function findMarkdown(folder: string): Found {
  const collectedFiles: Collected = { files: [], attachments: [], rejected: [], others: [], links: [] }
  if (!isFolder(folder)) throw new CommandError(`${folder} is not a folder`)
  collect(Buffer.from(folder), '', collectedFiles)
  const files = withoutDuplicates(collectedFiles.files)
  const attachments = withoutDuplicates(collectedFiles.attachments)
  return {
    ...collectedFiles,
    files: files.different,
    attachments: attachments.different,
    rejected: [...collectedFiles.rejected, ...files.duplicates, ...attachments.duplicates],
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    unreadable(path, error)
  }
}

type Collected = { readonly [Kind in keyof Found]: Found[Kind][number][] }

function collect(folder: Buffer, prefix: string, collected: Collected): void {
  for (const entry of listEntries(folder, prefix, collected.rejected)) collectEntry(entry, folder, prefix, collected)
}

function collectEntry(entry: Dirent<Buffer>, folder: Buffer, prefix: string, collected: Collected): void {
  const file = Buffer.concat([folder, Buffer.from('/'), entry.name])
  const utf8 = decodeUtf8(entry.name)
  const name = prefix + (utf8 ?? entry.name.toString('latin1'))
  if (entry.isSymbolicLink()) collected.links.push(name)
  else if (utf8 === undefined) collected.rejected.push({ name, reason: 'its name is not UTF-8' })
  else if (entry.isDirectory() && isHiddenName(utf8)) collected.others.push(`${name}/`)
  else if (entry.isDirectory()) collect(file, `${name}/`, collected)
  else if (entry.isFile() && SUFFIX.test(utf8) && !isHiddenName(utf8))
    collected.files.push({ file, name, path: prefix + utf8.replace(SUFFIX, '') })
  else if (entry.isFile() && !isHiddenName(utf8)) collected.attachments.push({ file, name, path: name })
  else if (!RECORD.test(utf8)) collected.others.push(name)
}

function listEntries(folder: Buffer, prefix: string, rejectedFiles: RejectedFile[]) {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })
    return entries.sort((a, b) => Buffer.compare(a.name, b.name))
  } catch (error) {
    rejectedFiles.push({ name: prefix || '.', reason: (error as Error).message })
    return []
  }
}

/** Rejects files whose paths are equal in Unicode NFC, the form of paths in a space. */
function withoutDuplicates(files: readonly MarkdownFile[]) {
  const takenPaths = new Map<string, MarkdownFile>()
  const duplicates: RejectedFile[] = []
  for (const file of files) {
    const path = file.path.normalize('NFC')
    const takenPath = takenPaths.get(path)
    if (takenPath) {
      duplicates.push({ name: file.name, reason: `it has the same path as ${takenPath.name}` })
    } else {
      takenPaths.set(path, file)
    }
  }
  return { different: [...takenPaths.values()], duplicates }
}
