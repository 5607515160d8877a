import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { AppError, type ErrorCode } from '@recto/contract/errors.ts'
import { isJsonObject, JsonError } from '@recto/lib/json/json.ts'
import { originOfHost } from '@recto/lib/network/own-origins.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readableSpaces } from '../../access/space.ts'
import { STREAM_CACHE_CONTROL } from '../../events/feed/stream.ts'
import { OAUTH_SCOPES, SIGN_IN_QUERY } from '../../identity/oauth/scopes.ts'
import { credentialNeeded } from '../../identity/principals/authentication.ts'
import { parseJsonBody } from '../../platform/http/bodies/body.ts'
import { methodNotAllowed } from '../../platform/http/problems/raw-error.ts'
import { onClosed } from '../../platform/http/request-scope.ts'
import type { Server } from '../../platform/http/server.ts'
import { rejectForeignOrigin } from './guard.ts'
import { serveListen } from './listen.ts'
import { loadHandlerModule } from './load.ts'
import type { McpContext } from './server.ts'
import { type SessionStreamDeps, serveSessionStream } from './session-stream.ts'
import { newSession } from './sessions.ts'
import { isListen } from './subscription.ts'
import type { ToolDeps } from './tool.ts'

type McpHandler = ReturnType<Awaited<ReturnType<typeof loadHandlerModule>>['createHandler']>

export interface McpOptions extends Pick<ToolDeps, 'search' | 'jobs'>, SessionStreamDeps {
  readonly version: string
  readonly maxRequestBytes: number
  readonly origin: () => string
}

const SESSION = 'mcp-session-id'
/** The headers that the protocol uses. Credentials are not passed on. */
const PASSED_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', SESSION]
const PARSE_ERROR = -32_700
const INVALID_REQUEST = -32_600
/** The longest body of a caller without an account. */
const MAX_VISITOR_BYTES = 64 * 1024
/** Messages in a batch (protocol revision 2025-03-26). Each counts for the rate limit. */
const MAX_BATCH = 20

/**
 * MCP over Streamable HTTP. Any node serves any request; only subscriptions before the revision 2026-07-28 have a
 * session.
 */
export async function mcpRoutes(app: Server, options: McpOptions): Promise<void> {
  app.addHook('onSend', async ({ host, originalUrl }, reply) => {
    const isChallenge = reply.statusCode === 401 || reply.hasHeader('www-authenticate')
    const query = originalUrl.endsWith(SIGN_IN_QUERY) ? SIGN_IN_QUERY : ''
    if (isChallenge) addResourceMetadata(reply, originOfHost(host, options.origin()) ?? options.origin(), query)
  })
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
    parsed(body),
  )

  const handlers = createHandlers(app)
  streamRoute(app, options)
  app.post(
    '/mcp',
    {
      config: { scope: 'read', isMcp: true, visitors: [] },
      bodyLimit: options.maxRequestBytes,
      schema: CALL_SCHEMA,
      preParsing: [checkOrigin, limitVisitorBody],
    },
    async (request, reply) => {
      await admitVisitor(request)
      const { body } = request
      const invalid = invalidBody(body)
      if (invalid) return reply.code(400).send(invalid)
      if (Array.isArray(body) && body.length > 1) await request.countFurther?.(body.length - 1)
      if (await lacksScope(request)) return sendInsufficientScope(reply)
      return answer(request, reply, options, handlers)
    },
  )
}

const CALL_SCHEMA = {
  tags: ['Agents'],
  operationId: 'mcp.call',
  summary: 'The Model Context Protocol',
  description:
    'Streamable HTTP: JSON-RPC messages of MCP clients. ' +
    'Tools, resources and prompts are limited to the pages that the key can read, ' +
    'without a credential to those of public spaces; what needs an account is 401. ' +
    '`/mcp?sign-in` is 401 without a credential, so that clients sign in.',
  consumes: ['application/json'],
  produces: ['application/json', 'text/event-stream'],
}

