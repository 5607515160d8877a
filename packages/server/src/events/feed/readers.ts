import { registerSampled } from '@recto/lib/sampled.ts'
import type { Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import { findHeldBackSeconds } from './store-changes.ts'

/** How a reader follows the feed: as a stream, or by long polling. */
type ReaderKind = 'stream' | 'wait'

export interface FeedReader extends Disposable {
  /** The time of the event that it is sent now; undefined: it was sent everything. */
  behindSince: string | undefined
}

export type FeedReaders = ReturnType<typeof createFeedReaders>

/** The readers of the change feed on this node. */
export function createFeedReaders() {
  const open = new Map<FeedReader, ReaderKind>()
  return {
    open(kind: ReaderKind): FeedReader {
      const reader: FeedReader = { behindSince: undefined, [Symbol.dispose]: () => void open.delete(reader) }
      open.set(reader, kind)
      return reader
    },
    count(): Record<ReaderKind, number> {
      const count = { stream: 0, wait: 0 }
      for (const kind of open.values()) count[kind]++
      return count
    },
    /** The lag of the slowest reader in seconds; 0 if there is none. */
    lagSeconds(now: number): number {
      let most = 0
      for (const { behindSince } of open.keys()) {
        if (behindSince !== undefined) most = Math.max(most, (now - Date.parse(behindSince)) / 1000)
      }
      return most
    },
  }
}

/** Registers metrics of the followers of the change feed and of their lag. */
export function feedMetrics(registry: Registry, db: Db, readers: FeedReaders): void {
  registerSampled(registry, [
    {
      name: 'recto_feed_readers',
      help: 'Clients that follow the feed of changes: by a stream, or by a request that waits.',
      label: 'kind',
      sample: () => readers.count(),
    },
    {
      name: 'recto_feed_lag_seconds',
      help: 'Age of the event that the slowest stream is sent now; 0 when all streams were sent everything.',
      sample: () => readers.lagSeconds(Date.now()),
    },
    {
      name: 'recto_feed_held_back_seconds',
      help: 'Age of the oldest event that no reader is shown yet, because an older transaction still runs.',
      sample: () => findHeldBackSeconds(db),
    },
  ])
}
