import type { MarkdownEngine } from '@recto/markdown/engine/engine.ts'
import type { Pool } from '@recto/markdown/engine/pool.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'

export interface BulkDeps {
  readonly markdown: MarkdownEngine
  /** Workers for jobs over many pages. */
  readonly bulk: Pool
}

/** The context of use cases that derive or write many pages. */
export interface BulkCtx extends EventsCtx {
  readonly pages: BulkDeps
}
