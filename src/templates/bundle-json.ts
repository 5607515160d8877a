import { bundleHead } from './bundle.ts'
import type { Exported, ExportedPage } from './export.ts'
import { streamObject } from './json-stream.ts'

/** Serialises an export as a JSON bundle, as a stream. */
export async function* jsonBundle({ space, pages }: Exported): AsyncGenerator<string> {
  yield* inChunks(streamPages(bundleHead(space), pages))
}

async function* streamPages(
  head: Readonly<Record<string, unknown>>,
  pages: AsyncIterable<ExportedPage>,
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
  yield ']}'
}

const CHUNK_LENGTH = 64 * 1024

/** Joins small strings, so that small pages do not cause small writes. */
async function* inChunks(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const part of parts) {
    chunk += part
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
