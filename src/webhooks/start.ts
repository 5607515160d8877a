import type { Log } from '../access/ctx.ts'
import type { Config } from '../config.ts'
import type { Db } from '../database/database.ts'
import { type Notices, startNotices } from '../database/notices.ts'
import type { Presence } from '../database/presence.ts'
import type { DatabaseServer } from '../database/server.ts'
import { createPublicCheck, createResolver } from '../outbound/address-guard.ts'
import type { Transport } from '../outbound/attempt.ts'
import type { SendingDeps } from './deliveries.ts'
import type { QueueLimits } from './delivery-queues.ts'
import { createDeliverySender } from './delivery-sender.ts'
import { createOutcomeWriter } from './outcomes.ts'
import { createSecretBox } from './secret.ts'
import { countForeignSecrets } from './store.ts'
import type { Finished } from './store-queue.ts'
import { startSweep } from './sweep.ts'
import { startTakeover } from './takeover.ts'
import type { WebhookDeps } from './webhook.ts'
import { startDeliveryWorker } from './worker.ts'

/** Everything that sends webhooks. Disposing it ends the attempts that run, then stops. */
export interface Webhooks extends AsyncDisposable {
  readonly means: WebhookDeps & SendingDeps
  /** Says that deliveries were written: to this node at once, to the others soon. */
  wake(): void
}

export interface WebhookOptions {
  readonly db: Db
  readonly config: Config
  readonly log: Log
  readonly version: string
  /** Is told of each attempt, before its outcome is written. */
  readonly onAttempt: (finished: Finished) => void
  readonly secretKey: Buffer
  readonly presence: Presence
  /** The database that other nodes may use as well; absent: there are none. */
  readonly shared: DatabaseServer | undefined
}

/** What tests set otherwise; nothing of it can be configured. */
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
  readyTotal: 100,
  readyPerWebhook: 45,
}
const MAX_FAILING_SECONDS = 5 * 24 * 3600

/** Starts the sending of webhooks, which goes on until it is disposed. */
export async function startWebhooks(
  options: WebhookOptions,
  internals: WebhookInternals = {},
): Promise<Webhooks> {
  const { db, config, log, presence } = options
  warnOfOpenings(config, log)
  const secrets = createSecretBox(options.secretKey)
  await warnOfForeignSecrets(db, secrets.keyId, log)
  const reach = {
    allowHttp: config.webhooksAllowHttp,
    allowPrivate: config.webhooksAllowPrivateUrls,
    isPublic: internals.isPublic ?? createPublicCheck(),
  }
  const transport: Transport = {
    reach,
    resolve: createResolver(),
    timeoutMs: ATTEMPT_MS,
    userAgent: `Recto-Webhooks/${options.version}`,
    ...internals.transport,
  }
  const schedule = internals.schedule ?? config.webhooksRetrySchedule
  const courier = createDeliverySender({ transport, secrets, schedule, onAttempt: options.onAttempt })
  const outcomes = createOutcomeWriter(db, log, internals.maxFailingSeconds ?? MAX_FAILING_SECONDS)
  const leaseMs = internals.leaseMs ?? LEASE_MS
  const worker = startDeliveryWorker({
    db,
    log,
    courier,
    outcomes,
    keyId: secrets.keyId,
    presence,
    limits: { ...LIMITS, ...internals.limits },
    pollMs: internals.pollMs ?? 1_000,
    leaseMs,
    // Half of what is left beside one attempt is room for a clock that runs at another pace.
    startWithinMs: (leaseMs - transport.timeoutMs) / 2,
    drainMs: internals.drainMs ?? 5_000,
  })
  const sweep = startSweep({ db, log })
  const takeover = startTakeover({ db, log, onReleased: worker.wake })
  const notices = options.shared === undefined ? undefined : listen(options.shared, worker.wake, log)
  return {
    means: { secrets, reach, courier, outcomes, leaseMs, presence },
    wake() {
      worker.wake()
      notices?.send()
    },
    async [Symbol.asyncDispose]() {
      await notices?.[Symbol.asyncDispose]()
      await takeover[Symbol.asyncDispose]()
      await sweep[Symbol.asyncDispose]()
      await worker[Symbol.asyncDispose]()
    },
  }
}

function listen(server: DatabaseServer, onNotice: () => void, log: Log): Notices {
  return startNotices({
    server,
    channel: 'recto_deliveries',
    onNotice,
    onLost: (error) => log.warn({ err: error }, 'no notices of other nodes: deliveries wait for the poll'),
  })
}

function warnOfOpenings(config: Config, log: Log): void {
  if (config.webhooksAllowHttp) {
    log.warn('SVC_WEBHOOKS_ALLOW_HTTP=1: webhooks may use plain http, which encrypts nothing')
  }
  if (config.webhooksAllowPrivateUrls) {
    log.warn(
      'SVC_WEBHOOKS_ALLOW_PRIVATE_URLS=1: the address guard of webhooks is off; admins can make this service send to any address it reaches',
    )
  }
}

async function warnOfForeignSecrets(db: Db, keyId: string, log: Log): Promise<void> {
  const count = await countForeignSecrets(db, keyId)
  if (count === 0) return
  log.error(
    { count },
    'the secrets of some webhooks were sealed with another key: this node cannot send to them. Set SVC_SECRET_KEY to that key, or rotate their secrets',
  )
}
