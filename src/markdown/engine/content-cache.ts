import { createHash } from 'node:crypto'
import { type CacheState, Lru } from '../../lib/lru.ts'
import { ownBytes } from '../../lib/own-bytes.ts'
import type { RenderedPage } from '../page.ts'
import type { MarkdownEngine } from './engine.ts'

/** The content of a revision. Revisions are immutable, so that entries are never stale. */
export interface Content {
  readonly body: Buffer
  /** The SHA-256 of the body. */
  digest(): Buffer
  /** Rendered by the first call, then cached with the body. */
  rendered(): Promise<RenderedPage>
}

/** Bodies and rendered HTML by revision id, and the last known revision of a page URL, as a hint for the next read. */
export interface ContentCache {
  get(revisionId: string): Content | undefined
  put(revisionId: string, body: Buffer): Content
  hint(address: string): string | null
  setHint(address: string, revisionId: string): void
  /** Sizes in bytes. */
  readonly caches: Readonly<Record<'contents' | 'hints', CacheState>>
}

const HINT_BYTES = 200
/** Overhead of an entry: the buffer object, the closures, the key, the node of the cache (measured with 10,000 tiny pages) and the digest. */
const ENTRY_BYTES = 700
/** Overhead of its rendered form: the objects and the promise. */
const RENDERED_BYTES = 520
/** Of a link or an anchor; a heading takes twice as much (measured with Node 24: 94 and 203 bytes). */
const FACT_BYTES = 100
const TASK_BYTES = 8
const MAX_COMPLEX = 10_000

/** A cache of at most about `maxBytes` bytes. */
export function createContentCache(
  engine: Pick<MarkdownEngine, 'render' | 'renderSource'>,
  maxBytes: number,
): ContentCache {
  // Revisions that are shown as source. Finding that out takes seconds of CPU time: not with every read.
  const complex = new Lru<string, true>({ maxWeight: MAX_COMPLEX, weigh: () => 1 })
  const contents = new Lru<string, Content & { weight: number }>({
    maxWeight: maxBytes,
    weigh: (content) => content.weight,
  })
  const hints = new Lru<string, string>({
    maxWeight: maxBytes / 8,
    weigh: (_, key) => key.length + HINT_BYTES,
  })

  async function render(revisionId: string, body: Buffer): Promise<RenderedPage> {
    const text = body.toString('utf8')
    if (complex.get(revisionId)) return engine.renderSource(text)
    const page = await engine.render(text)
    if (page.isSource) complex.set(revisionId, true)
    return page
  }

  function put(revisionId: string, bytes: Buffer): Content {
    const body = ownBytes(bytes)
    let digest: Buffer | undefined
    let rendered: Promise<RenderedPage> | undefined
    const content = {
      body,
      weight: body.length + ENTRY_BYTES,
      digest(): Buffer {
        digest ??= createHash('sha256').update(body).digest()
        return digest
      },
      rendered(): Promise<RenderedPage> {
        if (rendered) return rendered
        rendered = render(revisionId, body)
        rendered.then(
          (page) => {
            content.weight = body.length + ENTRY_BYTES + heldBy(page, body)
            if (contents.get(revisionId) === content) contents.set(revisionId, content)
          },
          () => {
            rendered = undefined
          },
        )
        return rendered
      },
    }
    contents.set(revisionId, content)
    return content
  }

  return {
    get: (revisionId) => contents.get(revisionId),
    put,
    hint: (address) => hints.get(address) ?? null,
    setHint: (address, revisionId) => hints.set(address, revisionId),
    caches: { contents, hints },
  }
}

/** The approximate size of a rendered page. The texts of its headings, links and front matter are slices of the body. */
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