interface Handlers {
  /** One of its own for each stream. */
  make(): Promise<() => McpHandler>
  shared(): Promise<McpHandler>
}

/** Loads the module of the handlers with the first request. */
function createHandlers(app: Server): Handlers {
  let loading: Promise<() => McpHandler> | undefined
  let sharedHandler: McpHandler | undefined
  const make = () => {
    loading ??= loadHandlerModule().then(
      ({ createHandler }) =>
        () =>
          createHandler((error) => app.log.debug({ err: error }, 'an MCP request failed')),
    )
    return loading
  }
  return {
    make,
    async shared() {
      const createHandler = await make()
      sharedHandler ??= createHandler()
      return sharedHandler
    },
  }
}

async function lacksScope({ ctx: { actor }, body }: FastifyRequest): Promise<boolean> {
  return actor.app !== undefined && (await loadTools()).lacksScope(actor, body)
}

function sendInsufficientScope(reply: FastifyReply): FastifyReply {
  const message = 'This tool requires the scope `write`, or `propose` with `changeRequest`: ask the person for it.'
  return reply
    .code(403)
    .header('WWW-Authenticate', 'Bearer realm="recto", error="insufficient_scope"')
    .send(errorBody(INVALID_REQUEST, message, 'forbidden'))
}

async function answer(request: FastifyRequest, reply: FastifyReply, options: McpOptions, handlers: Handlers) {
  const { body } = request
  const { actor, config } = request.ctx
  const closeController = new AbortController()
  onClosed(reply, () => {
    if (!reply.raw.writableFinished) closeController.abort()
  })
  const forwardedRequest = new Request(`${config.publicUrl}/mcp`, {
    method: 'POST',
    headers: passedHeaders(request),
    signal: closeController.signal,
  })
  const context = buildContext(request, options)
  const extra = { context }
  const authInfo = { token: '', clientId: actor.id, scopes: [actor.scope], extra }
  const fetch = (handler: McpHandler) => handler.fetch(forwardedRequest, { parsedBody: body, authInfo })
  if (isListen(body)) {
    const createHandler = await handlers.make()
    return sendStream(reply, await serveListen(request, reply, options, { createHandler, fetch }))
  }
  const response = await fetch(await handlers.shared())
  const text = response.body ? Buffer.from(await response.arrayBuffer()) : undefined
  if (context.signIn.needed) throw credentialNeeded()
  if (isInitialize(body) && response.ok && actor.visitor === undefined) reply.header(SESSION, newSession(request.ctx))
  // Complete at once: as a stream it would cost as much as the call.
  return copyHead(reply, response).send(text)
}

/**
 * The stream of a session. Clients of the revision 2026-07-28 have no session: `subscriptions/listen` is their stream.
 */
function streamRoute(app: Server, options: McpOptions): void {
  app.get(
    '/mcp',
    {
      config: { isMcp: true, visitors: [] },
      exposeHeadRoute: false,
      schema: {
        tags: ['Agents'],
        operationId: 'mcp.stream',
        summary: 'Notifications of the Model Context Protocol',
        description:
          'Streamable HTTP before the revision 2026-07-28: updates of the resources to which the session in ' +
          '`Mcp-Session-Id` has subscribed, as Server-Sent Events. Without a session the response is 405.',
        produces: ['text/event-stream'],
      },
      preParsing: checkOrigin,
    },
    async (request, reply) => {
      await admitVisitor(request)
      const hasSession = request.headers[SESSION] !== undefined && request.ctx.actor.visitor === undefined
      if (!hasSession) throw methodNotAllowed('GET without a session', 'POST')
      return serveSessionStream(request, reply, options)
    },
  )
}

/** Throws `unauthorized` for a caller without an account where no space is public, or about a stream. */
async function admitVisitor({ ctx, body }: FastifyRequest): Promise<void> {
  if (ctx.actor.visitor === undefined) return
  if (isListen(body) || (await readableSpaces(ctx)).length === 0) throw credentialNeeded()
}

