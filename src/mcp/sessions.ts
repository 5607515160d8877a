import { randomUUID } from 'node:crypto'
import type { Ctx, Runtime } from '../access/ctx.ts'
import { startSweeper } from '../database/sweeper.ts'
import { autocommit, inTransaction } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../lib/encoding/uuid7.ts'
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

/** The stream of a session (`GET /mcp`). */
export interface SessionStream {
  readonly sessionId: string
  readonly streamId: string
}

/** Subscribes the session to a resource (`resources/subscribe`). The response does not reveal whether the resource exists. */
export async function subscribe(ctx: Ctx, session: string | undefined, uri: string): Promise<object> {
  const sessionId = requireSession(session)
  if (uri.length > MAX_URI)
    throw new AppError('invalid_request', `The URI has at most ${MAX_URI} characters.`)
  const resource = resourceKey(parseResourceUri(uri))
  const added = await inTransaction(ctx, async (tx) => {
    await claim(tx, { sessionId })
    return putSubscription(tx, { sessionId, resource, uri, max: MAX_SUBSCRIBED })
  })
  if (added) return {}
  throw new AppError('invalid_request', `A session has at most ${MAX_SUBSCRIBED} subscriptions.`)
}

/** Ends a subscription of the session (`resources/unsubscribe`). */
export async function unsubscribe(ctx: Ctx, session: string | undefined, uri: string): Promise<object> {
  const sessionId = requireSession(session)
  const resource = resourceKey(parseResourceUri(uri))
  await deleteSubscription(autocommit(ctx.db), { sessionId, principalId: ctx.actor.id, resource })
  return {}
}

/** Opens a stream of the session: an earlier one gets nothing more and ends. Throws `not_found`. */
export async function openStream(ctx: Ctx, session: string | undefined): Promise<SessionStream> {
  const stream = { sessionId: requireSession(session), streamId: randomUUID() }
  await inTransaction(ctx, (tx) => claim(tx, stream))
  return stream
}

/** Keeps the session of an open stream. */
export async function renewStream(
  { db, now }: Ctx,
  { sessionId: id, streamId }: SessionStream,
): Promise<void> {
  await renewSession(autocommit(db), { id, streamId, expiresAt: expiry(now) })
}

async function claim(
  tx: Pick<Ctx, 'actor' | 'now'> & Parameters<typeof putSession>[0],
  { sessionId, streamId = null }: { readonly sessionId: string; readonly streamId?: string | null },
): Promise<void> {
  const session = { id: sessionId, principalId: tx.actor.id, streamId, expiresAt: expiry(tx.now) }
  if (!(await putSession(tx, { ...session, max: MAX_SESSIONS }))) throw sessionNotFound()
}

function expiry(now: () => Date): Date {
  return new Date(now().getTime() + SESSION_MS)
}

/** The value of `Mcp-Session-Id`; throws unless it is one. */
function requireSession(session: string | undefined): string {
  if (session === undefined) {
    throw new AppError(
      'invalid_request',
      'Subscriptions need a session: send the `Mcp-Session-Id` that `initialize` returned.',
    )
  }
  if (!isUuid(session)) throw sessionNotFound()
  return session
}

function sessionNotFound(): AppError {
  return new AppError('not_found', 'This session does not exist: send `initialize` again.')
}

/** Deletes expired sessions, on one node at a time. */
export function startSessionSweep({ db, log }: Pick<Runtime, 'db' | 'log'>): AsyncDisposable {
  return startSweeper({
    db,
    log,
    name: 'MCP session sweep',
    batch: (now) => deleteExpiredSessions(autocommit(db), now, SWEEP_BATCH),
  })
}
