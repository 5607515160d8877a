import { createHash, type Hash } from 'node:crypto'
import { pipeline, type Readable, Transform } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { autocommit, type IdempotencyRecord, inTransaction } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import type { Server } from '../http/server.ts'
import { uuid7 } from '../lib/uuid7.ts'
import type { Ctx } from './ctx.ts'
import { parseIdempotencyKey } from './idempotency-key.ts'
import { bounded, isStoredResponse, storableResponse } from './idempotent-response.ts'
import type { ReplayAuthorizer } from './replay-authorization.ts'
import {
  type AttemptIds,
  acquireKey,
  findRequest,
  markRequest,
  releaseKey,
  renewLease,
  type StoredRequest,
} from './store-idempotency.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes an Idempotency-Key, and says what a caller must still be allowed to be told the stored answer. */
    idempotency?: ReplayAuthorizer
  }
  interface FastifyRequest {
    attempt: Attempt | undefined
  }
}

/** One try of a request with a key. */
interface Attempt {
  readonly ids: AttemptIds
  readonly hash: Hash
  /** Whether this try does the work. */
  isMine: boolean
  /** Whether the answer was committed with the change. */
  isKept: boolean
  /** Renews the lease while the work goes on. */
  renewal?: NodeJS.Timeout
}

const WRITES = new Set<string>(['POST', 'PUT', 'PATCH'])
const KEEP_SECONDS = 24 * 3600
/** Whoever works goes on holding the key; who died lets it go after so long. */
const LEASE_SECONDS = 10
const RENEW_MS = 3_000

/**
 * Requests with an Idempotency-Key are done once (draft-ietf-httpapi-idempotency-key-header-07), on the routes that say
 * so; others refuse a key, so that nobody relies on it. Only what succeeded is kept: a refusal changed nothing. Call it
 * before the routes are added; those that get no key pay nothing for it.
 */
export function takeIdempotencyKeys(app: Server): void {
  app.decorateRequest('attempt', undefined)
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().some((method) => WRITES.has(method))) return
    const recheck = route.config?.idempotency
    if (!recheck) {
      if (!route.config?.public) route.onRequest = [...[route.onRequest ?? []].flat(), rejectKey]
      return
    }
    route.preParsing = [...[route.preParsing ?? []].flat(), beginAttempt]
    route.preHandler = [
      ...[route.preHandler ?? []].flat(),
      (request: FastifyRequest, reply: FastifyReply) => takeOrReplay(request, reply, recheck),
    ]
    route.onSend = [...[route.onSend ?? []].flat(), endAttempt]
  })
}

async function rejectKey({ headers }: FastifyRequest): Promise<void> {
  if (headers['idempotency-key'] === undefined) return
  throw new AppError(
    'idempotency_key_unsupported',
    'This address takes no Idempotency-Key: send the request without.',
  )
}

/** Reads the body along, so that its digest is known once it is parsed. */
async function beginAttempt(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: Readable,
): Promise<Readable> {
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
    isMine: false,
    isKept: false,
  }
  const read = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  // What breaks off is told to whoever reads the other end.
  return pipeline(payload, read, () => {})
}

/** Takes the key, or answers as the request before was answered. */
async function takeOrReplay(
  request: FastifyRequest,
  reply: FastifyReply,
  recheck: ReplayAuthorizer,
): Promise<unknown> {
  const { attempt, ctx } = request
  if (!attempt) return
  const fingerprint = attempt.hash.digest()
  const before = await take(ctx, attempt, fingerprint)
  if (!before) {
    attempt.isMine = true
    attempt.renewal = setInterval(() => renew(request, attempt), RENEW_MS).unref()
    request.ctx = { ...ctx, idempotency: onceFor(attempt) }
    return
  }
  if (!before.fingerprint.equals(fingerprint)) {
    throw new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key came with another body before: a new request needs a new key.',
    )
  }
  if (before.status === null && before.leased) throw inFlight()
  await recheck(request, before.body ?? undefined)
  if (before.status === null) {
    throw new AppError(
      'idempotency_answer_lost',
      'This request was carried out before, but its answer was not kept: read what it was to change, and send what is still to be done with a new key.',
    )
  }
  return reply
    .code(before.status)
    .headers({ ...before.headers, 'Idempotency-Replayed': 'true' })
    .send(before.body)
}

/** The request that has the key, or undefined once this attempt has it. */
async function take(ctx: Ctx, attempt: Attempt, fingerprint: Buffer): Promise<StoredRequest | undefined> {
  const { ids } = attempt
  for (;;) {
    const wanted = { ...ids, fingerprint, leaseSeconds: LEASE_SECONDS, keepSeconds: KEEP_SECONDS }
    const taken = await inTransaction({ db: ctx.db }, (tx) => acquireKey.first(tx.db, wanted))
    if (taken) return undefined
    const found = await findRequest.first(ctx.db, ids)
    // Given back in between.
    if (found) return found
  }
}

function renew({ ctx, log }: FastifyRequest, { ids }: Attempt): void {
  renewLease(autocommit(ctx.db), { ...ids, leaseSeconds: LEASE_SECONDS }).catch((error) =>
    log.warn({ err: error }, 'an Idempotency-Key was not renewed'),
  )
}

/** The change is committed only while the key is this attempt's: one that was thought dead changes nothing any more. */
function onceFor(attempt: Attempt): IdempotencyRecord {
  return {
    async saveResult(db, result) {
      const answer = isStoredResponse(result) ? bounded(result) : undefined
      if (!(await markRequest(db, attempt.ids, answer))) throw inFlight()
      attempt.isKept = answer !== undefined
    },
  }
}

/** Keeps the answer of what was done; gives the key back where nothing was. */
async function endAttempt(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { attempt, ctx } = request
  const { statusCode: status } = reply
  clearInterval(attempt?.renewal)
  if (!attempt?.isMine || (attempt.isKept && status < 400)) return payload
  try {
    if (status >= 400) await releaseKey(autocommit(ctx.db), attempt.ids)
    else await markRequest(autocommit(ctx.db), attempt.ids, storableResponse(reply, payload))
  } catch (error) {
    // The request was answered; only a retry would notice, and is told that it was carried out.
    request.log.warn({ err: error }, 'an answer was not kept for its Idempotency-Key')
  }
  return payload
}

function inFlight(): AppError {
  return new AppError('idempotency_in_flight', 'A request with this Idempotency-Key is under way.', {
    headers: { 'Retry-After': '1' },
  })
}
