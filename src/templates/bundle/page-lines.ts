import type { Exported, ExportedPage } from '../transfer/export.ts'
import { inChunks } from './json-stream.ts'

/** Serialises the pages of an export as NDJSON, as a stream: a line for each page, and one with their number at the end. */
export async function* pageLines({ pages }: Exported): AsyncGenerator<string> {
  yield* inChunks(linesOf(pages))
}

async function* linesOf(pages: AsyncIterable<ExportedPage>): AsyncGenerator<string> {
  let count = 0
  for await (const { path, version, body, metadata } of pages) {
    yield `${JSON.stringify({ path, version, body, ...(metadata && { metadata }) })}\n`
    count++
  }
  yield `${JSON.stringify({ pages: count })}\n`
}
