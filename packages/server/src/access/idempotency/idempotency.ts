import { createHash, type Hash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import { AppError, retryLater } from '@recto/contract/errors.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { autocommit } from '../../platform/database/database.ts'
import type { Sweep } from '../../platform/database/sweeper.ts'
import { type IdempotencyRecord, inTransaction } from '../../platform/database/transaction.ts'
import { addRouteHooks } from '../../platform/http/hooks.ts'
import type { Ctx } from '../ctx.ts'
import type { ReplayAuthorizer } from '../replay-authorization.ts'
import { bounded, isStoredResponse, storableResponse } from './idempotent-response.ts'
import * as store from './store.ts'
import { deleteExpired } from './store.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route supports Idempotency-Key; checks whether the caller may still receive the stored response. */
    idempotency?: ReplayAuthorizer
  }
  interface FastifyRequest {
    attempt: Attempt | undefined
  }
  interface FastifyInstance {
    /** The attempts in progress that own their key. */
    keyOwners: Set<Attempt>
  }
}

/** One attempt of a request with a key. */
export interface Attempt {
  readonly ids: store.AttemptIds
  readonly hash: Hash
  /** Whether this attempt owns the key. */
  ownsKey: boolean
  /** Whether the response was committed with the change. */
  responseStored: boolean
  /** Renews the lease while the work continues. */
  renewal?: NodeJS.Timeout
}

const WRITES = new Set<string>(['POST', 'PUT', 'PATCH'])
const KEEP_SECONDS = 24 * 3600
/** A live attempt renews its lease; the key of a dead one is free after this time. */
const LEASE_SECONDS = 10
const RENEW_MS = 3_000

/**
 * Idempotent retries by Idempotency-Key (draft-ietf-httpapi-idempotency-key-header-07), on the routes that support it;
 * others reject a key, so that no client relies on it. Only successful responses are stored: an error changed nothing.
 * Requests without a key have no overhead.
 */
export function takeIdempotencyKeys(route: RouteOptions): void {
  if (![route.method].flat().some((method) => WRITES.has(method))) return
  const { idempotency: authorizeReplay, streamsBody, public: isPublic } = route.config ?? {}
  if (!authorizeReplay) {
    if (!isPublic) addRouteHooks(route, { onRequest: rejectKey })
    return
  }
  addRouteHooks(route, { preParsing: beginAttempt, onSend: endAttempt })
  // The handler reads a streamed body, and then calls `acquireKeyAfterBody`.
  if (streamsBody) return
  addRouteHooks(route, {
    preHandler: (request: FastifyRequest, reply: FastifyReply) => acquireKeyOrReplay(request, reply, authorizeReplay),
  })
}

async function rejectKey({ headers }: FastifyRequest): Promise<void> {
  if (headers['idempotency-key'] === undefined) return
  const detail = 'This URL does not support Idempotency-Key: send the request without it.'
  throw new AppError('idempotency_key_unsupported', detail)
}

/** Hashes the body while it is parsed. */
async function beginAttempt(request: FastifyRequest, _reply: FastifyReply, payload: Readable): Promise<Readable> {
  const header = request.headers['idempotency-key']
  if (header === undefined) return payload
  const key = parseIdempotencyKey(header)
  const id = createHash('sha256')
    .update(JSON.stringify([request.method, request.url, key]))
    .digest()
  const hash = createHash('sha256').update(`${request.headers['content-type'] ?? ''}\n`)
  request.attempt = {
    ids: { principalId: request.ctx.actor.id, id, attempt: uuid7() },
    hash,
    ownsKey: false,
    responseStored: false,
  }
  const read = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  // The reader of the other stream gets the error of an aborted body.
  return pipeline(payload, read, () => {})
}

/**
 * Acquires the key of a request whose body was streamed, once it is read completely. True: the stored response of the
 * earlier request was sent. The request has a new context from here on.
 */
export async function acquireKeyAfterBody(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const authorizeReplay = request.routeOptions.config.idempotency
  if (!authorizeReplay) throw new Error('the route takes no Idempotency-Key')
  return (await acquireKeyOrReplay(request, reply, authorizeReplay)) !== undefined
}

