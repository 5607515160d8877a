import { createHash } from 'node:crypto'
import { type CacheState, Lru } from '@recto/lib/lru.ts'
import { ownBytes } from '@recto/lib/own-bytes.ts'
import type { RenderedPage } from '../page.ts'
import type { MarkdownEngine } from './engine.ts'
import type { SharedJob } from './pool.ts'

/** The content of a revision. Revisions are immutable, so that entries are never stale. */
export interface Content {
  readonly body: Buffer
  /** The SHA-256 of the body. */
  digest(): Buffer
  /** The body as a JSON string. */
  json(): Buffer
  /** Rendered by the first call, then cached with the body. */
  rendered(): Promise<RenderedPage>
}

/** The overhead of an entry of a cache by page URL. */
const HINT_BYTES = 200
/** Overhead of an entry: buffer object, closures, key, node of the cache (measured with tiny pages) and digest. */
const ENTRY_BYTES = 700
/** Overhead of a further buffer. */
const BUFFER_BYTES = 200
/** Overhead of its rendered form: the objects and the promise. */
const RENDERED_BYTES = 520
/** Of a link or an anchor; a heading takes twice as much (measured with Node 24: 94 and 203 bytes). */
const FACT_BYTES = 100
const TASK_BYTES = 8
const MAX_COMPLEX = 10_000
const NOT_RENDERING: SharedJob = {}

type Renderer = Pick<MarkdownEngine, 'render' | 'renderSource' | 'join'>

/** Bodies and rendered HTML by revision id, and the last known revision of a page URL. At most about `maxBytes`. */
export class ContentCache {
  readonly #engine: Renderer
  // Revisions that are shown as source. Finding that out takes seconds of CPU time: not with every read.
  readonly #complex = new Lru<string, true>({ maxWeight: MAX_COMPLEX, weigh: () => 1 })
  readonly #contents: Lru<string, CachedContent>
  readonly #hints: Lru<string, string>

  constructor(engine: Renderer, maxBytes: number) {
    this.#engine = engine
    this.#contents = new Lru({ maxWeight: maxBytes, weigh: (content) => content.weight })
    this.#hints = new Lru({ maxWeight: maxBytes / 8, weigh: (_, key) => key.length + HINT_BYTES })
  }

  /** Sizes in bytes. */
  get caches(): Readonly<Record<'contents' | 'hints', CacheState>> {
    return { contents: this.#contents, hints: this.#hints }
  }

  get(revisionId: string): Content | undefined {
    return this.#contents.get(revisionId)
  }

  put(revisionId: string, bytes: Buffer): Content {
    const content = new CachedContent(ownBytes(bytes), {
      render: (body, sharedJob) => this.#render(revisionId, body, sharedJob),
      join: (jobToJoin) => this.#engine.join(jobToJoin),
      onGrowth: () => {
        if (this.#contents.get(revisionId) === content) this.#contents.set(revisionId, content)
      },
    })
    this.#contents.set(revisionId, content)
    return content
  }

  hint(address: string): string | null {
    return this.#hints.get(address) ?? null
  }

  setHint(address: string, revisionId: string): void {
    this.#hints.set(address, revisionId)
  }

  async #render(revisionId: string, body: Buffer, sharedJob: SharedJob): Promise<RenderedPage> {
    const text = body.toString('utf8')
    if (this.#complex.get(revisionId)) return this.#engine.renderSource(text, sharedJob)
    const page = await this.#engine.render(text, sharedJob)
    if (page.isSource) this.#complex.set(revisionId, true)
    return page
  }
}

interface Growing {
  readonly render: (body: Buffer, shared: SharedJob) => Promise<RenderedPage>
  /** Waits for a rendering that another caller has begun. */
  readonly join: (shared: SharedJob) => void
  /** Called when `weight` is a new one. */
  readonly onGrowth: () => void
}

class CachedContent implements Content {
  readonly body: Buffer
  weight: number
  readonly #growing: Growing
  #digest: Buffer | undefined
  #json: Buffer | undefined
  #rendered: Promise<RenderedPage> | undefined
  #rendering: SharedJob = NOT_RENDERING

  constructor(body: Buffer, growing: Growing) {
    this.body = body
    this.weight = body.length + ENTRY_BYTES
    this.#growing = growing
  }

  digest(): Buffer {
    this.#digest ??= createHash('sha256').update(this.body).digest()
    return this.#digest
  }

  json(): Buffer {
    if (this.#json) return this.#json
    this.#json = ownBytes(Buffer.from(JSON.stringify(this.body.toString('utf8'))))
    this.#grow(this.#json.length + BUFFER_BYTES)
    return this.#json
  }

  rendered(): Promise<RenderedPage> {
    if (this.#rendering.waiting) this.#growing.join(this.#rendering)
    this.#rendered ??= this.#render().catch((error: unknown) => {
      this.#rendered = undefined
      throw error
    })
    return this.#rendered
  }

  async #render(): Promise<RenderedPage> {
    this.#rendering = {}
    const page = await this.#growing.render(this.body, this.#rendering).finally(() => {
      this.#rendering = NOT_RENDERING
    })
    this.#grow(heldBy(page, this.body))
    return page
  }

  #grow(bytes: number): void {
    this.weight += bytes
    this.#growing.onGrowth()
  }
}

/** The approximate size of a rendered page. Texts of headings, links and front matter are slices of the body. */
function heldBy({ html, headings, links, anchors, tasks }: RenderedPage, body: Buffer): number {
  // V8 takes two bytes for each character if one is not Latin-1. Testing for ASCII is close enough.
  const wide = Buffer.byteLength(html) > html.length ? 2 : 1
  return (
    RENDERED_BYTES +
    wide * (html.length + body.length) +
    FACT_BYTES * (2 * headings.length + links.length + anchors.length) +
    TASK_BYTES * tasks.length
  )
}
