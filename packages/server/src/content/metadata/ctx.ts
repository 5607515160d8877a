import type { Backlog } from '@recto/lib/concurrency/backlog.ts'
import type { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import type { PatchGroups } from './group-patches.ts'

/** The context of use cases that change metadata: they acquire the lock of the page. */
export interface MetadataCtx extends EventsCtx {
  readonly pages: {
    readonly writers: KeyedQueue
    /** Small patches of different pages that arrive together, for group commit. */
    readonly patchGroups: PatchGroups
    /** Pages whose metadata was changed by this process, for the search index. */
    readonly unindexed: Pick<Backlog, 'add'>
  }
}
