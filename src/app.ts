import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { RunningConfig } from './access/ctx.ts'
import { startFailedAuthentications } from './access/failed-authentications.ts'
import { startIdempotencySweep } from './access/idempotency-sweep.ts'
import { startRateLeaseSweep } from './access/rate-lease.ts'
import { createRightsWatch } from './access/watch.ts'
import { addRoutes } from './app-routes.ts'
import { startBulk } from './bulk/bulk.ts'
import type { Config } from './config.ts'
import { createDb } from './database/database.ts'
import { diskReserve } from './database/disk-reserve.ts'
import { prepareFolder } from './database/embedded/prepare-folder.ts'
import { type EmbeddedServer, startEmbedded } from './database/embedded/server.ts'
import { notReady } from './database/health.ts'
import { startHeartbeat } from './database/heartbeat.ts'
import { databaseMetrics, databaseObserver } from './database/metrics.ts'
import { hasSchema, migrate } from './database/migrate.ts'
import type { DatabaseObserver } from './database/observer.ts'
import { createPool } from './database/pool.ts'
import { createPresence } from './database/presence.ts'
import { reachDatabase } from './database/reach.ts'
import { createReader } from './database/reader.ts'
import { startReplicas } from './database/replicas/replicas.ts'
import { readOrMakeKey } from './database/secret-key.ts'
import { DatabaseServer } from './database/server.ts'
import type { EventsDeps } from './events/ctx.ts'
import { createFeed } from './events/feed.ts'
import { feedMetrics } from './events/metrics.ts'
import { hearOthers } from './events/notices.ts'
import { createFeedReaders } from './events/readers.ts'
import { startFileSweep } from './files/sweep.ts'
import { shutDownGracefully } from './http/graceful-shutdown.ts'
import { listenAt } from './http/listen.ts'
import { createRegistry, requestMetrics } from './http/metrics.ts'
import { type OperatorOptions, startMetricsServer } from './http/operator-routes.ts'
import { requestLog } from './http/request-log.ts'
import { createServer, type ServerOptions } from './http/server.ts'
import { traceLogs } from './http/trace-context.ts'
import type { Tracing } from './http/tracing.ts'
import { createCursorSealer } from './lib/cursor.ts'
import { KeyedQueue } from './lib/keyed-queue.ts'
import { Lru } from './lib/lru.ts'
import { planMemory } from './lib/memory-plan.ts'
import { startTrashSweep } from './lifecycle/trash-sweep.ts'
import { rebuildMetrics } from './links/metrics.ts'
import { startRebuilder } from './links/rebuilder.ts'
import { createContentCache } from './markdown/content-cache.ts'
import { startMarkdown } from './markdown/engine.ts'
import type { PagesDeps, ServiceRuntime } from './pages/ctx.ts'
import { createLinkReader } from './pages/link-sources.ts'
import { processMetrics } from './pages/process-metrics.ts'
import { startReindexing } from './pages/reindex.ts'
import { startRetitling } from './pages/retitle.ts'
import { createFirstAdmin } from './people/first-admin.ts'
import { createForgottenPasswords } from './people/forgotten.ts'
import { createMailer } from './people/mail.ts'
import { startSnippets } from './search/snippets.ts'
import { startLogSpaceBackfill } from './spaces/store-log-spaces.ts'
import { startCatalogue } from './templates/catalogue-refresher.ts'
import { version } from './version.ts'
import { problemPage } from './web/error-page.ts'
import { webhookMetrics } from './webhooks/metrics.ts'
import { startWebhooks, type WebhookInternals } from './webhooks/start.ts'

/** A running service. Disposing it answers what was accepted, then stops everything in order. */
export interface App extends AsyncDisposable {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly address: string
  /** Where metrics are served, when that is another address. */
  readonly metricsAddress: string | undefined
  /** The key of the first admin, when this start made it. */
  readonly adminKey: string | undefined
  /** The one-time link that sets up the first account, when this start made it. */
  readonly setupUrl: string | undefined
  /** Every route, such as `GET /me`. */
  readonly routes: readonly string[]
  /** Tells load balancers to send requests elsewhere, and goes on serving; to be called some seconds before disposing. */
  drain(): void
}