/** Acquires the key, or sends the stored response of the earlier request. */
async function acquireKeyOrReplay(
  request: FastifyRequest,
  reply: FastifyReply,
  authorizeReplay: ReplayAuthorizer,
): Promise<unknown> {
  const { attempt, ctx } = request
  if (!attempt) return
  const fingerprint = attempt.hash.digest()
  const before = await acquire(ctx, attempt, fingerprint)
  if (!before) {
    attempt.ownsKey = true
    request.server.keyOwners.add(attempt)
    attempt.renewal = setInterval(() => renew(request, attempt), RENEW_MS).unref()
    request.ctx = { ...ctx, idempotency: recordFor(attempt) }
    return
  }
  if (!before.fingerprint.equals(fingerprint)) {
    const detail = 'This Idempotency-Key was used with a different body: a new request needs a new key.'
    throw new AppError('idempotency_key_reused', detail)
  }
  if (before.status === null && before.leased) throw inFlight()
  await authorizeReplay(request, before.body ?? undefined)
  if (before.status === null) {
    const detail =
      'This request succeeded before, but its response was not stored: ' +
      'read the current state, and send what is still missing with a new key.'
    throw new AppError('idempotency_answer_lost', detail)
  }
  return reply
    .code(before.status)
    .headers({ ...before.headers, 'Idempotency-Replayed': 'true' })
    .send(before.body)
}

/** The request that owns the key, or undefined when this attempt has acquired it. */
async function acquire(ctx: Ctx, attempt: Attempt, fingerprint: Buffer): Promise<store.StoredRequest | undefined> {
  const { ids } = attempt
  for (;;) {
    const requestedKey = { ...ids, fingerprint, leaseSeconds: LEASE_SECONDS, keepSeconds: KEEP_SECONDS }
    const takenRow = await inTransaction({ db: ctx.db }, (tx) => store.acquireKey.first(tx.db, requestedKey))
    if (takenRow) return undefined
    const owner = await store.findRequest.first(ctx.db, ids)
    // Meanwhile the key may have been released, or the lease of a dead attempt that changed nothing has ended.
    if (owner?.done || owner?.leased) return owner
  }
}

function renew({ ctx, log }: FastifyRequest, { ids }: Attempt): void {
  store
    .renewLease(autocommit(ctx.db), { ...ids, leaseSeconds: LEASE_SECONDS })
    .catch((error) => log.warn({ err: error }, 'an Idempotency-Key was not renewed'))
}

/** The change is committed only while this attempt owns the key: an attempt whose lease expired changes nothing. */
function recordFor(attempt: Attempt): IdempotencyRecord {
  return {
    async saveResult(db, result) {
      const answer = isStoredResponse(result) ? bounded(result) : undefined
      if (!(await store.markRequest(db, attempt.ids, answer))) throw inFlight()
      attempt.responseStored = answer !== undefined
    },
  }
}

/** Stores the response of a success; releases the key after an error. */
async function endAttempt(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { attempt, ctx } = request
  const { statusCode: status } = reply
  if (!attempt) return payload
  clearInterval(attempt.renewal)
  request.server.keyOwners.delete(attempt)
  if (!attempt.ownsKey || (attempt.responseStored && status < 400)) return payload
  try {
    if (status >= 400) await store.releaseKey(autocommit(ctx.db), attempt.ids)
    else await store.markRequest(autocommit(ctx.db), attempt.ids, storableResponse(reply, payload))
  } catch (error) {
    // The client has its response; only a retry would notice, and gets `idempotency_answer_lost`.
    request.log.warn({ err: error }, 'a response was not kept for its Idempotency-Key')
  }
  return payload
}

function inFlight(): AppError {
  return retryLater('idempotency_in_flight', 'A request with this Idempotency-Key is in progress.', 1)
}

const MAX_LENGTH = 255
/** The bare form that many clients send: visible characters without quotes. */
const WORD = /^[^\s",;\\]+$/
/** A String of structured fields (RFC 9651, section 3.3.3), as in draft-ietf-httpapi-idempotency-key-header-07. */
const STRING = /^"(?:[ !#-[\]-~]|\\["\\])*"$/
const VISIBLE = /^[ -~]+$/

/** The key of an `Idempotency-Key` header, quoted or bare; throws `idempotency_key_invalid`. */
export function parseIdempotencyKey(header: string | readonly string[]): string {
  const text = String(header).trim()
  const key = STRING.test(text) ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : WORD.test(text) ? text : ''
  if (key.length <= MAX_LENGTH && VISIBLE.test(key)) return key
  const detail =
    `An Idempotency-Key is one string of 1 to ${MAX_LENGTH} visible ASCII characters, ` +
    `in double quotes or without: a random UUID is a good one.`
  throw new AppError('idempotency_key_invalid', detail)
}

/** A small batch, so that its locks are held for a short time. */
const BATCH = 500

/** Deletes requests with an Idempotency-Key after a day. */
export const idempotencySweep: Sweep = { name: 'idempotency sweep', batch: (db, now) => deleteExpired(db, now, BATCH) }
