import { retryLater } from '@recto/contract/errors.ts'
import { unpackSmall } from '@recto/lib/encoding/body-codec.ts'
import { Lru } from '@recto/lib/lru.ts'
import type { MemoryPlan } from '@recto/lib/memory-plan.ts'
import { isCheap } from '@recto/markdown/engine/cost.ts'
import { Pool, PoolError } from '@recto/markdown/engine/pool.ts'
import { currentOwner } from '../../../platform/database/connections/request-scope.ts'
import { type Highlight, readSnippetPage, type Snippet, type SnippetPage, snippetMaker } from './snippet.ts'
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

/** A small body that was found before: to read it takes most of the time of a snippet. */
interface KnownBody {
  readonly body: string
  readonly page: SnippetPage
}

/** Makes snippets: a worker for large bodies, and the small ones that were found last, by their revisions. */
export interface Snippets {
  readonly worker: Pick<Pool, 'run'>
  readonly known: Lru<string, KnownBody>
}

/** Small bodies in memory; each has about three times its size with its text. */
const KNOWN_BYTES = 8 * 1024 * 1024

/** Bodies that were found last; none at first. */
export function createKnownBodies(): Snippets['known'] {
  return new Lru({ maxWeight: KNOWN_BYTES, weigh: ({ body }) => 3 * body.length + 1_000 })
}

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

/**
 * The snippets of compressed bodies, in their order: of some small ones on the main thread, of all others in the
 * worker.
 */
export async function makeSnippets(
  { worker, known }: Snippets,
  rows: readonly { readonly revision_id: string; readonly data: Buffer }[],
  highlight: Highlight,
): Promise<readonly Snippet[]> {
  const snippets = new Map<number, Snippet>()
  let leftBytes = INLINE_BYTES
  const large: number[] = []
  const makeSnippet = snippetMaker(highlight)
  for (const [index, { revision_id: id, data }] of rows.entries()) {
    const knownBody = known.get(id)
    if (knownBody) {
      snippets.set(index, makeSnippet(knownBody.body, knownBody.page))
      continue
    }
    const body = leftBytes > 0 ? unpackSmall(data, Math.min(leftBytes, SMALL_BYTES)) : undefined
    const text = body?.toString('utf8')
    if (!body || text === undefined || !isCheap('analyse', text)) {
      large.push(index)
      continue
    }
    leftBytes -= body.length
    const page = readSnippetPage(text)
    known.set(id, { body: text, page })
    snippets.set(index, makeSnippet(text, page))
  }
  for (let at = 0; at < large.length; at += JOB_BODIES) {
    const indexes = large.slice(at, at + JOB_BODIES)
    // Copies: a message would contain the complete memory that a buffer is a part of.
    const bodies = indexes.map((index) => new Uint8Array(rows[index]?.data ?? []))
    const newSnippets = await inWorker(worker, { packed: bodies, highlight })
    for (const [n, index] of indexes.entries()) snippets.set(index, newSnippets[n] ?? NONE)
  }
  return rows.map((_, index) => snippets.get(index) ?? NONE)
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
