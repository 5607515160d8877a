import type { Exported, ExportedPage } from '../transfer/export.ts'
import type { ExportedFile } from '../transfer/export-files.ts'
import { type BundleFilePart, bundleHead } from './bundle.ts'
import { inChunks, streamObject } from './json-stream.ts'

/** Serialises an export as a JSON bundle, as a stream. */
export async function* jsonBundle({ space, pages, files }: Exported): AsyncGenerator<string> {
  yield* inChunks(streamBundle(bundleHead(space), pages, files))
}

async function* streamBundle(
  head: Readonly<Record<string, unknown>>,
  pages: AsyncIterable<ExportedPage>,
  files: AsyncIterable<ExportedFile>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"pages":[`
  let separator = ''
  for await (const { path, body, metadata, revisions } of pages) {
    yield separator
    separator = ','
    const page = { path, body, ...(metadata && { metadata }) }
    if (revisions) yield* streamObject(page, 'revisions', revisions)
    else yield JSON.stringify(page)
  }
  yield ']'
  separator = ',"files":['
  for await (const part of fileParts(files)) {
    yield separator + JSON.stringify(part)
    separator = ','
  }
  yield separator === ',' ? ']}' : '}'
}

/** The bytes of files in parts, so that neither writer nor reader holds a complete file in memory. */
async function* fileParts(files: AsyncIterable<ExportedFile>): AsyncGenerator<BundleFilePart> {
  for await (const { path, bytes } of files) {
    let last: Buffer = Buffer.alloc(0)
    for await (const chunk of bytes) {
      if (last.length > 0) yield { path, data: last.toString('base64'), more: true }
      last = chunk
    }
    yield { path, data: last.toString('base64') }
  }
}
