import { AppError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Ctx } from '../../access/ctx.ts'
import { ORGANISATION } from '../../identity/principals/audit.ts'
import type { Presence } from '../../platform/database/availability/presence.ts'
import { autocommit } from '../../platform/database/database.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { toAttemptRecord } from '../../platform/outbound/attempt-record.ts'
import { actorMember, bodyHead } from '../feed/body.ts'
import type { EventsCtx } from '../feed/ctx.ts'
import type { DeliverySender } from './delivery-sender.ts'
import type { OutcomeWriter } from './outcomes.ts'
import type { Delivery, DeliveryStatus } from './schema.ts'
import type { SecretBox } from './secret.ts'
import { countForeignSecrets } from './store.ts'
import * as store from './store-log.ts'
import { readWebhook } from './webhook.ts'

/** The dependencies of sending in the request, besides the context. */
export interface SendingDeps {
  readonly secrets: SecretBox
  readonly sender: DeliverySender
  readonly outcomes: OutcomeWriter
  readonly leaseMs: number
  readonly presence: Presence
}

export interface DeliveryQuery extends PageQuery {
  readonly status?: DeliveryStatus
  readonly event?: string
}

/** Lists the deliveries of a webhook, newest first, optionally of one status or event kind. */
export async function listDeliveries(ctx: Ctx, webhookId: string, query: DeliveryQuery): Promise<List<Delivery>> {
  const { id } = await readWebhook(ctx, webhookId)
  const { status, event } = query
  const window = parseWindow(ctx, `deliveries of ${id}/${status ?? ''}/${event ?? ''}`, query, ['id'])
  const rows = await store.listDeliveries(ctx.db, id, {
    status,
    event,
    after: window.after?.[0] as string | undefined, // the shape was checked
    limit: window.limit + 1,
  })
  return buildPage(window, rows, ['id'], toDelivery)
}

export async function readDelivery(ctx: Ctx, webhookId: string, id: string): Promise<Delivery> {
  return toDelivery(await requireDelivery(ctx, webhookId, id))
}

/** Sends the event of a delivery again, as a new delivery with all retries. */
export async function redeliver(ctx: EventsCtx, webhookId: string, id: string): Promise<Delivery> {
  const { space_id: spaceId, event, body } = await requireDelivery(ctx, webhookId, id)
  const payload: { readonly webhookId: string } = JSON.parse(body) // written by this service
  const newId = uuid7()
  await inTransaction(ctx, (tx) =>
    store.insertDelivery(tx.db, {
      spaceId,
      webhookId: payload.webhookId,
      id: newId,
      event,
      body: JSON.stringify({ ...payload, deliveryId: newId }),
    }),
  )
  ctx.events.wakeDeliveries()
  return readDelivery(ctx, webhookId, newId)
}

/** Sends `webhook.test` in one attempt and returns the outcome, also for a disabled webhook. */
export async function testWebhook(ctx: Ctx, deps: SendingDeps, webhookId: string) {
  const webhook = await readWebhook(ctx, webhookId)
  if ((await countForeignSecrets(ctx.db, deps.secrets.keyId, webhook.id)) > 0) {
    const detail =
      'The secret of this webhook was encrypted with another key: this node cannot send to it. ' +
      'Set SVC_SECRET_KEY to that key, or rotate the secret.'
    throw new AppError('webhook_secret_lost', detail)
  }
  const event = 'webhook.test'
  const id = uuid7()
  const head = bodyHead(uuid7(), event, ctx.now())
  const body = `${head}${webhook.id}","deliveryId":"${id}",${actorMember(ctx.actor)}}`
  const delivery = { spaceId: ORGANISATION, webhookId: webhook.id, id, event, body }
  const claimedRow = await store.insertClaimed(autocommit(ctx.db), delivery, {
    leaseSeconds: deps.leaseMs / 1000,
    node: deps.presence.node,
  })
  const sentResult = claimedRow && (await deps.sender.send(claimedRow))
  if (sentResult) await deps.outcomes.add(sentResult.finished)
  return {
    delivered: sentResult?.outcome.status === 'succeeded',
    delivery: toDelivery(await requireDelivery(ctx, webhookId, id)),
  }
}

async function requireDelivery(ctx: Ctx, webhookId: string, id: string): Promise<store.DeliveryRow> {
  const webhook = await readWebhook(ctx, webhookId)
  const row = isUuid(id) ? await store.findDelivery(ctx.db, webhook.id, id) : undefined
  if (!row) throw new AppError('not_found', `This webhook has no delivery \`${id.slice(0, 64)}\`.`)
  return row
}

function toDelivery({ space_id: _, body, attempts, ...row }: store.DeliveryRow): Delivery {
  return { ...toItem(row), attempts: attempts.map(toAttemptRecord), payload: JSON.parse(body) }
}
