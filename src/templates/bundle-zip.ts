import type { ZipFile } from '../lib/zip-writer.ts'
import { bundleHead } from './bundle.ts'
import type { Exported, ExportedPage } from './export.ts'

/** What the archive says of itself. Its name is that of no page, and of nothing that stands beside one. */
export const MANIFEST = 'page-bundle.json'
export const PAGE = '.md'
export const METADATA = '.metadata.json'
export const HISTORY = '.history.json'

/** How names of files are made from paths, told in the manifest: archives of others have plain names. */
export const FILE_NAMES = 'percent-encoded'

/** The files of a space as a folder of Markdown, with metadata and history beside each page. */
export async function* bundleFiles({ space, pages }: Exported, now: Date): AsyncGenerator<ZipFile> {
  const manifest = { ...bundleHead(space), fileNames: FILE_NAMES }
  yield { name: MANIFEST, modified: now, content: json(manifest) }
  for await (const page of pages) yield* filesOf(page)
}

async function* filesOf({
  path,
  body,
  metadata,
  revisions,
  updatedAt: modified,
}: ExportedPage): AsyncGenerator<ZipFile> {
  const name = fileName(path)
  yield { name: name + PAGE, modified, content: Buffer.from(body) }
  if (metadata) yield { name: name + METADATA, modified, content: json(metadata) }
  if (revisions) yield { name: name + HISTORY, modified, content: arrayOf(revisions) }
}

/** The path of a page as the name of a file that every system can have. */
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

/** The path that `fileName` made the name of. */
export function pathOfFileName(name: string): string {
  return name.replace(/%([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

async function* arrayOf(items: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
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
