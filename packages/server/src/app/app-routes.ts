import { registerSampled } from '@recto/lib/sampled.ts'
import { version } from '@recto/lib/version.ts'
import type { Pool } from '@recto/markdown/engine/pool.ts'
import type { Registry } from 'prom-client'
import { createStreamSlots, type StreamSlots } from '../access/limits/limits.ts'
import { changeRequestRoutes } from '../content/change-requests/routes.ts'
import { commentRoutes } from '../content/comments/routes.ts'
import { fileRoutes, fileUploadRoutes } from '../content/files/routes.ts'
import { fileLifecycleRoutes, moveFileRoutes } from '../content/lifecycle/file-routes.ts'
import { folderRoutes, lifecycleRoutes } from '../content/lifecycle/routes.ts'
import type { Rebuilder } from '../content/links/rebuilder.ts'
import { linkRoutes } from '../content/links/routes.ts'
import { metadataRoutes } from '../content/metadata/routes.ts'
import { metadataSearchRoutes } from '../content/metadata/search-routes.ts'
import type { InboxNews } from '../content/notifications/inbox-news.ts'
import { countOwnUnread } from '../content/notifications/notifications.ts'
import { notificationRoutes } from '../content/notifications/routes.ts'
import type { ServiceRuntime } from '../content/pages/ctx.ts'
import { maxJsonBytes, type PutRouteOptions } from '../content/pages/put-routes.ts'
import { representationRoutes } from '../content/pages/reading/representation-routes.ts'
import { pageRoutes } from '../content/pages/routes.ts'
import { pageTemplateRoutes } from '../content/pages/templates/routes.ts'
import type { PresenceHub } from '../content/presence/hub.ts'
import { presenceRoutes } from '../content/presence/routes.ts'
import { searchRoutes } from '../content/search/routes.ts'
import type { SearchDeps } from '../content/search/search.ts'
import { mergeRoutes } from '../content/spaces/merge/merge-routes.ts'
import { spaceRoutes } from '../content/spaces/routes.ts'
import { spaceTemplateRoutes } from '../content/templates/space-template-routes.ts'
import { createImportDeps, type ImportDeps } from '../content/templates/transfer/import-limit.ts'
import { transferRoutes } from '../content/templates/transfer/transfer-routes.ts'
import type { Feed } from '../events/feed/feed.ts'
import { createHeartbeats, HEARTBEAT_MS } from '../events/feed/heartbeats.ts'
import type { FeedReaders } from '../events/feed/readers.ts'
import { changeRoutes } from '../events/feed/routes.ts'
import { jobRoutes } from '../events/jobs/routes.ts'
import type { Jobs } from '../events/jobs/runner.ts'
import { webhookOperations } from '../events/webhooks/openapi.ts'
import { webhookRoutes } from '../events/webhooks/routes.ts'
import type { Webhooks } from '../events/webhooks/start.ts'
import { connectionRoutes } from '../identity/oauth/connection-routes.ts'
import { oauthRoutes } from '../identity/oauth/routes.ts'
import type { AuthorizationServer } from '../identity/oauth/start.ts'
import type { ForgottenPasswords } from '../identity/people/forgotten.ts'
import { invitationRoutes } from '../identity/people/invitation-routes.ts'
import { tellOwnersBy } from '../identity/people/key-mail.ts'
import type { Mailer } from '../identity/people/mail.ts'
import { createPasskeySignIn } from '../identity/people/passkeys/sign-in.ts'
import { Passwords } from '../identity/people/passwords.ts'
import { peopleRoutes } from '../identity/people/routes.ts'
import { Authenticator } from '../identity/principals/authenticate.ts'
import type { FailedAuthentications } from '../identity/principals/failed-authentications.ts'
import { accessRoutes } from '../identity/principals/routes.ts'
import { scimAdminRoutes } from '../identity/scim/admin-routes.ts'
import { scimRoutes } from '../identity/scim/routes.ts'
import { llmsRoutes } from '../interfaces/mcp/llms-routes.ts'
import { mcpRoutes } from '../interfaces/mcp/routes.ts'
import { createSubscriptionLookup } from '../interfaces/mcp/subscription-lookup.ts'
import { findRoutes } from '../interfaces/web/find/routes.ts'
import { unsubscribeRoutes } from '../interfaces/web/inbox/unsubscribe-routes.ts'
import { acceptRoutes } from '../interfaces/web/people/accept-routes.ts'
import { forgotRoutes } from '../interfaces/web/people/forgot-routes.ts'
import { oneTimeLinkRoutes } from '../interfaces/web/people/link-routes.ts'
import type { CachedDocuments } from '../interfaces/web/reading/page-documents.ts'
import { webRoutes } from '../interfaces/web/routes.ts'
import { shareReaderRoutes } from '../interfaces/web/shares/reader-routes.ts'
import { oidcRoutes } from '../interfaces/web/sign-in/oidc-routes.ts'
import { passkeySignInRoutes } from '../interfaces/web/sign-in/passkey-routes.ts'
import { signInRoutes } from '../interfaces/web/sign-in/sign-in-routes.ts'
import type { Topics } from '../platform/database/topics.ts'
import type { Examples } from '../platform/http/openapi/examples.ts'
import { describeRoutes } from '../platform/http/openapi/openapi.ts'
import type { Server } from '../platform/http/server.ts'
import { serviceRoutes } from '../platform/http/service-routes.ts'
import { type OperatorOptions, operatorRoutes } from '../platform/http/telemetry/operator-routes.ts'
import workflows from './arazzo.json' with { type: 'json' }
import examples from './openapi-examples.json' with { type: 'json' }
import { NAMED_SCHEMAS } from './openapi-schemas.ts'
import { addRequestPipeline, type PipelineParts } from './request-pipeline.ts'

