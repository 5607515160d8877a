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

const LIST = '/admin/webhooks'

/** Webhooks and their deliveries; for organisation admins. */
export function webhookMethods(connection: Connection) {
  const api = jsonApi(connection)
  const secret = { notIdempotent: true }
  return {
    list: (options?: ListCall): Listing<Webhook> => api.list(LIST, options),
    /** The event kinds that a webhook can subscribe to, besides `*`. */
    async eventKinds(call?: CallOptions): Promise<readonly string[]> {
      return (await api.get<AnswerTo<typeof LIST>>(`${LIST}?limit=1`, call)).eventKinds
    },
    get: (id: string, call?: CallOptions): Promise<Webhook> => api.get(route`/admin/webhooks/${id}`, call),
    /** Creates a webhook; only this response contains the secret. */
    create: (webhook: NewWebhook, call?: CallOptions): Promise<WebhookWithSecret> =>
      api.post(LIST, webhook, call, secret),
    update: (id: string, change: WebhookChange, call?: CallOptions): Promise<Webhook> =>
      api.patch(route`/admin/webhooks/${id}`, change, call),
    delete: (id: string, call?: CallOptions): Promise<void> => api.delete(route`/admin/webhooks/${id}`, call),
    /** Replaces the secret; the old one stays valid for `graceSeconds` (default one day). */
    rotateSecret: (
      id: string,
      { graceSeconds, ...call }: CallOptions & { readonly graceSeconds?: number | undefined } = {},
    ): Promise<WebhookWithSecret> =>
      api.post(route`/admin/webhooks/${id}/rotate-secret`, { graceSeconds }, call, secret),
    /** Sends a test delivery and returns its result. */
    test: (id: string, call?: CallOptions): Promise<TestResult> =>
      api.post(route`/admin/webhooks/${id}/test`, undefined, call),
    deliveries: {
      /** The deliveries of 30 days, newest first. */
      list: (
        id: string,
        options?: ListCall & QueryOf<'/admin/webhooks/{id}/deliveries'>,
      ): Listing<Delivery> => api.list(route`/admin/webhooks/${id}/deliveries`, options),
      get: (id: string, delivery: string, call?: CallOptions): Promise<Delivery> =>
        api.get(route`/admin/webhooks/${id}/deliveries/${delivery}`, call),
      /** Sends the event of a delivery again, as a new delivery. */
      redeliver: (id: string, delivery: string, call?: CallOptions): Promise<Delivery> =>
        api.post(route`/admin/webhooks/${id}/deliveries/${delivery}/redeliver`, undefined, call),
    },
  }
}
