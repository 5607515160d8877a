import type { Log } from '../../access/ctx.ts'
import type { Config } from '../../platform/config.ts'
import type { Presence } from '../../platform/database/availability/presence.ts'
import type { DatabaseServer } from '../../platform/database/connections/server.ts'
import type { Db } from '../../platform/database/database.ts'
import { Notices } from '../../platform/database/notices.ts'
import { startSweeper } from '../../platform/database/sweeper.ts'
import { createAgents } from '../../platform/outbound/agents.ts'
import type { Transport } from '../../platform/outbound/attempt.ts'
import { createPublicCheck, createResolver } from '../../platform/outbound/ssrf-filter.ts'
import type { SendingDeps } from './deliveries.ts'
import type { QueueLimits } from './delivery-queues.ts'
import { createDeliverySender } from './delivery-sender.ts'
import { OutcomeWriter } from './outcomes.ts'
import { createSecretBox } from './secret.ts'
import { countForeignSecrets } from './store.ts'
import type { FinishedAttempt } from './store-queue.ts'
import { deliverySweep } from './sweep.ts'
import { startTakeover } from './takeover.ts'
import type { WebhookDeps } from './webhook.ts'
import { DeliveryWorker } from './worker.ts'

/** The sending of webhooks. Disposing it waits for attempts in progress. */
export interface Webhooks extends AsyncDisposable {
  readonly deps: WebhookDeps & SendingDeps
  /** Notifies the workers of all nodes that deliveries were written. */
  wake(): void
}

export interface WebhookOptions {
  readonly db: Db
  readonly config: Config
  readonly log: Log
  readonly version: string
  /** Called for each attempt, before its outcome is written. */
  readonly onAttempt: (finishedAttempt: FinishedAttempt) => void
  readonly secretKey: Buffer
  readonly presence: Presence
  /** A database that other nodes may share; absent with the embedded one. */
  readonly shared: DatabaseServer | undefined
}

/** For tests only: not configurable. */
export interface WebhookInternals {
  readonly transport?: Partial<Transport>
  readonly isPublic?: (address: string) => boolean
  readonly limits?: Partial<QueueLimits>
  readonly pollMs?: number
  readonly leaseMs?: number
  readonly drainMs?: number
  readonly schedule?: readonly number[]
  readonly maxFailingSeconds?: number
}

const ATTEMPT_MS = 15_000
const LEASE_MS = 60_000
const LIMITS: QueueLimits = {
  total: 50,
  perWebhook: 5,
  failingTotal: 20,
  failingPerWebhook: 2,
  queuedTotal: 100,
  queuedPerWebhook: 45,
}
const MAX_FAILING_SECONDS = 5 * 24 * 3600

/** Starts the sending of webhooks. */
export function startWebhooks(options: WebhookOptions, internals: WebhookInternals = {}): Webhooks {
  const { db, config, log, presence } = options
  warnOfInsecureSettings(config, log)
  const secrets = createSecretBox(options.secretKey)
  void warnOfForeignSecrets(db, secrets.keyId, log)
  // Stopped in the reverse order.
  const running = new AsyncDisposableStack()
  const agents = running.use(createAgents())
  const transport = createTransport(options, internals, agents)
  const schedule = internals.schedule ?? config.webhooksRetrySchedule
  const sender = createDeliverySender({ transport, secrets, schedule, onAttempt: options.onAttempt })
  const outcomes = new OutcomeWriter(db, log, internals.maxFailingSeconds ?? MAX_FAILING_SECONDS)
  const leaseMs = internals.leaseMs ?? LEASE_MS
  const worker = running.use(
    new DeliveryWorker({
      db,
      log,
      sender,
      outcomes,
      keyId: secrets.keyId,
      presence,
      limits: { ...LIMITS, ...internals.limits },
      pollMs: internals.pollMs ?? 1_000,
      leaseMs,
      // Half of what an attempt leaves of the lease; the other half allows for clock drift and pauses.
      startWithinMs: (leaseMs - transport.timeoutMs) / 2,
      drainMs: internals.drainMs ?? 5_000,
    }),
  )
  running.use(startSweeper({ db, log }, deliverySweep))
  running.use(startTakeover({ db, log, onReleased: () => worker.wake() }))
  const notices = options.shared && running.use(listen(options.shared, () => worker.wake(), log))
  return {
    deps: { secrets, reach: transport.reach, sender, outcomes, leaseMs, presence },
    wake() {
      worker.wake()
      notices?.send()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function createTransport(
  { config, version }: WebhookOptions,
  internals: WebhookInternals,
  agents: Transport['agents'],
): Transport {
  return {
    reach: {
      allowHttp: config.webhooksAllowHttp,
      allowPrivate: config.webhooksAllowPrivateUrls,
      isPublic: internals.isPublic ?? createPublicCheck(),
    },
    resolve: createResolver(),
    agents,
    timeoutMs: ATTEMPT_MS,
    userAgent: `Recto-Webhooks/${version}`,
    ...internals.transport,
  }
}

function listen(server: DatabaseServer, onNotice: () => void, log: Log): Notices {
  return new Notices({
    server,
    channel: 'recto_deliveries',
    onNotice,
    onLost: (error) => log.warn({ err: error }, 'no notices from other nodes: deliveries wait for the poll'),
  })
}

function warnOfInsecureSettings(config: Config, log: Log): void {
  if (config.webhooksAllowHttp) log.warn('SVC_WEBHOOKS_ALLOW_HTTP=1: webhooks may use unencrypted HTTP')
  if (config.webhooksAllowPrivateUrls) {
    log.warn(
      'SVC_WEBHOOKS_ALLOW_PRIVATE_URLS=1: the SSRF filter of webhooks is off; ' +
        'admins can make this service send to any address it reaches',
    )
  }
}

async function warnOfForeignSecrets(db: Db, keyId: string, log: Log): Promise<void> {
  try {
    const count = await countForeignSecrets(db, keyId)
    if (count === 0) return
    log.error(
      { count },
      'the secrets of some webhooks were encrypted with another key: this node cannot send to them. ' +
        'Set SVC_SECRET_KEY to that key, or rotate their secrets',
    )
  } catch (err) {
    log.warn({ err }, 'the secrets of webhooks were not checked')
  }
}
