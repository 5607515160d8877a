import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { AppError, isFault } from '@recto/contract/errors.ts'
import { rewritePageUrl } from '@recto/contract/page-url.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify'
import { acceptPatch, MERGE_PATCH, needsBody, parseJsonBody, parseMergePatchBody } from './bodies/body.ts'
import { discardRejectedBody } from './bodies/discard-body.ts'
import { keepAddresses } from './client-address.ts'
import { navigates } from './negotiate.ts'
import { toAppError } from './problems/framework-error.ts'
import { type ProblemDocument, toProblem, toStatus } from './problems/problem.ts'
import { answerClientError } from './problems/raw-error.ts'
import { isScimUrl, SCIM_JSON, toScimError } from './problems/scim-error.ts'
import { findMovedAddress, redirectToFile, redirectToPage, redirectToSpace } from './redirects.ts'
import { validatorCompiler } from './validation.ts'

/** The instance to which every `routes.ts` adds its routes. */
export type Server = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export interface ServerOptions {
  readonly logger: FastifyBaseLogger
  readonly requestTimeoutMs: number
  /** Called with requests that the router rejects: no hook runs for these. */
  readonly observe?: (request: FastifyRequest, reply: FastifyReply) => void
  /** The number of trusted proxies in front; other values of `X-Forwarded-For` are ignored. */
  readonly trustedProxies: number
  /** The origin in `type` of a problem; known once the server listens. */
  readonly origin: () => string
  /** Renders a problem as an HTML page, for browsers that navigate. */
  readonly problemPage: (
    problem: ProblemDocument,
    request: FastifyRequest,
    retryAfter: string | undefined,
  ) => Promise<string>
  /** The detail of a problem in the language of a browser; undefined where it is English, and for keys. */
  readonly localDetail?: (detail: string, request: FastifyRequest) => string | undefined
}

const MAX_HEADER_BYTES = 16 * 1024
/** The body limit of JSON other than page bodies. */
const MAX_JSON_BYTES = 1024 * 1024

/** Creates a server without routes that responds with problem documents to every error. */
export function createServer(options: ServerOptions): Server {
  const app: Server = Fastify({
    ...fastifyOptions(options),
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket, { origin: options.origin(), allowedAt: (url) => app.allowedAt(url) }),
    frameworkErrors: (error, request, reply) => {
      options.observe?.(request, reply)
      return sendProblem(error, request, reply, options)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  addParsers(app)
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, options))
  app.setNotFoundHandler((request, reply) => {
    const error = new AppError('not_found', `Not found: ${shortened(request.originalUrl)}.`)
    return sendProblem(error, request, reply, options)
  })
  return app
}

export function sendRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Request-Id', request.id)
}

/** Rejects compressed bodies, which no route reads. */
export function rejectContentEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  throw new AppError('unsupported_media_type', 'Send the body without a content encoding.')
}

function fastifyOptions({ logger, trustedProxies, requestTimeoutMs }: ServerOptions) {
  return {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    // The first that Fastify calls for a request: it reads the client's address from the header later.
    rewriteUrl(request: IncomingMessage) {
      keepAddresses(request.headers, trustedProxies)
      return rewritePageUrl(request.url ?? '/')
    },
    schemaController: { compilersFactory: { buildSerializer: () => serializerCompiler } },
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    trustProxy: (_address: string, hop: number) => hop < trustedProxies,
    // Bodies have time limits of their own (`body-limits.ts`).
    requestTimeout: 0,
    bodyLimit: MAX_JSON_BYTES,
    return503OnClosing: false,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      // Fastify sets its own option later than Node compares the two.
      requestTimeout: 0,
      headersTimeout: requestTimeoutMs,
    },
  }
}

function addParsers(app: Server): void {
  app.setValidatorCompiler(validatorCompiler)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    // Some clients set the content type without a body, too.
    async ({ routeOptions }: FastifyRequest, body: Buffer) =>
      body.length === 0 && !needsBody(routeOptions.schema?.body) ? undefined : parseJsonBody(body),
  )
  app.addContentTypeParser(MERGE_PATCH, { parseAs: 'buffer' }, parseMergePatchBody)
}

/** What a handler says of a representation before it fails: none of it is true of the problem document. */
const REPRESENTATION_HEADERS = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Content-Security-Policy',
  'ETag',
  'Last-Modified',
  'Repr-Digest',
]

/** Responds with the problem of a thrown error; internal errors are logged with their cause. */
async function sendProblem(
  thrownError: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServerOptions,
): Promise<FastifyReply> {
  const error = toAppError(thrownError)
  if (isFault(error)) {
    // The route names no secret; the log itself masks the tokens of share links (`app/log.ts`).
    const url = request.routeOptions.config?.hasSecretUrl ? request.routeOptions.url : request.originalUrl
    request.log.error({ err: error.cause ?? thrownError, url }, 'a fault answered with 500')
  }
  if (error.code === 'unsupported_media_type' && request.method === 'PATCH') {
    reply.header('Accept-Patch', acceptPatch(request.routeOptions.config))
  }
  if (error.code === 'space_renamed') {
    const renamedSpaceMembers = error.extras.members as { formerSlug: string; slug: string } // this code always has it
    reply.header('Location', redirectToSpace(request, renamedSpaceMembers))
  }
  const movedTo = findMovedAddress(error)
  if (movedTo) {
    const isFile = error.code === 'file_moved'
    reply.header('Location', isFile ? redirectToFile(request, movedTo) : redirectToPage(request, movedTo))
  }
  const problem = toProblem(error, request.id, options.origin())
  for (const name of REPRESENTATION_HEADERS) reply.removeHeader(name)
  reply
    .code(toStatus(error.code))
    .headers({ 'Cache-Control': 'no-store', 'X-Request-Id': request.id, ...error.extras.headers })
  discardRejectedBody(request, reply)
  if (isScimUrl(request.url)) return reply.type(SCIM_JSON).serializer(JSON.stringify).send(toScimError(error))
  if (navigates(request)) {
    const page = await options.problemPage(problem, request, error.extras.headers?.['Retry-After'])
    return reply.type('text/html; charset=utf-8').send(page)
  }
  const localDetail = options.localDetail?.(problem.detail, request)
  // JSON leaves out what is undefined.
  return reply
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send({ ...problem, localDetail })
}

/** The id of the proxy if it is a plain word; else a new one. */
function requestId(request: IncomingMessage): string {
  const sentId = request.headers['x-request-id']
  return typeof sentId === 'string' && /^[\w.:-]{1,64}$/.test(sentId) ? sentId : uuid7()
}

function shortened(url: string): string {
  return url.length > 200 ? `${url.slice(0, 200)}…` : url
}

type Serialize = (payload: unknown) => string

// Loaded with the first response that has a schema.
const require = createRequire(import.meta.url)
/** Many routes share a schema, such as that of problems. */
const serializers = new WeakMap<object, Serialize>()

/** Compiles the schema of a response at the first one: all at a start would take half of its time, and memory. */
function serializerCompiler({ schema }: { readonly schema?: unknown }): Serialize {
  let serialize: Serialize | undefined
  return (payload) => {
    serialize ??= createSerializer(schema as object) // routes without one have no serializer
    return serialize(payload)
  }
}

function createSerializer(schema: object): Serialize {
  const serializer = serializers.get(schema)
  if (serializer) return serializer
  const build = require('fast-json-stringify') as typeof import('fast-json-stringify').default
  const newSerializer = build(schema)
  serializers.set(schema, newSerializer)
  return newSerializer
}
