import { AppError, retryLater } from '@recto/contract/errors.ts'
import { applyEdits, type EditedBody } from '../edits/apply-edits.ts'
import type { Edit } from '../edits/edits.ts'
import { findLinkPlaces, type LinkPlace } from '../link-places.ts'
import { type AnalysedPage, analysePage, type RenderedPage, renderPage } from '../page.ts'
import { INLINE_BUDGET, isCheap } from './cost.ts'
import { type JobInput, type JobKind, type JobResult, type MarkdownJob, runJob } from './jobs.ts'
import { unpackLists } from './large-lists.ts'
import { Pool, PoolError, type SharedJob } from './pool.ts'

export interface MarkdownOptions {
  /** The script of a worker that does more than `MarkdownJob`, for `run`. */
  readonly script?: URL
  /** Maximum number of workers, started on demand. */
  readonly workers?: number
  /** Heap limit of a worker. A body that takes more is too complex. */
  readonly workerHeapMb?: number
  /** Limit of its young generation. */
  readonly workerYoungMb?: number
  /** CPU time of a worker for one body; it grows with the body, twice as much for 1 MiB. */
  readonly cpuMs?: number
  /** Longer bodies are never parsed on the main thread. */
  readonly inlineBytes?: number
  /** How long an idle worker is kept. */
  readonly idleMs?: number
  /** Maximum number of queued bodies. */
  readonly maxQueue?: number
  /** Whose work the current call is; see `PoolOptions`. */
  readonly owner?: () => string
}

interface BodyJob {
  readonly kind: string
  readonly body: string
}

/** CPU time for showing a source, which takes linear time: the last resort gets a generous budget. */
const PLAIN_CPU_MS = 10_000
/** A body of this many characters gets twice the CPU time. */
const LARGE = 1024 * 1024
/** Longer texts are diffed and edited in a worker. */
const INLINE_CHARACTERS = 8 * 1024

/** Parses bodies without blocking the event loop: cheap ones on the main thread, all others in workers. */
export class MarkdownEngine implements AsyncDisposable {
  readonly #pool: Pool
  readonly #cpuMs: number
  readonly #inlineBytes: number

  constructor(options: MarkdownOptions = {}) {
    const { workers = 2, workerHeapMb = 512, workerYoungMb = 32, idleMs = 30_000, maxQueue = 1000 } = options
    this.#cpuMs = options.cpuMs ?? 5000
    this.#inlineBytes = options.inlineBytes ?? 16 * 1024
    const { script = new URL('./worker.ts', import.meta.url) } = options
    const resources = { maxOldGenerationSizeMb: workerHeapMb, maxYoungGenerationSizeMb: workerYoungMb }
    this.#pool = new Pool({ script, size: workers, idleMs, maxQueue, resources, owner: options.owner })
  }

  /** The facts and the text of a body; throws `markdown_too_complex` if they take too much processor time. */
  async analyse(body: string): Promise<AnalysedPage> {
    if (this.isInline('analyse', body)) return analysePage(body)
    return this.#unpacked<AnalysedPage>({ kind: 'analyse', input: [body] })
  }

  /** See `findLinkPlaces`; none if finding them would take too much CPU time. */
  async findLinkPlaces(body: string): Promise<readonly LinkPlace[]> {
    if (this.isInline('render', body)) return findLinkPlaces(body)
    try {
      return await this.#inWorker({ kind: 'places', input: [body] })
    } catch (error) {
      if (isTooComplex(error)) return []
      throw error
    }
  }

  /** Does a job of the script of this engine in a worker, within the limits of one body. */
  async run(job: BodyJob): Promise<unknown> {
    return this.#send(job, job.body.length)
  }

  /** Renders sanitised HTML; the source as HTML if rendering would take too much CPU time. */
  async render(body: string, sharedJob?: SharedJob): Promise<RenderedPage> {
    if (this.isInline('render', body)) return renderPage(body)
    try {
      return await this.#unpacked<RenderedPage>({ kind: 'render', input: [body] }, sharedJob)
    } catch (error) {
      if (isTooComplex(error)) return this.renderSource(body, sharedJob)
      throw error
    }
  }

  /** The source as HTML, for a body that is known to be too complex. */
  async renderSource(body: string, sharedJob?: SharedJob): Promise<RenderedPage> {
    return this.#unpacked<RenderedPage>({ kind: 'plain', input: [body] }, sharedJob)
  }

  /** The current principal waits for the result of that job, too. */
  join(sharedJob: SharedJob): void {
    this.#pool.join(sharedJob)
  }

