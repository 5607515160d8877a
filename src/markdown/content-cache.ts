import { type CacheState, Lru } from '../lib/lru.ts'
import { isTooHard, type MarkdownEngine } from './engine.ts'
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
const MAX_REFUSALS = 10_000
/** The machine may have been busy: after this time a body that was refused is tried again. */
const REFUSED_MS = 10 * 60_000

interface Refusal {
  readonly error: unknown
  readonly until: number
}

/** A cache of at most about `maxBytes` bytes; `clock` is in milliseconds. */
export function createContentCache(
  engine: MarkdownEngine,
  maxBytes: number,
  clock: () => number = () => performance.now(),
): ContentCache {
  // What takes too long takes a worker for all of that time: not again with every read.
  const refusals = new Lru<string, Refusal>({ maxWeight: MAX_REFUSALS, weigh: () => 1 })
  const contents = new Lru<string, Content & { weight: number }>({
    maxWeight: maxBytes,
    weigh: (content) => content.weight,
  })
  const hints = new Lru<string, string>({
    maxWeight: maxBytes / 8,
    weigh: (_, key) => key.length + HINT_BYTES,
  })

  function put(revisionId: string, body: Buffer): Content {
    let rendered: Promise<RenderedPage> | undefined
    // HTML is some times the size of its Markdown; what is not rendered yet is counted as if it were.
    const content = {
      body,
      weight: body.length * 5 + HINT_BYTES,
      rendered(): Promise<RenderedPage> {
        const refused = refusals.get(revisionId)
        if (refused && clock() < refused.until) return Promise.reject(refused.error)
        rendered ??= engine.render(body.toString('utf8'))
        rendered.catch((error) => {
          rendered = undefined
          if (isTooHard(error)) refusals.set(revisionId, { error, until: clock() + REFUSED_MS })
        })
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
