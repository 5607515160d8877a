/** How a reader follows the feed: as a stream, or by long polling. */
type ReaderKind = 'stream' | 'wait'

export interface FeedReader extends Disposable {
  /** The time of the event that it is sent now; undefined: it was sent everything. */
  behindSince: string | undefined
}

/** The readers of the change feed on this node. */
export interface FeedReaders {
  open(kind: ReaderKind): FeedReader
  count(): Record<ReaderKind, number>
  /** The lag of the slowest reader in seconds; 0 if there is none. */
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
