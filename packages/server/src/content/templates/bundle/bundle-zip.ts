import type { ZipFile } from '@recto/lib/zip/zip-writer.ts'
import type { Exported, ExportedPage } from '../transfer/export.ts'
import { bundleHead } from './bundle.ts'

/** The manifest of the archive. Its name cannot be that of a page or a sidecar file. */
export const MANIFEST = 'page-bundle.json'
export const PAGE = '.md'
export const METADATA = '.metadata.json'
export const HISTORY = '.history.json'
export const METADATA_HISTORY = '.metadata-history.json'
export const COMMENTS = '.comments.json'
/** Of the comments on a file of the space; a page has no sidecar file with such a name. */
export const FILE_COMMENTS = '.file-comments.json'

const SUFFIXES = [PAGE, METADATA, HISTORY, METADATA_HISTORY, COMMENTS, FILE_COMMENTS]

/** The encoding of file names, declared in the manifest. Third-party archives have plain names. */
export const FILE_NAMES = 'percent-encoded'

/** The files of an export: a folder of Markdown, sidecar files for metadata and history, the files of the space. */
export async function* bundleFiles(
  { space, formatVersion, pages, files }: Exported,
  now: Date,
): AsyncGenerator<ZipFile> {
  const manifest = { ...bundleHead(space, formatVersion), fileNames: FILE_NAMES }
  yield { name: MANIFEST, modified: now, content: json(manifest) }
  for await (const page of pages) yield* listFiles(page)
  for await (const { path, updatedAt, bytes, threads } of files) {
    const name = attachmentName(path)
    if (threads) yield { name: name + FILE_COMMENTS, modified: updatedAt, content: writeArray(threads) }
    yield { name, modified: updatedAt, content: bytes }
  }
}

async function* listFiles(page: ExportedPage): AsyncGenerator<ZipFile> {
  const { path, body, metadata, revisions, metadataHistory, threads, updatedAt: modifiedAt } = page
  const name = fileName(path)
  yield { name: name + PAGE, modified: modifiedAt, content: Buffer.from(body) }
  if (metadata) yield { name: name + METADATA, modified: modifiedAt, content: json(metadata) }
  if (revisions) yield { name: name + HISTORY, modified: modifiedAt, content: writeArray(revisions) }
  if (metadataHistory)
    yield { name: name + METADATA_HISTORY, modified: modifiedAt, content: writeArray(metadataHistory) }
  if (threads) yield { name: name + COMMENTS, modified: modifiedAt, content: writeArray(threads) }
}

/** Encodes the path of a page as a file name that is portable. */
function fileName(path: string): string {
  return path
    .split('/')
    .map((segment) =>
      segment
        .replace(/[%:*?"<>|]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
        .replace(/\.$/, '%2E'),
    )
    .join('/')
}

/** The name of a file of the space, which is never that of a page, of a sidecar file or of the manifest. */
function attachmentName(path: string): string {
  const name = fileName(path)
  const isTaken = name === MANIFEST || SUFFIXES.some((suffix) => name.endsWith(suffix))
  return isTaken ? name.replace(/\.([^.]*)$/, '%2E$1') : name
}

/** Inverse of `fileName`. */
export function pathOfFileName(name: string): string {
  return name.replace(/%([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

async function* writeArray(items: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let separator = '[\n'
  for await (const item of items) {
    yield Buffer.from(separator + JSON.stringify(item))
    separator = ',\n'
  }
  yield Buffer.from(separator === '[\n' ? '[]\n' : '\n]\n')
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
