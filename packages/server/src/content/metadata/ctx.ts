import type { Backlog } from '@recto/lib/concurrency/backlog.ts'
import type { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'

/** The context of use cases that change metadata: they acquire the lock of the page. */
export interface MetadataCtx extends EventsCtx {
  readonly pages: {
    readonly writers: KeyedQueue
    /** Pages whose metadata was changed by this process, for the search index. */
    readonly unindexed: Pick<Backlog, 'add'>
  }
}
