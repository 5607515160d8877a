import { Backlog } from '@recto/lib/concurrency/backlog.ts'
import { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import { createCursorSealer } from '@recto/lib/encoding/cursor.ts'
import { Lru } from '@recto/lib/lru.ts'
import type { MemoryPlan } from '@recto/lib/memory-plan.ts'
import { version } from '@recto/lib/version.ts'
import { ContentCache } from '@recto/markdown/engine/content-cache.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import type { Runtime } from '../access/ctx.ts'
import { idempotencySweep } from '../access/idempotency/idempotency.ts'
import { rateLeaseSweep } from '../access/limits/rate-lease.ts'
import { draftSweep } from '../content/change-requests/draft-sweep.ts'
import { createChunkTurns } from '../content/files/blobs/chunk-sink.ts'
import { type ObjectStoreLimits, openObjectStore } from '../content/files/blobs/object-store.ts'
import { fileSweep } from '../content/files/blobs/sweep.ts'
import type { FilesDeps } from '../content/files/ctx.ts'
import { startTypeDetector } from '../content/files/upload/detect.ts'
import { VariantMaker } from '../content/files/variants/make-variant.ts'
import { createReadyVariants } from '../content/files/variants/ready-variants.ts'
import { trashSweep } from '../content/lifecycle/trash.ts'
import { rebuildMetrics } from '../content/links/rebuild.ts'
import { startRebuilder } from '../content/links/rebuilder.ts'
import { type InboxFollower, startInboxFollower } from '../content/notifications/follower.ts'
import { InboxNews } from '../content/notifications/inbox-news.ts'
import { startNotificationMail } from '../content/notifications/mail.ts'
import { notificationSweep } from '../content/notifications/sweep.ts'
import { createLinkReader } from '../content/pages/backfills/link-sources.ts'
import { startReindexing } from '../content/pages/backfills/reindex.ts'
import type { PagesDeps, ServiceRuntime } from '../content/pages/ctx.ts'
import { startBulk } from '../content/pages/many/bulk.ts'
import { processMetrics } from '../content/pages/process-metrics.ts'
import { unsavedSweep } from '../content/pages/unsaved/unsaved.ts'
import { startMarkdown } from '../content/pages/writing/derive-body.ts'
import { PresenceHub } from '../content/presence/hub.ts'
import { startSnippets } from '../content/search/snippets/snippets.ts'
import { startCatalogue } from '../content/templates/catalogue/catalogue-refresher.ts'
import type { EventsDeps } from '../events/feed/ctx.ts'
import { Feed, listenToOtherNodes } from '../events/feed/feed.ts'
import { createFeedReaders, feedMetrics } from '../events/feed/readers.ts'
import { recordRequestEvent } from '../events/feed/record.ts'
import { Jobs } from '../events/jobs/runner.ts'
import { webhookMetrics } from '../events/webhooks/metrics.ts'
import { startWebhooks, type WebhookInternals } from '../events/webhooks/start.ts'
import type { FetchInternals } from '../identity/oauth/fetch-metadata.ts'
import { oauthSweep, startAuthorizationServer } from '../identity/oauth/start.ts'
import { createForgottenPasswords } from '../identity/people/forgotten.ts'
import { createMailer } from '../identity/people/mail.ts'
import { FailedAuthentications } from '../identity/principals/failed-authentications.ts'
import { RightsWatch } from '../identity/rights/watch.ts'
import { sessionSweep } from '../interfaces/mcp/sessions.ts'
import { createPageDocuments } from '../interfaces/web/reading/page-documents.ts'
import type { Config } from '../platform/config.ts'
import { databaseMetrics } from '../platform/database/metrics.ts'
import { readOrMakeKey } from '../platform/database/secret-key.ts'
import { TableGrowth } from '../platform/database/statistics.ts'
import { startSweeper } from '../platform/database/sweeper.ts'
import type { OpenDatabase } from './app-database.ts'

const MAX_LATEST = 10_000
const MAX_BLAME_BYTES = 16 * 1024 * 1024
/** Of an entry, and its key. */
const BLAME_ENTRY_BYTES = 300
const ORIGIN_UNKNOWN =
  'SVC_PUBLIC_URL is not set, and SVC_HOST is every address of this machine: links have an address that nobody can ' +
  'open, and no mail is sent. Set SVC_PUBLIC_URL to the address that people use'

/** Parameters of the services that only tests set. */
export interface ServiceInternals {
  readonly webhooks?: WebhookInternals
  readonly oauth?: FetchInternals
  /** Time limits of the bucket. */
  readonly objectStore?: ObjectStoreLimits
}

export interface ServicesOptions {
  readonly config: Config
  readonly log: FastifyBaseLogger
  readonly memory: MemoryPlan
  readonly registry: Registry
  readonly database: OpenDatabase
  readonly internals: ServiceInternals
}

/** The services that requests use in addition to the database. */
export type Services = Awaited<ReturnType<typeof startServices>>

/** Starts webhooks, the change feed and the workers, in order; they are stopped with `starting`. */
export async function startServices(
  starting: AsyncDisposableStack,
  { config, log, memory, registry, database, internals }: ServicesOptions,
) {
  const { db, presence, shared, topics } = database
  const secretKey = config.secretKey ?? readOrMakeKey(config.data)
  const webhookDeps = { db, config, log, version: version(), secretKey, presence, shared }
  const webhookOptions = { ...webhookDeps, onAttempt: webhookMetrics(registry, db) }
  const webhooks = starting.use(startWebhooks(webhookOptions, internals.webhooks))
  // The origin is known only once the server listens.
  const running = { ...config, publicUrl: config.publicUrl ?? '' }
  const cursors = createCursorSealer(secretKey)
  const base: Runtime = {
    ...{ db, config: running, log, now: () => new Date(), cursors },
    tellOfRequest: (tx, request, what) => recordRequestEvent({ ...tx, events }, request, what),
  }
  const watch = starting.use(new RightsWatch(db, log))
  const feed = starting.use(new Feed(base, watch))
  const hub = starting.use(new PresenceHub(topics))
  const inboxNews = new InboxNews(topics)
  const inbox = starting.use(startInboxFollower({ db, log }, config.mail !== undefined && !config.isOriginUnknown))
  inbox.onNotified((ids) => inboxNews.tell(ids))
  const wakeHere = () => {
    feed.wake()
    inbox.wake()
  }
  const others = shared && starting.use(listenToOtherNodes(shared, { wake: wakeHere }, topics, log))
  topics.listen('credentials', () => watch.lookSoon())
  const wakeReaders = () => {
    wakeHere()
    others?.send()
  }
  const growth = starting.use(new TableGrowth(base))
  const pagesAdded = (spaceId: number, count: number) => growth.add(spaceId, count)
  const events: EventsDeps = {
    wakeDeliveries: webhooks.wake,
    wakeReaders,
    pagesAdded,
    inboxesChanged: (ids) => inboxNews.tell(ids),
  }
  const pages = startPages(starting, config, memory)
  const files = await startFiles(starting, base, memory, internals.objectStore)
  return {
    runtime: { ...base, events, pages, files } satisfies ServiceRuntime,
    webhooks,
    topics,
    watch,
    feed,
    inbox,
    inboxNews,
    hub,
    oauth: startAuthorizationServer(base, secretKey, internals.oauth),
    readers: createFeedReaders(),
    snippets: starting.use(startSnippets(memory)),
    documents: createPageDocuments(),
    /** To be called once the server listens: its address is the default origin. */
    listensAt(address: string): void {
      running.publicUrl = config.publicUrl ?? address
    },
  }
}

function startPages(starting: AsyncDisposableStack, config: Config, memory: MemoryPlan): PagesDeps {
  const markdown = starting.use(startMarkdown(memory, config.markdownCpuMs))
  return {
    markdown,
    bulk: starting.use(startBulk(memory)),
    contents: new ContentCache(markdown, memory.cacheBytes),
    writers: new KeyedQueue({ maxWaiting: config.maxWaitingWriters }),
    latest: new Lru({ maxWeight: MAX_LATEST, weigh: () => 1 }),
    blames: new Lru({ maxWeight: MAX_BLAME_BYTES, weigh: ({ versions }) => versions.byteLength + BLAME_ENTRY_BYTES }),
    unindexed: new Backlog(),
  }
}

async function startFiles(
  starting: AsyncDisposableStack,
  base: Runtime,
  memory: MemoryPlan,
  limits: ObjectStoreLimits | undefined,
): Promise<FilesDeps> {
  const { filesS3, databasePool } = base.config
  const objects = filesS3 && starting.use(await openObjectStore(filesS3, limits))
  return {
    objects,
    chunkTurns: createChunkTurns(databasePool),
    types: starting.use(startTypeDetector(memory)),
    variants: starting.use(
      new VariantMaker(
        { ...base, files: { objects } },
        { memoryBytes: memory.imageBytes, cpuMs: 30_000, elapsedMs: 120_000 },
      ),
    ),
    readyVariants: createReadyVariants(memory.cacheBytes / 4),
  }
}

/** Starts the background work: sweeps, backfills, mail. */
export function startBackground(
  starting: AsyncDisposableStack,
  runtime: ServiceRuntime,
  log: FastifyBaseLogger,
  failuresPeriodMs: number | undefined,
  inbox: InboxFollower,
) {
  const { trashRetentionDays, mail, isOriginUnknown, language } = runtime.config
  if (isOriginUnknown) log.warn(ORIGIN_UNKNOWN)
  const jobs = starting.use(new Jobs(runtime))
  const rebuilder = starting.use(startRebuilder(runtime, createLinkReader(runtime)))
  starting.use(startReindexing(runtime))
  starting.use(startCatalogue(runtime))
  const sweeps = [
    ...[idempotencySweep, rateLeaseSweep, oauthSweep, sessionSweep, unsavedSweep, draftSweep, notificationSweep],
    ...(trashRetentionDays > 0 ? [trashSweep(trashRetentionDays)] : []),
    fileSweep(runtime),
  ]
  for (const sweep of sweeps) starting.use(startSweeper(runtime, sweep))
  const mailer = mail && !isOriginUnknown ? starting.use(createMailer({ ...mail, language }, log)) : undefined
  if (mailer) starting.use(startNotificationMail(runtime, mailer, inbox))
  const forgotten = mailer && starting.use(createForgottenPasswords({ ...runtime, mailer }))
  const failures = starting.use(new FailedAuthentications(runtime, failuresPeriodMs))
  return { rebuilder, jobs, mailer, forgotten, failures }
}

/** Registers the metrics of everything but requests. */
export function addMetrics(registry: Registry, database: OpenDatabase, services: Services): void {
  const { runtime, readers, snippets, documents } = services
  databaseMetrics(registry, { ...database, folder: database.shared ? undefined : runtime.config.data })
  processMetrics(registry, { pages: runtime.pages, files: runtime.files, snippets, documents: documents.cache })
  feedMetrics(registry, runtime.db, readers)
  rebuildMetrics(registry, runtime.db)
}
