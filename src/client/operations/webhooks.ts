import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type {
  AnswerTo,
  Delivery,
  NewWebhook,
  QueryOf,
  TestResult,
  Webhook,
  WebhookChange,
  WebhookWithSecret,
} from '../types.ts'

/** Webhooks and their deliveries; for organisation admins. */
export interface WebhookMethods {
  list(options?: ListCall): Listing<Webhook>
  /** The event kinds that a webhook can subscribe to, besides `*`. */
  eventKinds(call?: CallOptions): Promise<readonly string[]>
  get(id: string, call?: CallOptions): Promise<Webhook>
  /** Creates a webhook; only this response contains the secret. */
  create(webhook: NewWebhook, call?: CallOptions): Promise<WebhookWithSecret>
  update(id: string, change: WebhookChange, call?: CallOptions): Promise<Webhook>
  delete(id: string, call?: CallOptions): Promise<void>
  /** Replaces the secret; the old one stays valid for `graceSeconds` (default one day). */
  rotateSecret(
    id: string,
    options?: CallOptions & { readonly graceSeconds?: number | undefined },
  ): Promise<WebhookWithSecret>
  /** Sends a test delivery and returns its result. */
  test(id: string, call?: CallOptions): Promise<TestResult>
  readonly deliveries: {
    /** The deliveries of 30 days, newest first. */
    list(id: string, options?: ListCall & QueryOf<'/admin/webhooks/{id}/deliveries'>): Listing<Delivery>
    get(id: string, delivery: string, call?: CallOptions): Promise<Delivery>
    /** Sends the event of a delivery again, as a new delivery. */
    redeliver(id: string, delivery: string, call?: CallOptions): Promise<Delivery>
  }
}

const LIST = '/admin/webhooks'

/** The methods of webhooks. */
export function webhookMethods(connection: Connection): WebhookMethods {
  const api = jsonApi(connection)
  const secret = { notIdempotent: true }
  return {
    list: (options) => api.list(LIST, options),
    async eventKinds(call) {
      return (await api.get<AnswerTo<typeof LIST>>(`${LIST}?limit=1`, call)).eventKinds
    },
    get: (id, call) => api.get(route`/admin/webhooks/${id}`, call),
    create: (webhook, call) => api.post(LIST, webhook, call, secret),
    update: (id, change, call) => api.patch(route`/admin/webhooks/${id}`, change, call),
    delete: (id, call) => api.delete(route`/admin/webhooks/${id}`, call),
    rotateSecret: (id, { graceSeconds, ...call } = {}) =>
      api.post(route`/admin/webhooks/${id}/rotate-secret`, { graceSeconds }, call, secret),
    test: (id, call) => api.post(route`/admin/webhooks/${id}/test`, undefined, call),
    deliveries: {
      list: (id, options) => api.list(route`/admin/webhooks/${id}/deliveries`, options),
      get: (id, delivery, call) => api.get(route`/admin/webhooks/${id}/deliveries/${delivery}`, call),
      redeliver: (id, delivery, call) =>
        api.post(route`/admin/webhooks/${id}/deliveries/${delivery}/redeliver`, undefined, call),
    },
  }
}
