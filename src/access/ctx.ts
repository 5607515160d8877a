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

/** The latest version of a page, as preconditions are checked against it. */
export interface CurrentPage {
  readonly version: number
  readonly etag: string
  readonly updatedAt: string
  readonly updatedBy: Actor
}

/** The state of the process. */
export interface Runtime {
  readonly db: Db
  readonly config: Config
  /** The origin of all URLs, such as `https://wiki.example.org`. */
  readonly publicUrl: string
  readonly log: Log
  readonly now: () => Date
  readonly markdown: MarkdownEngine
  /** Workers for jobs over many pages. */
  readonly bulk: Pool
  readonly contents: ContentCache
  readonly cursors: CursorSealer
  /** Serialises the writers of each page in this process. */
  readonly writers: KeyedQueue
  /** The latest written versions, so that a writer with an outdated ETag fails without a query. */
  readonly latest: Lru<string, CurrentPage>
  /** Notifies the webhook worker of new deliveries. */
  readonly wakeDeliveries: () => void
  /** Notifies readers of the change feed. */
  readonly wakeReaders: () => void
}

/** The first parameter of every use case: the process and the caller. */
export interface Ctx extends Runtime {
  readonly actor: Caller
  /** The client's IP address, for the audit log; it is part of the request. Absent in background work. */
  readonly address?: string
  /** Present when the request has an Idempotency-Key: `inTransaction` commits its record with the change. */
  readonly idempotency?: IdempotencyRecord
}
