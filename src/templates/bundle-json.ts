import { bundleHead } from './bundle.ts'
import type { Exported, ExportedPage } from './export.ts'
import { streamObject } from './json-stream.ts'

/** A space as a bundle of JSON, while its pages arrive. */
export async function* jsonBundle({ space, pages }: Exported): AsyncGenerator<string> {
  yield* joined(streamPages(bundleHead(space), pages))
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

/** Small pieces put together, so that a stream of small pages is no stream of small writes. */
async function* joined(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
