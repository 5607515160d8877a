import { planMemory } from '@recto/lib/memory-plan.ts'
import { version } from '@recto/lib/version.ts'
import type { FastifyBaseLogger } from 'fastify'
import { problemPage } from '../interfaces/web/error-page.ts'
import { localDetail } from '../interfaces/web/language.ts'
import type { Config } from '../platform/config.ts'
import { prepareFolder } from '../platform/database/embedded/folder.ts'
import type { EmbeddedServer } from '../platform/database/embedded/server.ts'
import { databaseObserver } from '../platform/database/metrics.ts'
import type { DatabaseObserver } from '../platform/database/observer.ts'
import { watchDescriptors } from '../platform/descriptors.ts'
import { shutDownGracefully } from '../platform/http/graceful-shutdown.ts'
import { listenAt } from '../platform/http/listen.ts'
import { createServer, type ServerOptions } from '../platform/http/server.ts'
import { type OperatorOptions, startMetricsServer } from '../platform/http/telemetry/operator-routes.ts'
import { createRegistry } from '../platform/http/telemetry/registry.ts'
import { observeRequests, requestLog, requestMetrics, traceLogs } from '../platform/http/telemetry/requests.ts'
import type { Tracing } from '../platform/http/telemetry/tracing.ts'
import { openDatabase } from './app-database.ts'
import { startOwnServer } from './app-embedded.ts'
import { addRoutes } from './app-routes.ts'
import {
  addMetrics,
  type ServiceInternals,
  type Services,
  type ServicesOptions,
  startBackground,
  startServices,
} from './app-services.ts'

/** A running service. Disposing it completes the accepted requests, then stops everything in order. */
export interface App extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly address: string
  /** Where metrics are served, when that is another address. */
  readonly metricsAddress: string | undefined
  /** The key of the first admin, if this start created it. */
  readonly adminKey: string | undefined
  /** The one-time link that sets up the first account, if this start created it. */
  readonly setupUrl: string | undefined
  /** Every route, such as `GET /me`. */
  readonly routes: readonly string[]
  /** Fails the readiness check so that load balancers use other nodes, and serves on; some seconds before disposing. */
  drain(): void
}

/** Parameters that only tests set. */
export interface Internals extends ServiceInternals {
  /** How long failed authentications are counted before they are written. */
  readonly failuresPeriodMs?: number
  /** How long a request waits for a lease of the rate limit. */
  readonly rateLeaseMs?: number
}

/** The composition root: starts the database unless `ownServer` runs, migrates its schema, and serves. */
export async function createApp(
  config: Config,
  log: FastifyBaseLogger,
  internals: Internals = {},
  ownServer?: EmbeddedServer,
): Promise<App> {
  await using starting = new AsyncDisposableStack()
  const embeddedServer = starting.use(ownServer ?? (await startOwnServer(config, log)))
  // The embedded server prepares its folder itself.
  if (!embeddedServer) prepareFolder(config.data)
  const memory = planMemory()
  const telemetry = await startTelemetry(starting, config, log)
  starting.use(watchDescriptors(log, telemetry.registry))
  const database = await openDatabase(starting, { config, log, observer: telemetry.observer, embedded: embeddedServer })
  const options = { config, log, memory, registry: telemetry.registry, database, internals }
  const services = await startServices(starting, options)
  const serving = await serve(starting, { ...options, tracing: telemetry.tracing, services })
  const firstAdmin = await database.migrated
  const running = starting.move()
  return {
    ...serving,
    adminKey: firstAdmin?.key,
    setupUrl: firstAdmin && services.runtime.config.publicUrl + firstAdmin.setupPath,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

interface ServeOptions extends ServicesOptions {
  readonly internals: Internals
  readonly tracing: Tracing | undefined
  readonly services: Services
}

/** Starts the background work and the servers, which are set up while the schema is migrated. */
async function serve(
  starting: AsyncDisposableStack,
  { config, log, memory, registry, database, internals, tracing, services }: ServeOptions,
): Promise<Pick<App, 'address' | 'metricsAddress' | 'routes' | 'drain'>> {
  const { runtime } = services
  const options: ServerOptions = {
    logger: log,
    requestTimeoutMs: config.requestTimeoutMs,
    trustedProxies: config.trustedProxies,
    origin: () => runtime.config.publicUrl,
    problemPage: (problem, request, retryAfter) => problemPage(problem, request, retryAfter, config),
    localDetail: (detail, request) => localDetail(detail, request, config),
  }
  const observe = observeRequests([
    ...(tracing ? [tracing.observer] : []),
    traceLogs,
    requestMetrics(registry),
    requestLog({ log, all: config.logRequests === 'all' }),
  ])
  const app = createServer({ ...options, observe })
  const background = startBackground(starting, runtime, log, internals.failuresPeriodMs, services.inbox)
  addMetrics(registry, database, services)
  const shutdown = shutDownGracefully(app)
  const { metricsToken, metricsAt } = config
  const { notReady, damageCount, replicas } = database
  const metricsElsewhere = metricsAt !== undefined
  const operator: OperatorOptions = { notReady, damageCount, registry, metricsToken, metricsElsewhere, shutdown }
  if (metricsAt) await database.migrated
  // Requests for metrics are not counted, logged or traced.
  const metricsServer = metricsAt && starting.use(await startMetricsServer(options, operator, metricsAt))
  if (metricsServer) log.info({ address: metricsServer.address }, 'serving metrics')
  starting.defer(() => app.close())
  const routes = await addRoutes(app, runtime, {
    ...services,
    ...background,
    observe,
    tracing,
    shutdown,
    readDb: replicas.db,
    registry,
    operator,
    rateLeaseMs: internals.rateLeaseMs,
    largeBodyBytes: memory.bodyBytes,
  })
  await database.migrated
  const address = await listenAt(app, config, 'SVC_HOST or SVC_PORT')
  services.listensAt(address)
  background.rebuilder.wake()
  return { address, metricsAddress: metricsServer?.address, routes, drain: shutdown.drain }
}

/** The registry of the metrics, the export of traces, and the observer of statements, which both need. */
async function startTelemetry(starting: AsyncDisposableStack, config: Config, log: FastifyBaseLogger) {
  const registry = createRegistry(version())
  const tracing = config.tracing ? starting.use(await startTracing(log)) : undefined
  const metrics = databaseObserver(registry)
  const observer: DatabaseObserver = tracing ? traceStatements(metrics, tracing) : metrics
  return { registry, tracing, observer }
}

function traceStatements(metrics: DatabaseObserver, tracing: Tracing): DatabaseObserver {
  return {
    ...metrics,
    executed(name, ms) {
      metrics.executed(name, ms)
      tracing.statement(name, ms)
    },
  }
}

/** Loaded only if traces are exported. */
async function startTracing(log: FastifyBaseLogger): Promise<Tracing> {
  const tracing = await import('../platform/http/telemetry/tracing.ts')
  return tracing.startTracing({ version: version(), log })
}
