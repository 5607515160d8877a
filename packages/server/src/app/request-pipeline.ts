import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Attempt, takeIdempotencyKeys } from '../access/idempotency/idempotency.ts'
import { createRateLimit, limitConcurrency, limitRequests, type RateLimit } from '../access/limits/limits.ts'
import { LeasedRateLimit, leaseFromDatabase } from '../access/limits/rate-lease.ts'
import { offerProposals, takeChangeRequests } from '../access/overlay-routes.ts'
import type { ServiceRuntime } from '../content/pages/ctx.ts'
import {
  type AuthenticationDeps,
  authenticateRequests,
  reauthenticateAfterBody,
} from '../identity/principals/authentication.ts'
import { serveVisitors } from '../identity/principals/visitors.ts'
import type { RightsWatch } from '../identity/rights/watch.ts'
import { watchStream } from '../identity/rights/watched-answers.ts'
import { checkFormTokens } from '../identity/sessions/csrf.ts'
import { enterLanguage, varyByLanguage } from '../interfaces/web/language.ts'
import { spaceUrl } from '../interfaces/web/urls.ts'
import { announceDeprecations, announceVersion } from '../platform/http/api-version.ts'
import { limitBodyTime, limitLargeBodies } from '../platform/http/bodies/body-limits.ts'
import { warnOfUntrustedProxy } from '../platform/http/client-address.ts'
import { compressResponses } from '../platform/http/compression.ts'
import { throttleConflicts } from '../platform/http/conflict-throttle.ts'
import { shareWithOrigins, varyByOrigin } from '../platform/http/cors.ts'
import { selectFields } from '../platform/http/fields.ts'
import type { Shutdown } from '../platform/http/graceful-shutdown.ts'
import { linkNextPages } from '../platform/http/headers/link-header.ts'
import { honourPreferences } from '../platform/http/headers/response-headers.ts'
import { addHooks, whereStreamed } from '../platform/http/hooks.ts'
import { MethodRegistry, omitLengthOfNotModified } from '../platform/http/methods.ts'
import { acceptExpectations, checkProtocol } from '../platform/http/protocol.ts'
import { redirectUntidyUrls, sendAbsoluteLocation } from '../platform/http/redirects.ts'
import {
  completeRequest,
  followStream,
  openScope,
  reenterScope,
  requireClient,
} from '../platform/http/request-scope.ts'
import { secureResponses } from '../platform/http/security.ts'
import { rejectContentEncoding, type Server, sendRequestId } from '../platform/http/server.ts'
import type { Tracing } from '../platform/http/telemetry/tracing.ts'
import { rejectNulInBody, rejectNulInUrl } from '../platform/http/validation.ts'

/** How long a body waits for the memory budget when the service stops: less than the shutdown timeout. */
const LARGE_BODY_CLOSING_MS = 5_000

export interface PipelineParts extends AuthenticationDeps {
  /** Notes the begin and the end of each request. */
  readonly observe: (request: FastifyRequest, reply: FastifyReply) => void
  readonly tracing: Tracing | undefined
  readonly watch: RightsWatch
  readonly shutdown: Shutdown
  readonly rateLeaseMs: number | undefined
  readonly largeBodyBytes: number
}

/**
 * The way of a request: all hooks, in their order. Hooks of a phase run one after the other, then those of `onRoute`. A
 * hook that throws, or sends the response, ends the way: `onError` and `onSend` follow.
 */
