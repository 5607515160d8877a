import { registerSampled } from '@recto/lib/sampled.ts'
import type { Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import type { FeedReaders } from './readers.ts'
import { findHeldBackSeconds } from './store-changes.ts'

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
