import { AppError } from '../errors.ts'
import { applyEdits, type EditedBody, type EditProblem } from './apply-edits.ts'
import { type BlockDiff, blockDiff } from './block-diff.ts'
import { INLINE_BUDGET, isCheap } from './cost.ts'
import type { Edit } from './edits.ts'
import { hideExternalImages } from './external-images.ts'
import { analysePage, type PageFacts, type RenderedPage, renderPage } from './page.ts'
import { type Pool, PoolError, startPool } from './pool.ts'
import { type SourceDiff, sourceDiff } from './source-diff.ts'
import type { MarkdownJob } from './worker.ts'

export interface MarkdownOptions {
  /** Workers at most; none runs until a body needs one. */
  readonly workers?: number
  /** The heap of a worker: a body that takes more is too complex. */
  readonly workerHeapMb?: number
  /** Processor time that a worker may take for one body; for a body of 1 MiB twice that, and so on. */
  readonly cpuMs?: number
  /** Longer bodies are never parsed on the main thread. */
  readonly inlineBytes?: number
  /** How long a worker without work stays. */
  readonly idleMs?: number
  /** How many bodies may wait for a worker. */
  readonly maxQueue?: number
}

export interface MarkdownEngine extends Pick<Pool, 'jobs'>, AsyncDisposable {
  /** Title, front matter, headings and links of a body; fails with `markdown_too_complex` where that takes too much processor time. */
  analyse(body: string): Promise<PageFacts>
  /** The body as HTML that is safe to show: its source where its HTML would take too much processor time. */
  render(body: string): Promise<RenderedPage>
  /** The source of a body as HTML, for one that is known to be too complex. */
  renderSource(body: string): Promise<RenderedPage>
  /** HTML that `render` made, with placeholders for the images of other sites. */
  hideExternalImages(html: string, publicUrl: string): Promise<string>
  /** The body with edits applied, as `applyEdits` does. */
  edit(body: string, edits: readonly Edit[], maxBytes: number): Promise<EditedBody>
  /** How one body became another, line by line; fails with `markdown_too_complex` as `analyse` does. */
  compareSource(before: string, after: string): Promise<SourceDiff>
  /** How one page as it is shown became another, block by block: both are HTML that `render` made. */
  compareBlocks(before: string, after: string): Promise<BlockDiff>
}

/** Processor time to show a source, which takes time in proportion to its length: the last resort has no small budget. */
const PLAIN_CPU_MS = 10_000
/** A body of so many characters gets twice the processor time. */
const LARGE = 1024 * 1024
/** Longer texts are neither compared nor changed on the main thread. */
const INLINE_CHARACTERS = 8 * 1024

/** Parses bodies without holding the event loop: small simple ones at once, all others in workers. */
export function startMarkdown(options: MarkdownOptions = {}): MarkdownEngine {
  const {
    workers = 2,
    workerHeapMb = 512,
    cpuMs = 5000,
    inlineBytes = 16 * 1024,
    idleMs = 30_000,
    maxQueue = 1000,
  } = options
  const script = new URL('./worker.ts', import.meta.url)
  const resources = { maxOldGenerationSizeMb: workerHeapMb }
  const pool = startPool({ script, size: workers, idleMs, maxQueue, resources })
  const isInline = (kind: 'analyse' | 'render', body: string) =>
    Buffer.byteLength(body) <= inlineBytes && isCheap(kind, body)
  const inWorker = async (job: MarkdownJob) => {
    try {
      return await pool.run(job, (job.kind === 'plain' ? PLAIN_CPU_MS : cpuMs) * (1 + lengthOf(job) / LARGE))
    } catch (error) {
      throw error instanceof PoolError ? asAppError(job.kind, error) : error
    }
  }
  const renderSource = async (body: string) => (await inWorker({ kind: 'plain', body })) as RenderedPage
  return {
    async analyse(body) {
      if (isInline('analyse', body)) return analysePage(body)
      return (await inWorker({ kind: 'analyse', body })) as PageFacts
    },
    async render(body) {
      if (isInline('render', body)) return renderPage(body)
      try {
        return (await inWorker({ kind: 'render', body })) as RenderedPage
      } catch (error) {
        if (isTooComplex(error)) return renderSource(body)
        throw error
      }
    },
    renderSource,
    async hideExternalImages(html, publicUrl) {
      if (!html.includes('<img')) return html
      if (html.length <= INLINE_CHARACTERS) return hideExternalImages(html, publicUrl)
      return (await inWorker({ kind: 'images', body: html, publicUrl })) as string
    },
    async edit(body, edits, maxBytes) {
      if (isSmallEdit(body, edits, inlineBytes)) return applyEdits(body, edits, maxBytes)
      const edited = (await inWorker({ kind: 'edit', body, edits, maxBytes })) as EditedBody | EditProblem
      if (!('problem' in edited)) return edited
      const { code, message, extras } = edited.problem
      throw new AppError(code, message, extras)
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

/** Whether all edits take no longer than to parse one small body: each of them may parse what the one before made. */
function isSmallEdit(body: string, edits: readonly Edit[], inlineBytes: number): boolean {
  if (edits.some((edit) => edit.op === 'replace' && (edit.expectedCount ?? 1) > 1)) return false
  const whole = [body, ...edits.map(({ text }) => text)]
  const length = whole.reduce((sum, { length }) => sum + length, 0)
  return length <= inlineBytes && isCheap('analyse', whole.join('\n'), INLINE_BUDGET / edits.length)
}

function isTooComplex(error: unknown): boolean {
  return error instanceof AppError && error.code === 'markdown_too_complex'
}

function lengthOf(job: MarkdownJob): number {
  return 'body' in job ? job.body.length : job.before.length + job.after.length
}

function asAppError(kind: MarkdownJob['kind'], cause: PoolError): AppError {
  if (cause.reason === 'busy') {
    const headers = { 'Retry-After': '2' }
    return new AppError('markdown_busy', 'Too many large pages are being read at once', { headers, cause })
  }
  if (kind === 'source' || kind === 'blocks') {
    return new AppError(
      'markdown_too_complex',
      'The two versions are too complex to compare; each can be read',
      {
        cause,
      },
    )
  }
  if (kind === 'edit') {
    const message = 'take too much processor time together: send fewer in a request'
    return new AppError('markdown_too_complex', `The edits ${message}. Nothing was changed.`, {
      issues: [{ path: '/edits', message }],
      cause,
    })
  }
  const message = 'nests or repeats Markdown in a way that takes too much processor time'
  return new AppError('markdown_too_complex', 'The body takes too much processor time to parse', {
    issues: [{ path: '/body', message }],
    cause,
  })
}
