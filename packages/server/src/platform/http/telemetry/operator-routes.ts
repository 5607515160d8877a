import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError, retryLater } from '@recto/contract/errors.ts'
import type { Registry } from 'prom-client'
import { Type } from 'typebox'
import { declareEndpoints, registerRoutes } from '../endpoint.ts'
import type { Shutdown } from '../graceful-shutdown.ts'
import { addHooks } from '../hooks.ts'
import { listenAt } from '../listen.ts'
import { MethodRegistry } from '../methods.ts'
import { createServer, rejectContentEncoding, type Server, type ServerOptions, sendRequestId } from '../server.ts'

const { endpoint } = declareEndpoints('Service')

export interface OperatorOptions {
  /** Undefined if requests can be served; else the reason. */
  notReady(): Promise<string | undefined>
  /** How many statements have found damaged storage: the service stays ready for everything else. */
  damageCount(): number
  readonly registry: Registry
  /** The bearer token for metrics and for the reason of not being ready; absent: public. */
  readonly metricsToken: string | undefined
  /** Whether both are served at an address of their own only. */
  readonly metricsElsewhere: boolean
  readonly shutdown: Shutdown
}

const status = Type.Object({ status: Type.String() })
const readiness = Type.Object({ ...status.properties, detail: Type.Optional(Type.String()) })
const config = { public: true }

interface HealthDeps extends OperatorOptions {
  readonly mayReadReason: (authorization: string | undefined) => boolean
}

const healthRoutes = registerRoutes<HealthDeps>(
  endpoint({
    route: 'GET /healthz',
    config,
    operationId: 'service.health',
    summary: 'Whether the process runs',
    security: [],
    response: { 200: status },
    handler: async () => ({ status: 'ok' }),
  }),
  endpoint({
    route: 'GET /readyz',
    config: { ...config, errors: ['shutting_down', 'database_unavailable'] },
    operationId: 'service.ready',
    summary: 'Whether requests can be served: the database is available and its schema is current',
    security: [],
    response: { 200: readiness },
    handler: async ({ headers }, _reply, { shutdown, notReady, damageCount, mayReadReason }) => {
      if (shutdown.draining) throw retryLater('shutting_down', 'This node is shutting down.', 2)
      const reason = await notReady()
      const mayRead = mayReadReason(headers.authorization)
      if (reason === undefined) return { status: 'ready', ...(mayRead && describeDamage(damageCount())) }
      const detail = mayRead ? reason : 'The service is not ready.'
      throw retryLater('database_unavailable', detail, 2)
    },
  }),
)

const metricsRoute = endpoint({
  route: 'GET /metrics',
  config: { ...config, errors: ['unauthorized'] },
  operationId: 'service.metrics',
  summary: 'Metrics for Prometheus',
  security: [],
  produces: ['text/plain'],
  response: { 200: Type.String() },
  handler: async ({ headers }, reply, { metricsToken, registry }: OperatorOptions) => {
    if (!hasToken(headers.authorization, metricsToken)) {
      throw new AppError('unauthorized', 'Metrics need `Authorization: Bearer <SVC_METRICS_TOKEN>`.', {
        headers: { 'WWW-Authenticate': 'Bearer realm="recto metrics"' },
      })
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  },
})

/** The endpoints for load balancers and Prometheus at the public address. */
export async function operatorRoutes(app: Server, options: OperatorOptions): Promise<void> {
  const { metricsElsewhere, metricsToken } = options
  await healthRoutes(app, {
    ...options,
    mayReadReason: (authorization) => !metricsElsewhere && hasToken(authorization, metricsToken),
  })
  if (!metricsElsewhere) metricsRoute(app, options)
}

/** Serves metrics, and readiness with its reason, at an address of their own. Disposing stops it. */
export async function startMetricsServer(
  server: ServerOptions,
  options: OperatorOptions,
  at: { readonly host: string; readonly port: number },
): Promise<AsyncDisposable & { readonly address: string }> {
  const app = createServer(server)
  const methods = new MethodRegistry(app)
  addHooks(app, { onRoute: [methods.add], onRequest: [sendRequestId, rejectContentEncoding, methods.answerOthers] })
  await healthRoutes(app, {
    ...options,
    mayReadReason: (authorization) => hasToken(authorization, options.metricsToken),
  })
  metricsRoute(app, options)
  const address = await listenAt(app, at, 'SVC_METRICS_HOST or SVC_METRICS_PORT')
  return { address, [Symbol.asyncDispose]: () => app.close() }
}

function describeDamage(count: number): { readonly detail?: string } {
  if (count === 0) return {}
  const times = count === 1 ? 'a statement has' : `${count} statements have`
  return {
    detail: `Since the start ${times} found damaged storage. The log has the places; recto check-database finds all.`,
  }
}

/** Compared in constant time; without a token it is public. */
function hasToken(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''), digest(token))
}
