import { parentPort } from 'node:worker_threads'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { WorkerMessage } from '@recto/markdown/engine/pool.ts'
import { type Highlight, type Snippet, snippetMaker } from './snippet.ts'

/** Compressed bodies and the words of the query. The worker responds with a snippet of each body. */
export interface SnippetJob {
  readonly packed: readonly Uint8Array[]
  readonly highlight: Highlight
}

const send = (answer: WorkerMessage) => parentPort?.postMessage(answer)

parentPort?.on('message', async ({ packed, highlight }: SnippetJob) => {
  try {
    const value: Snippet[] = []
    const makeSnippet = snippetMaker(highlight)
    // One after the other: only one decompressed body is in memory.
    for (const data of packed) {
      const body = await unpackBody(Buffer.from(data.buffer, data.byteOffset, data.length))
      value.push(makeSnippet(body.toString('utf8')))
    }
    send({ value })
  } catch (error) {
    send({ error })
  }
})
send({ ready: true })