  /** See `applyEdits`. */
  async edit(body: string, edits: readonly Edit[], maxBytes: number): Promise<EditedBody> {
    if (isSmallEdit(body, edits, this.#inlineBytes)) return applyEdits(body, edits, maxBytes)
    const editedBody = await this.#inWorker({ kind: 'edit', input: [body, edits, maxBytes] })
    if (!('problem' in editedBody)) return editedBody
    const { code, message, extras } = editedBody.problem
    throw new AppError(code, message, extras)
  }

  /** Replaces the images of other origins in rendered HTML by placeholders. */
  async hideExternalImages(html: string, publicUrl: string): Promise<string> {
    return html.includes('<img') ? this.#hideImages(html, publicUrl) : html
  }

  readonly #hideImages = this.#inlineIfShort('images')
  /** Line diff of two bodies; throws `markdown_too_complex` like `analyse`. */
  readonly compareSource = this.#inlineIfShort('source')
  /** Block diff of two pages that were rendered by `render`. */
  readonly compareBlocks = this.#inlineIfShort('blocks')
  /** See `movePlaces`; throws `markdown_too_complex` like `analyse`. */
  readonly movePlaces = this.#inlineIfShort('moves')
  /** See `findVisible`. */
  readonly findVisible = this.#inlineIfShort('visible')
  /** See `findQuote`. */
  readonly findQuote = this.#inlineIfShort('quote')
  /** See `toLineRanges`. */
  readonly toLineRanges = this.#inlineIfShort('lines')

  /** Whether the main thread parses or renders the body itself. */
  isInline(kind: 'analyse' | 'render', body: string): boolean {
    return Buffer.byteLength(body) <= this.#inlineBytes && isCheap(kind, body)
  }

  jobs(): ReturnType<Pool['jobs']> {
    return this.#pool.jobs()
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#pool[Symbol.asyncDispose]()
  }

  /** A function whose job is done on the main thread if its texts are short, else in a worker. */
  #inlineIfShort<Kind extends JobKind>(kind: Kind) {
    return async (...input: JobInput<Kind>): Promise<JobResult<Kind>> => {
      const job = { kind, input }
      return measureLength(input) <= INLINE_CHARACTERS ? runJob(job) : this.#inWorker(job)
    }
  }

  async #unpacked<Facts>(job: MarkdownJob<'analyse' | 'render' | 'plain'>, sharedJob?: SharedJob): Promise<Facts> {
    return (await unpackLists(await this.#inWorker(job, sharedJob))) as Facts
  }

  async #inWorker<Kind extends JobKind>(job: MarkdownJob<Kind>, sharedJob?: SharedJob): Promise<JobResult<Kind>> {
    return (await this.#send(job, measureLength(job.input), sharedJob)) as JobResult<Kind>
  }

  async #send(job: { readonly kind: string }, length: number, sharedJob?: SharedJob): Promise<unknown> {
    const cpuMs = job.kind === 'plain' ? PLAIN_CPU_MS : this.#cpuMs
    try {
      return await this.#pool.run(job, cpuMs * (1 + length / LARGE), sharedJob)
    } catch (error) {
      throw error instanceof PoolError ? asAppError(job.kind, error) : error
    }
  }
}

/** Whether all edits together cost no more than parsing one small body: each may parse the result of the one before. */
function isSmallEdit(body: string, edits: readonly Edit[], inlineBytes: number): boolean {
  if (edits.some((edit) => edit.op === 'replace' && (edit.expectedCount ?? 1) > 1)) return false
  const whole = [body, ...edits.map(({ text }) => text)]
  const length = whole.reduce((sum, { length }) => sum + length, 0)
  return length <= inlineBytes && isCheap('analyse', whole.join('\n'), INLINE_BUDGET / edits.length)
}

function isTooComplex(error: unknown): boolean {
  return error instanceof AppError && error.code === 'markdown_too_complex'
}

/** The length of all texts of a job. */
function measureLength(input: readonly unknown[]): number {
  return input.reduce((sum: number, each) => sum + (typeof each === 'string' ? each.length : 0), 0)
}

function asAppError(kind: string, cause: PoolError): AppError {
  if (cause.reason === 'busy')
    return retryLater('markdown_busy', 'Too many large pages are being read at once', 2, cause)
  if (kind === 'source' || kind === 'blocks' || kind === 'moves') {
    const message = 'The two versions are too complex to compare. Each can be read.'
    return new AppError('markdown_too_complex', message, { cause })
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
