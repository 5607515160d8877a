import type { Backlog } from '@recto/lib/concurrency/backlog.ts'
import type { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import type { Lru } from '@recto/lib/lru.ts'
import type { ContentCache } from '@recto/markdown/engine/content-cache.ts'
import type { MarkdownEngine } from '@recto/markdown/engine/engine.ts'
import type { Pool } from '@recto/markdown/engine/pool.ts'
import type { CurrentVersion } from '../../access/preconditions.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import type { FilesCtx } from '../files/ctx.ts'
import type { Blame } from './blame/fold.ts'

interface BulkDeps {
  readonly markdown: MarkdownEngine
  /** Workers for jobs over many pages. */
  readonly bulk: Pool
}

/** The context of use cases that derive or write many pages. */
export interface BulkCtx extends EventsCtx {
  readonly pages: BulkDeps
}

/** The caches, the workers and the lock of pages. `app.ts` creates them for each service. */
export interface PagesDeps extends BulkDeps {
  readonly contents: ContentCache
  /** Serialises the writers of each page in this process. */
  readonly writers: KeyedQueue
  /** The latest written versions, so that a writer with an outdated ETag fails without a query. */
  readonly latest: Lru<string, CurrentVersion>
  /** Who changed the lines of revisions, by their ids. */
  readonly blames: Lru<string, Blame>
  /** Pages whose search text is out of date. */
  readonly unindexed: Backlog
}

/** The context of use cases that read or write pages, and of all routes. */
export interface PagesCtx extends BulkCtx, FilesCtx {
  readonly pages: PagesDeps
}

/** The state of the process with all that use cases need. */
export type ServiceRuntime = Omit<PagesCtx, 'actor'>

declare module 'fastify' {
  interface FastifyRequest {
    /** The context of use cases: the process and the caller. Absent only on routes that are public. */
    ctx: PagesCtx
  }
}
