import { AppError } from '../errors.ts'
import { type BlockDiff, blockDiff } from './block-diff.ts'
import { isCheap } from './cost.ts'
import { analysePage, type PageFacts, type RenderedPage, renderPage } from './page.ts'
import { type Pool, PoolRefusal, startPool } from './pool.ts'
import { type SourceDiff, sourceDiff } from './source-diff.ts'
import type { MarkdownJob } from './worker.ts'

export interface MarkdownOptions {
  /** Workers at most; none runs until a body needs one. */
  readonly workers?: number
  /** How long a worker may take over one body; over a large one a little longer, as its size demands. */
  readonly timeoutMs?: number
  /** Longer bodies are never parsed on the main thread. */
  readonly inlineBytes?: number
  /** How long a worker without work stays. */
  readonly idleMs?: number
  /** How many bodies may wait for a worker. */
  readonly maxQueue?: number
}

export interface MarkdownEngine extends Pick<Pool, 'jobs'>, AsyncDisposable {
  /** Title, front matter, headings and links of a body; refuses with `render_timeout` what takes too long. */
  analyse(body: string): Promise<PageFacts>
  /** The body as HTML that is safe to show; refuses with `render_timeout` what takes too long. */
  render(body: string): Promise<RenderedPage>
  /** How one body became another, line by line; refuses with `render_timeout` what takes too long. */
  compareSource(before: string, after: string): Promise<SourceDiff>
  /** How one page as it is shown became another, block by block: both are HTML that `render` made. */
  compareBlocks(before: string, after: string): Promise<BlockDiff>
}

/** A body of so many characters gets twice the time. */
const LARGE = 1024 * 1024
/** Longer texts are never compared on the main thread. */
const INLINE_CHARACTERS = 8 * 1024

/** Parses bodies without holding the event loop: small simple ones at once, all others in workers. */
export function startMarkdown(options: MarkdownOptions = {}): MarkdownEngine {
  const { workers = 2, timeoutMs = 2000, inlineBytes = 16 * 1024, idleMs = 30_000, maxQueue = 64 } = options
  const script = new URL('./worker.ts', import.meta.url)
  const pool = startPool({ script, size: workers, idleMs, maxQueue })
  const isInline = (kind: 'analyse' | 'render', body: string) =>
    Buffer.byteLength(body) <= inlineBytes && isCheap(kind, body)
  const inWorker = async (job: MarkdownJob) => {
    try {
      return await pool.run(job, timeoutMs * (1 + lengthOf(job) / LARGE))
    } catch (error) {
      throw error instanceof PoolRefusal ? refusal(job.kind, error) : error
    }
  }
  return {
    async analyse(body) {
      if (isInline('analyse', body)) return analysePage(body)
      return (await inWorker({ kind: 'analyse', body })) as PageFacts
    },
    async render(body) {
      if (isInline('render', body)) return renderPage(body)
      return (await inWorker({ kind: 'render', body })) as RenderedPage
    },
    async compareSource(before, after) {
      if (before.length + after.length <= INLINE_CHARACTERS) return sourceDiff(before, after)
      return (await inWorker({ kind: 'source', before, after })) as SourceDiff
    },
    async compareBlocks(before, after) {
      if (before.length + after.length <= INLINE_CHARACTERS) return blockDiff(before, after)
      return (await inWorker({ kind: 'blocks', before, after })) as BlockDiff
    },
    jobs: () => pool.jobs(),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/** Whether an engine refused a body for what it is, and would again: not because others were in front. */
export function isTooHard(error: unknown): boolean {
  return error instanceof AppError && error.cause instanceof PoolRefusal && error.cause.reason !== 'busy'
}

function lengthOf(job: MarkdownJob): number {
  return 'body' in job ? job.body.length : job.before.length + job.after.length
}

function refusal(kind: MarkdownJob['kind'], cause: PoolRefusal): AppError {
  const headers = { 'Retry-After': '2' }
  if (cause.reason === 'busy') {
    return new AppError('render_timeout', 'Too many large pages are being read at once', { headers, cause })
  }
  if (kind === 'render') {
    const detail = 'The page takes too long to show as HTML; its Markdown can be read'
    return new AppError('render_timeout', detail, { cause })
  }
  if (kind === 'source' || kind === 'blocks') {
    return new AppError('render_timeout', 'The two versions take too long to compare; each can be read', {
      cause,
    })
  }
  const message = 'nests or repeats Markdown in a way that cannot be parsed in time'
  return new AppError('render_timeout', 'The body takes too long to parse', {
    issues: [{ path: '/body', message }],
    cause,
  })
}
