import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { IdempotencyRecord } from '../database/transaction.ts'
import type { CursorSealer } from '../lib/cursor.ts'
import type { KeyedQueue } from '../lib/keyed-queue.ts'
import type { Lru } from '../lib/lru.ts'
import type { ContentCache } from '../markdown/content-cache.ts'
import type { MarkdownEngine } from '../markdown/engine.ts'
import type { Pool } from '../markdown/pool.ts'
import type { Actor, Caller } from './caller.ts'

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error' | 'debug'>

/** What is known of the latest version of a page. */
export interface CurrentPage {
  readonly version: number
  readonly etag: string
  readonly updatedAt: string
  readonly updatedBy: Actor
}

/** What the process holds, for as long as it runs. */
export interface Runtime {
  readonly db: Db
  readonly config: Config
  /** The origin that addresses are written with, such as `https://wiki.example.org`. */
  readonly publicUrl: string
  readonly log: Log
  readonly now: () => Date
  readonly markdown: MarkdownEngine
  /** Works on many pages at once, beside the main thread. */
  readonly bulk: Pool
  readonly contents: ContentCache
  readonly cursors: CursorSealer
  /** Writers of one page queue here, one at a time. */
  readonly writers: KeyedQueue
  /** What they wrote last, so that a writer whose tag was overtaken in the queue is refused at once. */
  readonly latest: Lru<string, CurrentPage>
  /** Tells whoever sends deliveries that there are new ones. */
  readonly wakeDeliveries: () => void
  /** Tells whoever waits for changes that there may be some. */
  readonly wakeReaders: () => void
}

/** What every use case takes first: the process, and who asks. */
export interface Ctx extends Runtime {
  readonly actor: Caller
  /** The address that the request came from; absent where there is none. */
  readonly address?: string
  /** Present where the request came with an Idempotency-Key. */
  readonly idempotency?: IdempotencyRecord
}
