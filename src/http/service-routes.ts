import { createHash, timingSafeEqual } from 'node:crypto'
import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Shutdown } from './graceful-shutdown.ts'
import { PROBLEMS } from './problem.ts'
import type { Server } from './server.ts'

export interface ServiceOptions {
  /** Undefined when requests can be served; else why not. */
  notReady(): Promise<string | undefined>
  readonly registry: Registry
  /** What metrics and the reason of not being ready ask for; absent: nothing. */
  readonly metricsToken: string | undefined
  readonly shutdown: Shutdown
  readonly origin: () => string
}

const status = Type.Object({ status: Type.String() })
const config = { public: true }
const tags = ['Service']

/** What operators and callers without a key may ask. */
export async function serviceRoutes(app: Server, options: ServiceOptions): Promise<void> {
  app.get(
    '/healthz',
    {
      config,
      schema: { tags, summary: 'Whether the process runs', security: [], response: { 200: status } },
    },
    async () => ({ status: 'ok' }),
  )

  app.get(
    '/readyz',
    {
      config,
      schema: {
        tags,
        summary: 'Whether requests can be served: the database answers and its schema is current',
        security: [],
        response: { 200: status },
      },
    },
    async ({ headers }) => {
      if (options.shutdown.draining) {
        throw new AppError('shutting_down', 'This node is shutting down.', {
          headers: { 'Retry-After': '2' },
        })
      }
      const reason = await options.notReady()
      if (reason === undefined) return { status: 'ready' }
      const detail = hasToken(headers.authorization, options.metricsToken)
        ? reason
        : 'The service is not ready.'
      throw new AppError('database_unavailable', detail, { headers: { 'Retry-After': '2' } })
    },
  )

  app.get(
    '/metrics',
    { config, schema: { tags, summary: 'Metrics for Prometheus', security: [], produces: ['text/plain'] } },
    async ({ headers }, reply) => {
      if (!hasToken(headers.authorization, options.metricsToken)) {
        throw new AppError('unauthorized', 'Metrics need `Authorization: Bearer <SVC_METRICS_TOKEN>`.', {
          headers: { 'WWW-Authenticate': 'Bearer realm="recto metrics"' },
        })
      }
      const { registry } = options
      return reply.type(registry.contentType).send(await registry.metrics())
    },
  )

  app.get(
    '/problems/:code',
    {
      config,
      schema: {
        tags,
        summary: 'What a problem means',
        security: [],
        params: Type.Object({ code: Type.String() }),
        response: {
          200: Type.Object({
            code: Type.String(),
            status: Type.Integer(),
            title: Type.String(),
            explanation: Type.String(),
          }),
        },
      },
    },
    async (request) => {
      const { code } = request.params
      if (!isErrorCode(code)) throw new AppError('not_found', 'There is no problem with this code.')
      return { code, ...PROBLEMS[code] }
    },
  )

  app.get('/openapi.json', { config, schema: { hide: true } }, async (_, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .send({ ...app.swagger(), servers: [{ url: options.origin() }] }),
  )
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(PROBLEMS, code)
}

/** Compared in constant time; without a token anybody may ask. */
function hasToken(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''), digest(token))
}
