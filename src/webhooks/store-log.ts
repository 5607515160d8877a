import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { WriteDb } from '../database/transaction.ts'
import type { DeliveryStatus } from './schedule.ts'
import type { ClaimedRow, LoggedAttempt } from './store-queue.ts'

export interface DeliveryRow {
  readonly space_id: number
  readonly id: string
  readonly event: string
  readonly status: DeliveryStatus
  readonly attempts: LoggedAttempt[]
  readonly body: string
  /** When the next attempt may begin; null while one is under way. */
  readonly next_attempt_at: Date | null
  readonly created_at: Date
  readonly completed_at: Date | null
}

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
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from webhook_delivery
    where webhook_id = ${webhookId}::uuid
      ${status === undefined ? sql`` : sql`and status = ${sql.lit(status)}`}
      ${event === undefined ? sql`` : sql`and event = ${event}`}
      ${after === undefined ? sql`` : sql`and id < ${after}::uuid`}
    order by id desc limit ${window.limit}`.execute(db)
  return rows
}

export async function findDelivery(db: Db, webhookId: string, id: string): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from webhook_delivery where webhook_id = ${webhookId}::uuid and id = ${id}::uuid`.execute(
    db,
  )
  return rows[0]
}

export interface NewDelivery {
  /** 0: of no space. */
  readonly spaceId: number
  readonly webhookId: string
  readonly id: string
  readonly event: string
  readonly body: string
}

/** Writes a delivery that is due at once. */
export async function insertDelivery(db: WriteDb, delivery: NewDelivery): Promise<void> {
  await insert(db, delivery, { claim: 0, leaseSeconds: 0, node: undefined })
}

/** Writes a delivery that this node has claimed already; undefined when the webhook is gone. */
export async function insertClaimed(
  db: WriteDb,
  delivery: NewDelivery,
  hold: { readonly leaseSeconds: number; readonly node: number | undefined },
): Promise<ClaimedRow | undefined> {
  await insert(db, delivery, { ...hold, claim: 1 })
  const { rows } = await sql<ClaimedRow>`
    select d.webhook_id, d.id, d.claim, d.event, d.body, 0 as attempts, w.url, false as failing, w.secret,
      case when w.previous_until > now() then w.previous_secret end as previous_secret
    from webhook_delivery d join webhook w on w.id = d.webhook_id
    where d.webhook_id = ${delivery.webhookId}::uuid and d.id = ${delivery.id}::uuid`.execute(db)
  return rows[0]
}

async function insert(
  db: WriteDb,
  delivery: NewDelivery,
  hold: { readonly claim: number; readonly leaseSeconds: number; readonly node: number | undefined },
): Promise<void> {
  await sql`
    insert into webhook_delivery (space_id, webhook_id, id, event, body, claim, claimed_by, due_at, created_at)
    values (${delivery.spaceId}, ${delivery.webhookId}, ${delivery.id}, ${delivery.event}, ${delivery.body}, ${hold.claim},
      ${hold.node ?? null}::int, now() + make_interval(secs => ${hold.leaseSeconds}::float8), now())
    on conflict do nothing`.execute(db)
}
