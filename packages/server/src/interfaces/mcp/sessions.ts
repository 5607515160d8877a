import { hash, randomUUID } from 'node:crypto'
import { AppError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireAccount } from '../../identity/principals/visitors.ts'
import { autocommit } from '../../platform/database/database.ts'
import type { Sweep } from '../../platform/database/sweeper.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { parseResourceUri } from './resource-uri.ts'
import {
  deleteExpiredSessions,
  deleteSubscription,
  putSession,
  putSubscription,
  renewSession,
} from './store-sessions.ts'
import { MAX_SUBSCRIBED, resourceKey } from './subscription.ts'

/** A session without an open stream is deleted after this time. */
const SESSION_MS = 24 * 60 * 60_000
/** Sessions of one principal: beyond, the oldest ones are deleted. */
const MAX_SESSIONS = 500
const MAX_URI = 4_000
const SWEEP_BATCH = 500
const TAG_DIGITS = 12

/**
 * The id of a new session of the caller: a UUIDv7 that ends with a tag of its other digits and the caller. So every
 * node knows the sessions that `initialize` began, and none of them is stored before it is used.
 */
export function newSession(ctx: Ctx): string {
  return withTag(ctx, uuid7())
}

function withTag({ cursors, actor }: Ctx, id: string): string {
  const digits = id.slice(0, -TAG_DIGITS)
  return digits + hash('sha256', cursors.seal(`mcp-session/${actor.id}`, [digits])).slice(0, TAG_DIGITS)
}

/** The stream of a session (`GET /mcp`). */
export interface SessionStream {
  readonly sessionId: string
  readonly streamId: string
}

/**
 * Subscribes the session to a resource (`resources/subscribe`). The response does not reveal whether the resource
 * exists.
 */
export async function subscribe(ctx: Ctx, session: string | undefined, uri: string): Promise<object> {
  requireAccount(ctx)
  const knownSession = requireSession(ctx, session)
  const { sessionId } = knownSession
  if (uri.length > MAX_URI) throw new AppError('invalid_request', `The URI has at most ${MAX_URI} characters.`)
  const resource = resourceKey(parseResourceUri(uri))
  const added = await inTransaction(ctx, async (tx) => {
    await claim(tx, knownSession)
    return putSubscription(tx, { sessionId, resource, uri, max: MAX_SUBSCRIBED })
  })
  if (added) return {}
  throw new AppError('invalid_request', `A session has at most ${MAX_SUBSCRIBED} subscriptions.`)
}

/** Ends a subscription of the session (`resources/unsubscribe`). */
export async function unsubscribe(ctx: Ctx, session: string | undefined, uri: string): Promise<object> {
  requireAccount(ctx)
  const { sessionId } = requireSession(ctx, session)
  const resource = resourceKey(parseResourceUri(uri))
  await deleteSubscription(autocommit(ctx.db), { sessionId, principalId: ctx.actor.id, resource })
  return {}
}

/** Opens a stream of the session: an earlier one gets nothing more and ends. Throws `not_found`. */
export async function openStream(ctx: Ctx, session: string | undefined): Promise<SessionStream> {
  const stream = { ...requireSession(ctx, session), streamId: randomUUID() }
  await inTransaction(ctx, (tx) => claim(tx, stream))
  return stream
}

/** Keeps the session of an open stream. */
export async function renewStream({ db, now }: Ctx, { sessionId: id, streamId }: SessionStream): Promise<void> {
  await renewSession(autocommit(db), { id, streamId, expiresAt: expiry(now) })
}

async function claim(
  tx: Pick<Ctx, 'actor' | 'now'> & Parameters<typeof putSession>[0],
  { sessionId, isNew, streamId = null }: KnownSession & { readonly streamId?: string | null },
): Promise<void> {
  const session = { id: sessionId, isNew, principalId: tx.actor.id, streamId, expiresAt: expiry(tx.now) }
  if (!(await putSession(tx, { ...session, max: MAX_SESSIONS }))) throw sessionNotFound()
}

function expiry(now: () => Date): Date {
  return new Date(now().getTime() + SESSION_MS)
}

interface KnownSession {
  readonly sessionId: string
  /** Whether it may have no row yet: an older one without a row has expired. */
  readonly isNew: boolean
}

/** The session in `Mcp-Session-Id`; throws `not_found` unless `initialize` began it for the caller. */
function requireSession(ctx: Ctx, session: string | undefined): KnownSession {
  if (session === undefined) {
    throw new AppError(
      'invalid_request',
      'Subscriptions need a session: send the `Mcp-Session-Id` that `initialize` returned.',
    )
  }
  if (!isUuid(session) || session !== withTag(ctx, session)) throw sessionNotFound()
  const begunAt = Number.parseInt(session.replace('-', '').slice(0, 12), 16)
  return { sessionId: session, isNew: ctx.now().getTime() - begunAt < SESSION_MS }
}

function sessionNotFound(): AppError {
  return new AppError('not_found', 'This session does not exist: send `initialize` again.')
}

/** Deletes expired sessions. */
export const sessionSweep: Sweep = {
  name: 'MCP session sweep',
  batch: (db, now) => deleteExpiredSessions(db, now, SWEEP_BATCH),
}
