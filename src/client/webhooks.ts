import { jsonBody, read, requestJson } from './json.ts'
import { type ListCall, type Listing, listing } from './paging.ts'
import { type CallOptions, type Connection, send } from './request.ts'
import type {
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

/** The methods of webhooks. */
export function webhookMethods(connection: Connection): WebhookMethods {
  const LIST = '/admin/webhooks'
  const at = (id: string, suffix = '') => `${LIST}/${encodeURIComponent(id)}${suffix}`
  const delivery = (id: string, which: string, suffix = '') =>
    at(id, `/deliveries/${encodeURIComponent(which)}${suffix}`)
  return {
    listWebhooks: (options = {}) => listing(connection, LIST, { ...options }),

    async listEventKinds({ signal } = {}) {
      const target = `${LIST}?limit=1`
      const list = await requestJson<{ readonly eventKinds: readonly string[] }>(connection, {
        ...read,
        target,
        signal,
      })
      return list.eventKinds
    },

    getWebhook: (id, { signal } = {}) => requestJson(connection, { ...read, target: at(id), signal }),

    createWebhook: (webhook, { signal } = {}) =>
      requestJson(connection, {
        method: 'POST',
        target: LIST,
        ...jsonBody(webhook),
        notIdempotent: true,
        signal,
      }),

    updateWebhook: (id, change, { signal } = {}) =>
      requestJson(connection, { method: 'PATCH', target: at(id), ...jsonBody(change), signal }),

    async deleteWebhook(id, { signal } = {}) {
      await send(connection, { method: 'DELETE', target: at(id), signal })
    },

    rotateWebhookSecret: (id, { graceSeconds, signal } = {}) =>
      requestJson(connection, {
        method: 'POST',
        target: at(id, '/rotate-secret'),
        ...jsonBody(graceSeconds === undefined ? {} : { graceSeconds }),
        notIdempotent: true,
        signal,
      }),

    testWebhook: (id, { signal } = {}) =>
      requestJson(connection, { method: 'POST', target: at(id, '/test'), signal }),

    listDeliveries: (id, options = {}) => listing(connection, at(id, '/deliveries'), { ...options }),

    getDelivery: (id, which, { signal } = {}) =>
      requestJson(connection, { ...read, target: delivery(id, which), signal }),

    redeliver: (id, which, { signal } = {}) =>
      requestJson(connection, { method: 'POST', target: delivery(id, which, '/redeliver'), signal }),
  }
}