export function addRequestPipeline(app: Server, runtime: ServiceRuntime, parts: PipelineParts) {
  const { config } = runtime
  const { tracing, shutdown } = parts
  const methods = new MethodRegistry(app)
  const authentication = authenticateRequests(runtime, parts)
  const requests = config.maxConcurrentRequests > 0 ? limitConcurrency(config.maxConcurrentRequests) : undefined
  const bodies = limitLargeBodies(app, {
    bytes: parts.largeBodyBytes,
    waitMs: (config.requestTimeoutMs * 2) / 3,
    closingMs: LARGE_BODY_CLOSING_MS,
  })
  decorate(app, authentication.reauthenticate)
  acceptExpectations(app, config)
  addHooks(app, {
    onRoute: [
      announceDeprecations(), // operations that go away say so, in their responses and in the OpenAPI document
      methods.add, // OPTIONS and 405 name the methods of every URL
      checkFormTokens, // preValidation: a form of a session has its token, which the parser has read
      takeChangeRequests, // onRequest and preHandler: before a key is owned
      takeIdempotencyKeys, // around the handler: after the limits, so that a rejected request owns no key
      offerProposals, // around the handler: what it refuses may be proposed
      linkNextPages(config), // preSerialization: sees the list as the handler returned it
      honourPreferences, // onSend: after the response is stored for its key, with its representation
      selectFields, // onSend: after what is stored
      serveVisitors(config), // preSerialization and onSend: of callers without an account
      compressResponses, // onSend: after all that change the text
      omitLengthOfNotModified, // onSend: after Fastify has set the length of HEAD
    ],
    onRequest: [
      parts.observe, // first: log, metrics and spans count requests that a later hook rejects
      sendRequestId, // errors have it as well
      rejectContentEncoding,
      ...(tracing ? [tracing.enter] : []), // before anything that a span shows
      shareWithOrigins(config.corsOrigins), // before what rejects: scripts read these errors, too
      announceVersion,
      checkProtocol, // before a header is trusted
      rejectNulInUrl,
      methods.answerOthers, // before the credential: which methods a URL has is no secret
      openScope, // before the first statement
      limitBodyTime(app, config.requestTimeoutMs), // before anything waits
      warnOfUntrustedProxy(config.trustedProxies),
      redirectUntidyUrls(spaceUrl),
      authentication.authenticate,
      ...(requests ? [requests.enter] : []), // by key: after the authentication
      ...limitRates(runtime, parts.rateLeaseMs), // by key, too
    ],
    preParsing: [
      requireClient, // a body whose client left never ends
      bodies.meter, // after the authentication: strangers hold no memory
    ],
    preValidation: [
      ...(tracing ? [tracing.enter] : []), // a body is read in events of its connection, which have no context
      rejectNulInBody, // before the schema, whose errors are others
      reenterScope, // as with tracing
    ],
    preHandler: [
      reauthenticateAfterBody, // the credential may have ended while the body arrived
      enterLanguage(config), // after all that reads events of the connection, which have no context
    ],
    onError: [
      throttleConflicts(), // before the problem is sent
    ],
    onSend: [
      shutdown.closeConnection, // the node drains: clients connect to another one
      varyByOrigin(config.corsOrigins), // after handlers, which set Vary
      varyByLanguage,
      completeRequest, // releases what the request held, once the response is closed
      // ends streams with their request, and with the rights of their reader
      whereStreamed(followStream, watchStream(parts.watch)),
      sendAbsoluteLocation(config),
      secureResponses(config), // by the content type, which is known only now
    ],
  })
  const countHeld = () => ({
    requests: requests?.semaphore.held ?? 0,
    requests_waiting: requests?.semaphore.waiting ?? 0,
    bodies: bodies.bytes.holders,
    idempotency_keys: app.keyOwners.size,
  })
  return { methods, held: countHeld }
}

/** What hooks add to requests and responses. */
function decorate(app: Server, reauthenticate: FastifyRequest['reauthenticate']): void {
  for (const name of ['scope', 'ctx', 'csrf', 'formToken', 'attempt']) app.decorateRequest(name)
  app.decorateRequest('reauthenticate', reauthenticate)
  app.decorateReply('documentPolicy', undefined)
  app.decorate('keyOwners', new Set<Attempt>())
}

/** The limits of keys, and of addresses without one. */
function limitRates(runtime: ServiceRuntime, answerMs: number | undefined) {
  const { rateLimit, publicSpaces, publicRateLimit } = runtime.config
  const build = (quota: number) => buildRateLimit(runtime, quota, answerMs)
  if (rateLimit === 0 && !publicSpaces) return []
  return [limitRequests({ keys: rateLimit > 0 ? build(rateLimit) : undefined, visitors: build(publicRateLimit) })]
}

/** Nodes that share a database share the limits. */
function buildRateLimit({ config, db, log }: ServiceRuntime, quota: number, answerMs: number | undefined): RateLimit {
  if (config.databaseUrl === undefined) return createRateLimit(quota)
  return new LeasedRateLimit(quota, leaseFromDatabase(db), {
    answerMs,
    onAlone: (err) => log.warn({ err }, 'the rate limit is counted by this node alone'),
  })
}
