import { sql } from 'kysely'
import { type Db, queryRow, queryRows, type WriteDb } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { StoredAttempt } from '../../platform/outbound/attempt-record.ts'
import type { Delivery, DeliveryStatus } from './schema.ts'
import type { ClaimedRow } from './store-queue.ts'

export interface DeliveryRow extends RowFor<Omit<Delivery, 'attempts' | 'payload'>> {
  readonly space_id: number
  readonly attempts: readonly StoredAttempt[]
  readonly body: string
}

/** `next_attempt_at` is null while an attempt is in progress. */
const columns = sql`space_id, id, event, status, attempts, body, created_at, completed_at,
  case when status = 'pending' and claim % 2 = 0 then due_at end as next_attempt_at`

/** The deliveries of a webhook, newest first. */
export async function listDeliveries(
  db: Db,
  webhookId: string,
  window: {
    readonly status: DeliveryStatus | undefined
    readonly event: string | undefined
    readonly after: string | undefined
    readonly limit: number
  },
): Promise<DeliveryRow[]> {
  const { status, event, after } = window
  return queryRows<DeliveryRow>(db)`
    select ${columns} from webhook_delivery
    where webhook_id = ${webhookId}::uuid
      ${status === undefined ? sql`` : sql`and status = ${sql.lit(status)}`}
      ${event === undefined ? sql`` : sql`and event = ${event}`}
      ${after === undefined ? sql`` : sql`and id < ${after}::uuid`}
    order by id desc limit ${window.limit}`
}

export async function findDelivery(db: Db, webhookId: string, id: string): Promise<DeliveryRow | undefined> {
  return queryRow<DeliveryRow>(db)`
    select ${columns}
    from webhook_delivery where webhook_id = ${webhookId}::uuid and id = ${id}::uuid`
}

export interface NewDelivery {
  /** ORGANISATION: not of a space. */
  readonly spaceId: number
  readonly webhookId: string
  readonly id: string
  readonly event: string
  readonly body: string
}

/** Inserts a delivery that is due now. */
export async function insertDelivery(db: WriteDb, delivery: NewDelivery): Promise<void> {
  await insert(db, delivery, { claim: 0, leaseSeconds: 0, node: undefined })
}

/** Inserts a delivery that is claimed by this node; undefined if the webhook was deleted. */
export async function insertClaimed(
  db: WriteDb,
  delivery: NewDelivery,
  lease: { readonly leaseSeconds: number; readonly node: number | undefined },
): Promise<ClaimedRow | undefined> {
  await insert(db, delivery, { ...lease, claim: 1 })
  return queryRow<ClaimedRow>(db)`
    select delivery.webhook_id, delivery.id, delivery.claim, delivery.event, delivery.body, 0 as attempts, webhook.url,
      webhook.format, false as failing, webhook.secret,
      case when webhook.previous_until > now() then webhook.previous_secret end as previous_secret
    from webhook_delivery as delivery join webhook on webhook.id = delivery.webhook_id
    where delivery.webhook_id = ${delivery.webhookId}::uuid
      and delivery.id = ${delivery.id}::uuid`
}

async function insert(
  db: WriteDb,
  delivery: NewDelivery,
  lease: { readonly claim: number; readonly leaseSeconds: number; readonly node: number | undefined },
): Promise<void> {
  await sql`
    insert into webhook_delivery (space_id, webhook_id, id, event, body, claim, claimed_by, due_at, created_at)
    values (${delivery.spaceId}, ${delivery.webhookId}, ${delivery.id}, ${delivery.event}, ${delivery.body},
      ${lease.claim},
      ${lease.node ?? null}::int, now() + make_interval(secs => ${lease.leaseSeconds}::float8), now())
    on conflict do nothing`.execute(db)
}
