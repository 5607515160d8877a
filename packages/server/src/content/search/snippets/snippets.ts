import { retryLater } from '@recto/contract/errors.ts'
import { unpackSmall } from '@recto/lib/encoding/body-codec.ts'
import type { MemoryPlan } from '@recto/lib/memory-plan.ts'
import { isCheap } from '@recto/markdown/engine/cost.ts'
import { Pool, PoolError } from '@recto/markdown/engine/pool.ts'
import { currentOwner } from '../../../platform/database/connections/request-scope.ts'
import { type Highlight, type Snippet, snippetMaker } from './snippet.ts'
import type { SnippetJob } from './snippet-worker.ts'

/** The maximum of bytes of bodies that are processed on the main thread per response. */
const INLINE_BYTES = 64 * 1024
/** Larger bodies are always decompressed in the worker. */
const SMALL_BYTES = 16 * 1024
/** Bodies per job: jobs of other searches run in between. */
const JOB_BODIES = 10
/** Processor time of a job; of a body that takes more there is a hit without its snippet. */
const CPU_MS = 10_000

const NONE: Snippet = { html: '', line: undefined, heading: undefined }

/** Starts the worker that makes snippets of large bodies. Imports do not use it. */
export function startSnippets({ workerHeapMb, workerYoungMb, workerIdleMs }: MemoryPlan): Pool {
  return new Pool({
    script: new URL('./snippet-worker.ts', import.meta.url),
    size: 1,
    idleMs: workerIdleMs,
    maxQueue: 1_000,
    owner: currentOwner,
    resources: {
      maxOldGenerationSizeMb: Math.min(256, workerHeapMb / 2), // it parses one body at a time
      maxYoungGenerationSizeMb: Math.min(16, workerYoungMb),
    },
  })
}

/** The snippets of compressed bodies, in their order: of some small ones made here, of others in the worker. */
export async function makeSnippets(
  pool: Pick<Pool, 'run'>,
  packedBodies: readonly Buffer[],
  highlight: Highlight,
): Promise<readonly Snippet[]> {
  const snippets = new Map<number, Snippet>()
  let leftBytes = INLINE_BYTES
  const large: number[] = []
  const makeSnippet = snippetMaker(highlight)
  for (const [index, data] of packedBodies.entries()) {
    const body = leftBytes > 0 ? unpackSmall(data, Math.min(leftBytes, SMALL_BYTES)) : undefined
    const text = body?.toString('utf8')
    if (!body || text === undefined || !isCheap('analyse', text)) {
      large.push(index)
      continue
    }
    leftBytes -= body.length
    snippets.set(index, makeSnippet(text))
  }
  for (let at = 0; at < large.length; at += JOB_BODIES) {
    const indexes = large.slice(at, at + JOB_BODIES)
    // Copies: a message would contain the complete memory that a buffer is a part of.
    const bodies = indexes.map((index) => new Uint8Array(packedBodies[index] ?? []))
    const newSnippets = await inWorker(pool, { packed: bodies, highlight })
    for (const [n, index] of indexes.entries()) snippets.set(index, newSnippets[n] ?? NONE)
  }
  return packedBodies.map((_, index) => snippets.get(index) ?? NONE)
}

async function inWorker(pool: Pick<Pool, 'run'>, job: SnippetJob): Promise<readonly Snippet[]> {
  try {
    return (await pool.run(job, CPU_MS)) as Snippet[] // of the worker
  } catch (error) {
    if (!(error instanceof PoolError)) throw error
    // A hit without its snippet is still a hit.
    if (error.reason !== 'busy') return []
    throw retryLater('markdown_busy', 'Too many large pages are being read at once', 2, error)
  }
}