/** What the routes need besides the runtime. */
interface Parts extends Omit<PipelineParts, 'authenticator'> {
  readonly topics: Topics
  readonly registry: Registry
  readonly webhooks: Webhooks
  readonly rebuilder: Rebuilder
  readonly jobs: Jobs
  readonly failures: FailedAuthentications
  readonly feed: Feed
  readonly hub: PresenceHub
  readonly inboxNews: InboxNews
  readonly readers: FeedReaders
  readonly snippets: Pool
  readonly documents: CachedDocuments
  readonly operator: OperatorOptions
  readonly oauth: AuthorizationServer
  readonly mailer: Mailer | undefined
  readonly forgotten: ForgottenPasswords | undefined
}

/** Registers the hooks and routes of every feature, in order. Returns all routes, such as `GET /me`. */
export async function addRoutes(app: Server, runtime: ServiceRuntime, parts: Parts): Promise<readonly string[]> {
  const authenticator = new Authenticator({ ...runtime, failures: parts.failures })
  parts.topics.listen('credentials', () => authenticator.expireAll())
  const { methods, held } = addRequestPipeline(app, runtime, { ...parts, authenticator })
  await describeRoutes(app, version(), {
    schemas: NAMED_SCHEMAS,
    webhooks: webhookOperations(),
    examples: examples as Examples,
  })
  const search = { snippets: parts.snippets, unindexed: runtime.pages.unindexed }
  const imports = createImportDeps(runtime.config.data)
  const { maxStreamsPerKey: perKey, maxStreams: total } = runtime.config
  const slots = createStreamSlots({ perKey, total })
  registerSampled(parts.registry, [
    {
      name: 'recto_held',
      help:
        'What open requests hold of the limits and locks of this node, and how many wait for their turn: ' +
        'all are 0 when no request is open.',
      label: 'resource',
      sample: () => ({
        ...held(),
        streams: slots.held,
        rights_watches: parts.watch.size,
        feed_followers: parts.feed.followers,
        page_locks: runtime.pages.writers.size,
        imports: imports.running,
      }),
    },
  ])
  await addApi(app, runtime, { ...parts, search, imports, slots })
  await addScreens(app, runtime, { ...parts, search, imports, authenticator })
  return methods.routes()
}

