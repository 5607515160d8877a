import type { CursorSealer } from '@recto/lib/encoding/cursor.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../platform/config.ts'
import type { Db } from '../platform/database/database.ts'
import type { IdempotencyRecord, TransactionGuard, Tx } from '../platform/database/transaction.ts'
import type { Caller } from './caller.ts'
import type { Resource } from './resource.ts'

export type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error' | 'debug'>

/** The settings, with the origin of all URLs, such as `https://wiki.example.org`, once the server listens. */
export type RunningConfig = Config & { readonly publicUrl: string }

/** The state of the process that every layer may use. */
export interface Runtime {
  readonly db: Db
  readonly config: RunningConfig
  readonly log: Log
  readonly now: () => Date
  /** Seals the positions in lists: all lists are paginated with it. */
  readonly cursors: CursorSealer
  /** Records what happens to change requests, in the layer of events. With a place, for those who can read that. */
  readonly tellOfRequest: (
    tx: Ctx & Tx,
    request: { readonly spaceId: number; readonly number: number; readonly place?: RequestPlace },
    what: 'opened' | 'updated' | 'reviewed' | 'merged' | 'closed',
  ) => Promise<void>
}

/** The page or file that a change of a change request is about. */
export interface RequestPlace {
  readonly path: string
  readonly resource: Resource
}

/** Asks whether the caller of a request may still do what it began. */
export interface CallerGuard extends TransactionGuard {
  /** Whether the next transaction asks. */
  readonly isDue: boolean
  /** Throws the reason if not: for batches that only read. */
  ask(): Promise<void>
}

/**
 * The change request through which a caller reads or writes a space (decisions, section 15): reads show the space as it
 * would be, and writes propose. It decides what is shown, never who may see it: that is the access rule on the address.
 */
export interface Overlay {
  /** The slug of the address of the request. */
  readonly space: string
  /** Its number in the space; absent: the first write opens a new one, and sets it once that is committed. */
  number?: number
  /** The title of a new one. */
  readonly title?: string
  /** Rejects unless the caller can read the space and the request exists: `withDraft` reads meanwhile. */
  readonly check?: Promise<unknown>
}

/** The first parameter of every use case: the process and the caller. `EventsCtx` and others extend it. */
export interface Ctx extends Runtime {
  readonly actor: Caller
  /** The client's IP address, for the audit log; it is part of the request. Absent in background work. */
  readonly address?: string
  /** The connection of the app that acts for the caller: transactions write it with the author. */
  readonly via?: string
  /** Asks in each transaction whether the caller may still do what the request began. */
  readonly reauthorization?: CallerGuard
  /** Ends the work, where an admin can cancel it. */
  readonly signal?: AbortSignal
  /** The change request through which the caller reads or writes; absent: the pages themselves. */
  readonly overlay?: Overlay
  /** The transaction that all writes of this context are a part of. */
  readonly outer?: Tx
  /** Present when the request has an Idempotency-Key: `inTransaction` commits its record with the change. */
  readonly idempotency?: IdempotencyRecord
}

/** The context of a proposal, or of a read through a change request. */
export type OverlaidCtx<C = Ctx> = C & { readonly overlay: Overlay }