/** Bodies of callers without an account take none of the memory that large bodies of others share. */
async function limitVisitorBody({ ctx, headers }: FastifyRequest): Promise<void> {
  if (ctx.actor.visitor === undefined) return
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MAX_VISITOR_BYTES) return
  const detail = `Without an account a message has at most ${MAX_VISITOR_BYTES} bytes, and a Content-Length.`
  throw new AppError('payload_too_large', detail)
}

async function checkOrigin(request: FastifyRequest): Promise<void> {
  rejectForeignOrigin(request, request.ctx.config.publicUrl, request.ctx.config.corsOrigins)
}

function isInitialize(body: unknown): boolean {
  return isJsonObject(body) && body.method === 'initialize'
}

/** Loaded with the handler: they take memory. */
function loadTools() {
  return import('./tools.ts')
}

/**
 * The challenge by which a client finds the authorization server (RFC 9728, section 5.1), and the scopes that it should
 * ask for.
 */
function addResourceMetadata(reply: FastifyReply, origin: string, query: string): void {
  const challenge = reply.getHeader('www-authenticate') ?? 'Bearer realm="recto"'
  const metadata =
    `scope="${OAUTH_SCOPES.join(' ')}", ` +
    `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp${query}"`
  reply.header('WWW-Authenticate', `${challenge}, ${metadata}`)
}

function buildContext(request: FastifyRequest, { search, jobs, version }: McpOptions): McpContext {
  const { ctx, id, log, headers } = request
  // Callers without an account have no session, and share one note of what they read.
  const session = ctx.actor.visitor === undefined ? headers[SESSION] : undefined
  const countFurther = async (writes: number) => {
    if (writes > 0) await request.countFurther?.(writes)
  }
  const logFault = (cause: unknown) => log.error({ err: cause, url: '/mcp' }, 'internal error in an MCP request')
  return {
    ctx,
    errors: { requestId: id, origin: ctx.config.publicUrl, logFault },
    deps: { search, jobs, countFurther, session: `${ctx.actor.id}/${session ?? ''}` },
    version,
    session: typeof session === 'string' ? session : undefined,
    signIn: { needed: false },
  }
}

function passedHeaders({ headers }: FastifyRequest): Headers {
  const forwardedHeaders = new Headers()
  for (const name of PASSED_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') forwardedHeaders.set(name, value)
  }
  return forwardedHeaders
}

function sendStream(reply: FastifyReply, response: Response): FastifyReply {
  const { body } = response
  copyHead(reply, response).header('Cache-Control', STREAM_CACHE_CONTROL)
  // the same type, declared by two packages
  return reply.send(body ? Readable.fromWeb(body as NodeReadableStream) : undefined)
}

function copyHead(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status).header('Cache-Control', 'no-store')
  for (const [name, value] of response.headers) if (name !== 'cache-control') reply.header(name, value)
  return reply
}

/** A body that is not JSON. The response is a JSON-RPC error, not a problem document. */
class InvalidJson {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

function parsed(body: Buffer): unknown {
  try {
    return parseJsonBody(body)
  } catch (error) {
    if (error instanceof JsonError || error instanceof AppError) return new InvalidJson(error.message)
    throw error
  }
}

function invalidBody(body: unknown) {
  if (body instanceof InvalidJson) return errorBody(PARSE_ERROR, `Parse error: ${body.reason}`, 'invalid_json')
  if (!Array.isArray(body) || body.length <= MAX_BATCH) return undefined
  return errorBody(INVALID_REQUEST, `A batch has at most ${MAX_BATCH} messages.`, 'invalid_request')
}

function errorBody(code: number, message: string, problemCode: ErrorCode) {
  return { jsonrpc: '2.0', id: null, error: { code, message, data: { code: problemCode } } }
}