/** What tests set otherwise than any deployment can. */
export interface Internals {
  readonly webhooks?: WebhookInternals
  /** How long failed authentications are counted before they are written. */
  readonly failuresPeriodMs?: number
  /** How long a request waits for the share of its key in the rate limit of the cluster. */
  readonly rateLeaseMs?: number
}

const MAX_LATEST = 10_000
/** Connections that all short reads share, beside the pool. */
const READERS = 2
/** Connections that the server keeps beside the pool: for the heartbeat, for backups, and for a person who looks. */
const SPARE_CONNECTIONS = 9

/** Starts the database, brings its schema up to date, and serves. The only place that knows every part. */
export async function createApp(
  config: Config,
  log: FastifyBaseLogger,
  internals: Internals = {},
): Promise<App> {
  await using starting = new AsyncDisposableStack()
  prepareFolder(config.data)
  const memory = planMemory()
  const ownServer = config.databaseUrl === undefined
  const poolSize = ownServer ? Math.min(config.databasePool, memory.connections) : config.databasePool
  const embedded = ownServer ? starting.use(await embed(config, poolSize, log)) : undefined
  const registry = createRegistry(version())
  const tracing = config.tracing ? starting.use(await startTracing(log)) : undefined
  const metrics = databaseObserver(registry)
  const observer: DatabaseObserver = {
    ...metrics,
    executed(name, ms) {
      metrics.executed(name, ms)
      tracing?.statement(name, ms)
    },
  }
  const server = new DatabaseServer(embedded?.connection ?? config.databaseUrl ?? '')
  const settings = {
    server,
    prepared: embedded !== undefined || config.databasePrepared,
    observer,
    onError(error: Error) {
      observer.lostConnection()
      log.warn({ err: error }, 'a database connection was lost')
    },
  }
  if (!embedded) await reachDatabase(server, log)
  const pool = createPool({ ...settings, size: poolSize })
  starting.defer(() => pool.end())
  await migrate(pool)
  const presence = createPresence()
  const heartbeat = starting.use(
    startHeartbeat({
      server,
      presence,
      hasSchema,
      onChange: (reason) =>
        reason === undefined ? log.info('the database answers') : log.warn({ reason }, 'not ready'),
    }),
  )
  const { available } = heartbeat
  const reader = starting.use(createReader({ ...settings, size: READERS, ownServer, available }))
  // A start is not refused on a full disk: it is there to read.
  const firstAdmin = await createFirstAdmin(createDb(pool), config, new Date())
  const parts = { reader, observer, available, ...(embedded && { checkDiskSpace: diskReserve(config.data) }) }
  const db = createDb(pool, parts)
  const replicas = starting.use(startReplicas({ ...settings, config, pool, db, parts, log }))

  const secretKey = config.secretKey ?? readOrMakeKey(config.data)
  const webhooks = starting.use(
    await startWebhooks(
      {
        db,
        config,
        log,
        version: version(),
        secretKey,
        presence,
        shared: embedded ? undefined : server,
        onAttempt: webhookMetrics(registry, db),
      },
      internals.webhooks,
    ),
  )
  const cursors = createCursorSealer(secretKey)
  const watch = starting.use(createRightsWatch(db, log))
  let publicUrl = config.publicUrl ?? ''
  const runningConfig: RunningConfig = {
    ...config,
    get publicUrl() {
      return publicUrl
    },
  }
  const feed = starting.use(createFeed({ db, log, cursors, config: runningConfig }, watch))
  const others = embedded ? undefined : hearOthers(server, feed, log)
  if (others) starting.use(others)
  const markdown = starting.use(
    startMarkdown({ ...memory, idleMs: memory.workerIdleMs, cpuMs: config.markdownCpuMs }),
  )
  const bulk = starting.use(startBulk(memory))
  const snippets = starting.use(startSnippets(memory))
  const events: EventsDeps = {
    wakeDeliveries: webhooks.wake,
    wakeReaders() {
      feed.wake()
      others?.send()
    },
  }
  const pages: PagesDeps = {
    markdown,
    bulk,
    contents: createContentCache(markdown, memory.cacheBytes),
    writers: new KeyedQueue({ maxWaiting: config.maxWaitingWriters }),
    latest: new Lru({ maxWeight: MAX_LATEST, weigh: () => 1 }),
  }
  const runtime: ServiceRuntime = {
    db,
    config: runningConfig,
    log,
    now: () => new Date(),
    cursors,
    events,
    pages,
  }
  const serverOptions: ServerOptions = {
    logger: log,
    requestTimeoutMs: config.requestTimeoutMs,
    observers: [
      ...(tracing ? [tracing.observer] : []),
      traceLogs,
      requestMetrics(registry),
      requestLog({ log, all: config.logRequests === 'all', principalOf }),
    ],
    trustedProxies: config.trustedProxies,
    origin: () => publicUrl,
    problemPage,
  }
  const app = createServer(serverOptions)
  tracing?.activate(app)
  const rebuilder = starting.use(startRebuilder(runtime, createLinkReader(runtime)))
  starting.use(startRetitling(runtime))
  starting.use(startReindexing(runtime))
  starting.use(startCatalogue(runtime))
  starting.use(startIdempotencySweep(runtime))
  starting.use(startLogSpaceBackfill(runtime))
  starting.use(startRateLeaseSweep(runtime))
  if (config.trashRetentionDays > 0) starting.use(startTrashSweep(runtime, config.trashRetentionDays))
  starting.use(startFileSweep(runtime, config.trashRetentionDays))
  const mailer = config.mail && starting.use(createMailer(config.mail, log))
  const forgotten = mailer && starting.use(createForgottenPasswords({ ...runtime, mailer }))
  const failures = starting.use(startFailedAuthentications(runtime, internals.failuresPeriodMs))
  const health = async () => notReady(heartbeat, embedded)
  const readers = createFeedReaders()
  databaseMetrics(registry, {
    pool,
    db,
    size: poolSize,
    notReady: health,
    replicas,
    folder: embedded && config.data,
  })
  processMetrics(registry, { pages, snippets })
  feedMetrics(registry, db, readers)
  rebuildMetrics(registry, db)
  const shutdown = shutDownGracefully(app)
  const { metricsToken, metricsAt } = config
  const operator: OperatorOptions = {
    notReady: health,
    registry,
    metricsToken,
    metricsElsewhere: metricsAt !== undefined,
    shutdown,
  }
  // Its requests are none of the service's: they are not counted, logged or traced.
  const metricsServer =
    metricsAt &&
    starting.use(await startMetricsServer({ ...serverOptions, observers: [] }, operator, metricsAt))
  if (metricsServer) log.info({ address: metricsServer.address }, 'serving metrics')
  starting.defer(() => app.close())
  const routes = await addRoutes(app, runtime, {
    readDb: replicas.db,
    operator,
    webhooks,
    rebuilder,
    failures,
    feed,
    watch,
    readers,
    snippets,
    rateLeaseMs: internals.rateLeaseMs,
    largeBodyBytes: memory.bodyBytes,
    mailer,
    forgotten,
  })
  const address = await listenAt(app, config, 'SVC_HOST or SVC_PORT')
  publicUrl = config.publicUrl ?? address
  rebuilder.wake()

  const running = starting.move()
  const dispose = () => running.disposeAsync()
  return {
    address,
    metricsAddress: metricsServer?.address,
    adminKey: firstAdmin?.key,
    setupUrl: firstAdmin && publicUrl + firstAdmin.setupPath,
    routes,
    drain: shutdown.drain,
    [Symbol.asyncDispose]: dispose,
  }
}

async function embed(config: Config, poolSize: number, log: FastifyBaseLogger): Promise<EmbeddedServer> {
  return startEmbedded({
    dataDir: config.data,
    maxConnections: poolSize + READERS + SPARE_CONNECTIONS,
    log,
  })
}

/** Loaded only by those who send traces. */
async function startTracing(log: FastifyBaseLogger): Promise<Tracing> {
  const tracing = await import('./http/tracing.ts')
  return tracing.startTracing({ version: version(), log, principalOf })
}

/** The id of whoever was authenticated; public routes authenticate nobody. */
function principalOf(request: FastifyRequest): string | undefined {
  return request.ctx?.actor.id
}
