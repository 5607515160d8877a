import { route } from './address.ts'
import { jsonApi } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import type { CallOptions, Connection } from './request.ts'
import type {
  AnswerTo,
  Delivery,
  NewWebhook,
  QueryOf,
  TestResult,
  Webhook,
  WebhookChange,
  WebhookWithSecret,
} from './types.ts'

/** Webhooks and their deliveries; for organisation admins. */
export interface WebhookMethods {
  listWebhooks(options?: ListCall): Listing<Webhook>
  /** The event kinds that a webhook can subscribe to, besides `*`. */
  listEventKinds(call?: CallOptions): Promise<readonly string[]>
  getWebhook(id: string, call?: CallOptions): Promise<Webhook>
  /** Creates a webhook; only this response contains the secret. */
  createWebhook(webhook: NewWebhook, call?: CallOptions): Promise<WebhookWithSecret>
  updateWebhook(id: string, change: WebhookChange, call?: CallOptions): Promise<Webhook>
  deleteWebhook(id: string, call?: CallOptions): Promise<void>
  /** Replaces the secret; the old one stays valid for `graceSeconds` (default one day). */
  rotateWebhookSecret(
    id: string,
    options?: CallOptions & { readonly graceSeconds?: number | undefined },
  ): Promise<WebhookWithSecret>
  /** Sends a test delivery and returns its result. */
  testWebhook(id: string, call?: CallOptions): Promise<TestResult>
  /** The deliveries of 30 days, newest first. */
  listDeliveries(
    id: string,
    options?: ListCall & QueryOf<'/admin/webhooks/{id}/deliveries'>,
  ): Listing<Delivery>
  getDelivery(id: string, delivery: string, call?: CallOptions): Promise<Delivery>
  /** Sends the event of a delivery again, as a new delivery. */
  redeliver(id: string, delivery: string, call?: CallOptions): Promise<Delivery>
}

const LIST = '/admin/webhooks'

/** The methods of webhooks. */
export function webhookMethods(connection: Connection): WebhookMethods {
  const api = jsonApi(connection)
  const secret = { notIdempotent: true }
  return {
    listWebhooks: (options) => api.list(LIST, options),
    async listEventKinds(call) {
      return (await api.get<AnswerTo<typeof LIST>>(`${LIST}?limit=1`, call)).eventKinds
    },
    getWebhook: (id, call) => api.get(route`/admin/webhooks/${id}`, call),
    createWebhook: (webhook, call) => api.post(LIST, webhook, call, secret),
    updateWebhook: (id, change, call) => api.patch(route`/admin/webhooks/${id}`, change, call),
    deleteWebhook: (id, call) => api.delete(route`/admin/webhooks/${id}`, call),
    rotateWebhookSecret: (id, { graceSeconds, signal } = {}) =>
      api.post(route`/admin/webhooks/${id}/rotate-secret`, { graceSeconds }, { signal }, secret),
    testWebhook: (id, call) => api.post(route`/admin/webhooks/${id}/test`, undefined, call),
    listDeliveries: (id, options) => api.list(route`/admin/webhooks/${id}/deliveries`, options),
    getDelivery: (id, delivery, call) => api.get(route`/admin/webhooks/${id}/deliveries/${delivery}`, call),
    redeliver: (id, delivery, call) =>
      api.post(route`/admin/webhooks/${id}/deliveries/${delivery}/redeliver`, undefined, call),
  }
}
