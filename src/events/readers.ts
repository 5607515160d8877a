/** How somebody follows the feed: by a stream, or by a request that waits. */
type ReaderKind = 'stream' | 'wait'

export interface FeedReader extends Disposable {
  /** When what it is sent now happened; undefined: it was sent everything. */
  behindSince: string | undefined
}

/** Those who follow the feed of changes on this node. */
export interface FeedReaders {
  open(kind: ReaderKind): FeedReader
  count(): Record<ReaderKind, number>
  /** How far the slowest is behind; 0 when nobody is. */
  lagSeconds(now: number): number
}

export function createFeedReaders(): FeedReaders {
  const open = new Map<FeedReader, ReaderKind>()
  return {
    open(kind) {
      const reader: FeedReader = {
        behindSince: undefined,
        [Symbol.dispose]: () => void open.delete(reader),
      }
      open.set(reader, kind)
      return reader
    },
    count() {
      const count = { stream: 0, wait: 0 }
      for (const kind of open.values()) count[kind]++
      return count
    },
    lagSeconds(now) {
      let most = 0
      for (const { behindSince } of open.keys()) {
        if (behindSince !== undefined) most = Math.max(most, (now - Date.parse(behindSince)) / 1000)
      }
      return most
    },
  }
}
