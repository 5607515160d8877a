import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { answerJobs } from '@recto/markdown/engine/answer-jobs.ts'
import { type Highlight, type Snippet, snippetMaker } from './snippet.ts'

/** Compressed bodies and the words of the query. The worker responds with a snippet of each body. */
export interface SnippetJob {
  readonly packed: readonly Uint8Array[]
  readonly highlight: Highlight
}

answerJobs(async ({ packed, highlight }: SnippetJob) => {
  const snippets: Snippet[] = []
  const makeSnippet = snippetMaker(highlight)
  // One after the other: only one decompressed body is in memory.
  for (const data of packed) {
    const body = await unpackBody(Buffer.from(data.buffer, data.byteOffset, data.length))
    snippets.push(makeSnippet(body.toString('utf8')))
  }
  return snippets
})
