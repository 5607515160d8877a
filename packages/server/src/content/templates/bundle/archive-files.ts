import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { isHiddenName } from '@recto/lib/hidden-file.ts'
import * as zip from '@recto/lib/zip/zip-reader.ts'
import type { Spooled } from './spool.ts'

/** A file of an archive, or of an archive in it. */
export interface ArchiveFile {
  readonly archive: FileHandle
  readonly member: zip.ZipMember
}

type ArchiveFiles = ReadonlyMap<string, ArchiveFile>

const MAX_PARTS = 100

/**
 * The files of an archive by name. If it contains nothing but archives, as a large export of Notion does, the files are
 * those of its parts; archives within parts are files. The limits apply to all parts together.
 */
export async function openArchive(upload: Spooled, limits: zip.ZipLimits): Promise<ArchiveFiles> {
  const directory = await zip.readZipDirectory(upload.file, limits)
  // It would be a file for all readers of the space, with the text of restricted and deleted pages.
  if (directory.has('exportDescriptor.properties'))
    throw new zip.ZipError('it is an XML export of Confluence: export its pages as Markdown')
  const parts = [...directory].filter(([name]) => !name.split('/').some(isHiddenName))
  const hasParts = parts.length > 0 && parts.every(([name]) => /\.zip$/i.test(name))
  if (!hasParts) return listFiles(upload.file, directory)
  if (parts.length > MAX_PARTS) throw new zip.ZipError(`more than ${MAX_PARTS} archives in an archive`)
  const files = new Map<string, ArchiveFile>()
  let { maxFiles, maxBytes } = limits
  for (const [, part] of parts) {
    const { file } = await upload.spoolPart(Readable.from(zip.streamZipMember(upload.file, part)), part.size)
    const archiveFiles = listFiles(file, await zip.readZipDirectory(file, { maxFiles, maxBytes }))
    maxFiles -= archiveFiles.size
    for (const [name, each] of archiveFiles) {
      maxBytes -= each.member.size
      addFile(files, name, each)
    }
  }
  return files
}

function listFiles(archive: FileHandle, directory: ReadonlyMap<string, zip.ZipMember>): Map<string, ArchiveFile> {
  return new Map([...directory].map(([name, member]) => [name, { archive, member }]))
}

/** The same file may be in several parts. */
function addFile(files: Map<string, ArchiveFile>, name: string, addedFile: ArchiveFile): void {
  const member = files.get(name)?.member
  if (member && (member.size !== addedFile.member.size || member.crc !== addedFile.member.crc)) {
    throw new zip.ZipError(`two parts of the archive have a different file ${JSON.stringify(name)}`)
  }
  if (!member) files.set(name, addedFile)
}