async function addApi(
  app: Server,
  runtime: ServiceRuntime,
  parts: Parts & { readonly search: SearchDeps; readonly imports: ImportDeps; readonly slots: StreamSlots },
): Promise<void> {
  const { config } = runtime
  const origin = () => config.publicUrl
  const { maxBodyBytes } = config
  const { feed, readers, slots } = parts
  const streams = { feed, readers, slots }
  await app.register(operatorRoutes, parts.operator)
  await app.register(serviceRoutes, { origin, workflows })
  await addAccessApi(app, parts, origin)
  await addPagesApi(app, { maxBodyBytes, jobs: parts.jobs, documents: parts.documents })
  await app.register(changeRoutes, streams)
  await app.register(presenceRoutes, {
    ...streams,
    hub: parts.hub,
    inbox: { news: parts.inboxNews, count: countOwnUnread },
    watch: parts.watch,
  })
  await app.register(linkRoutes, { rebuilder: parts.rebuilder })
  await app.register(metadataRoutes)
  await app.register(pageTemplateRoutes)
  await app.register(spaceTemplateRoutes)
  await app.register(transferRoutes, { ...parts.imports, jobs: parts.jobs })
  await app.register(jobRoutes)
  await app.register(webhookRoutes, parts.webhooks.deps)
  await app.register(metadataSearchRoutes)
  await app.register(searchRoutes, parts.search)
  await app.register(mcpRoutes, {
    ...streams,
    search: parts.search,
    jobs: parts.jobs,
    subscriptions: createSubscriptionLookup(runtime.db),
    heartbeats: createHeartbeats(HEARTBEAT_MS),
    version: version(),
    maxRequestBytes: maxJsonBytes(config),
    origin,
  })
  await app.register(llmsRoutes, { origin })
}

/** Spaces, people and other principals, and how they are authenticated. */
async function addAccessApi(app: Server, parts: Parts, origin: () => string): Promise<void> {
  await app.register(accessRoutes, { tellOwner: tellOwnersBy(parts.mailer) })
  await app.register(spaceRoutes)
  await app.register(peopleRoutes)
  await app.register(mergeRoutes, { mailer: parts.mailer })
  await app.register(invitationRoutes, { mailer: parts.mailer })
  await app.register(scimAdminRoutes)
  await app.register(scimRoutes)
  await app.register(connectionRoutes)
  await app.register(oauthRoutes, { server: parts.oauth, origin })
}

interface PagesApiDeps extends PutRouteOptions {
  readonly jobs: Jobs
  readonly documents: CachedDocuments
}

/** Pages, files and folders. */
async function addPagesApi(app: Server, deps: PagesApiDeps): Promise<void> {
  await app.register(pageRoutes, deps)
  await app.register(representationRoutes, { documents: deps.documents })
  await app.register(lifecycleRoutes, deps)
  await app.register(fileUploadRoutes)
  await app.register(fileLifecycleRoutes)
  await app.register(fileRoutes)
  await app.register(folderRoutes, deps)
  await app.register(moveFileRoutes)
  await app.register(changeRequestRoutes)
  await app.register(commentRoutes)
  await app.register(notificationRoutes)
}

async function addScreens(
  app: Server,
  runtime: ServiceRuntime,
  parts: Parts & { readonly search: SearchDeps; readonly imports: ImportDeps; readonly authenticator: Authenticator },
): Promise<void> {
  await app.register(findRoutes, parts.search)
  const passwords = new Passwords({ db: runtime.db, failures: parts.failures })
  const passkeys = createPasskeySignIn({ ...runtime, failures: parts.failures })
  await app.register(webRoutes, {
    db: runtime.db,
    authenticator: parts.authenticator,
    passwords,
    passkeys,
    mailer: parts.mailer,
    rebuilder: parts.rebuilder,
    webhooks: parts.webhooks.deps,
    oauth: parts.oauth,
    maxBodyBytes: runtime.config.maxBodyBytes,
    publicIndexing: runtime.config.publicIndexing,
    imports: parts.imports,
    origin: () => runtime.config.publicUrl,
    jobs: parts.jobs,
  })
  const oidc = runtime.config.oidc && (await loadOidc()).createOidc(runtime.config.oidc, runtime.log)
  const provider = oidc && new URL(oidc.config.issuer).host
  const { authenticator, forgotten } = parts
  const signIn = { runtime, authenticator, provider, passwords, forgotten }
  await app.register(signInRoutes, signIn)
  await app.register(passkeySignInRoutes, { ...signIn, passkeys })
  await app.register(oneTimeLinkRoutes, signIn)
  await app.register(acceptRoutes, signIn)
  await app.register(async (scope) => shareReaderRoutes(scope as Server, { runtime }))
  await app.register(async (scope) => unsubscribeRoutes(scope as Server, { runtime }))
  await app.register(forgotRoutes, signIn)
  if (oidc) await app.register(oidcRoutes, { ...signIn, oidc, mailer: parts.mailer })
}

/** Loaded only when OpenID Connect is configured, since the library takes memory. */
function loadOidc() {
  return import('../identity/sessions/oidc.ts')
}
