import { type CacheState, Lru } from '../lib/lru.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import type { MarkdownEngine } from './engine.ts'
import type { RenderedPage } from './page.ts'

/** What is known of one revision. A revision never changes, so nothing here is ever out of date. */
export interface Content {
  readonly body: Buffer
  /** Made at the first call, kept with the body. */
  rendered(): Promise<RenderedPage>
}

/** Bodies and rendered HTML by revision id, and the revision that an address showed last, as a hint for the next read. */
export interface ContentCache {
  get(revisionId: string): Content | undefined
  put(revisionId: string, body: Buffer): Content
  hint(address: string): string | null
  setHint(address: string, revisionId: string): void
  /** What is held; both weigh bytes. */
  readonly caches: Readonly<Record<'contents' | 'hints', CacheState>>
}

const HINT_BYTES = 200
/** What an entry takes beside its bytes: the buffer, the closure, the key and its place in the cache (measured). */
const ENTRY_BYTES = 1_000
/** What a link or an anchor takes, and half of what a heading takes (measured with Node 24: 94 bytes, and 203). */
const FACT_BYTES = 100
const MAX_COMPLEX = 10_000

/** A cache of at most about `maxBytes` bytes. */
export function createContentCache(
  engine: Pick<MarkdownEngine, 'render' | 'renderSource'>,
  maxBytes: number,
): ContentCache {
  // The revisions that are shown as their source: to find that out takes seconds of processor time, not with every read.
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
    let rendered: Promise<RenderedPage> | undefined
    const content = {
      body,
      weight: body.length + ENTRY_BYTES,
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

/** About the bytes that a rendered page holds. The texts of its headings, links and front matter are parts of the body. */
function heldBy({ html, headings, links, anchors }: RenderedPage, body: Buffer): number {
  // V8 takes two bytes a character once one is beyond Latin-1; beyond ASCII is close enough.
  const wide = Buffer.byteLength(html) > html.length ? 2 : 1
  return (
    wide * (html.length + body.length) + FACT_BYTES * (2 * headings.length + links.length + anchors.length)
  )
}
