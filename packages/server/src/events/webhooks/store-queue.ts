import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { sql } from 'kysely'
import { ORGANISATION } from '../../identity/principals/audit.ts'
import { type WriteDb, write } from '../../platform/database/database.ts'
import { asynchronousCommit } from '../../platform/database/transaction.ts'
import type { AttemptRecord } from '../../platform/outbound/attempt-record.ts'
import type { WebhookFormat } from './chat-message.ts'
import type { QueueCapacity } from './delivery-queues.ts'
import type { DeliveryStatus } from './schema.ts'

/** A delivery that this node may attempt until its lease ends. */
export interface ClaimedRow {
  readonly webhook_id: string
  readonly id: string
  /** The fencing token: odd while claimed. */
  readonly claim: number
  readonly event: string
  readonly body: string
  /** The number of earlier attempts. */
  readonly attempts: number
  readonly url: string
  readonly format: WebhookFormat
  readonly failing: boolean
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
}

interface ClaimArgs {
  readonly busyIds: readonly string[]
  readonly busyCapacities: readonly number[]
  readonly busyFailingCapacities: readonly number[]
  readonly perWebhook: number
  readonly failingPerWebhook: number
  readonly total: number
  readonly failingTotal: number
  readonly keyId: string
  readonly leaseSeconds: number
  readonly node: number | undefined
}

/**
 * Leases due deliveries, oldest first, within the capacity of each webhook and the totals of failing and other
 * webhooks. `skip locked` lets the nodes compete without waiting for each other. The claim number counts up: odd while
 * claimed, and the fencing token of what the owner writes.
 *
 * Plan: for each webhook (nested loop) a range of the partial index webhook_delivery_due (webhook_id, due_at), so that
 * the cost does not depend on what is pending for others. test/webhooks/queue.stress.test.ts reads it.
 */
const claimDue = write(
  'claim_deliveries',
  (args: ClaimArgs) => sql<ClaimedRow>`
    with busy as (
      select * from unnest(${args.busyIds}::uuid[], ${args.busyCapacities}::int[], ${args.busyFailingCapacities}::int[])
        as busy (id, capacity, failing_capacity)
    ), ready as (
      select webhook.id, webhook.failing_since is not null as failing, oldest.due_at,
        case when webhook.failing_since is null then coalesce(busy.capacity, ${args.perWebhook}::int)
          else coalesce(busy.failing_capacity, ${args.failingPerWebhook}::int) end as capacity
      -- A claim that a crash of the database undoes only repeats an attempt.
      from ${asynchronousCommit} cross join webhook left join busy on busy.id = webhook.id
      cross join lateral (
        select delivery.due_at from webhook_delivery as delivery
        where delivery.webhook_id = webhook.id and delivery.status = 'pending' and delivery.due_at <= now()
        order by delivery.due_at limit 1
      ) as oldest
      where webhook.enabled and webhook.secret_key = ${args.keyId}
    ), due as (
      select delivery.webhook_id, delivery.id, ready.failing,
        row_number() over (partition by ready.failing order by ready.due_at, ready.id, delivery.due_at) as place
      from ready cross join lateral (
        select delivery.webhook_id, delivery.id, delivery.due_at from webhook_delivery as delivery
        where delivery.webhook_id = ready.id and delivery.status = 'pending' and delivery.due_at <= now()
        order by delivery.due_at limit ready.capacity for update skip locked
      ) as delivery
    ), picked as materialized (
      select webhook_id, id from due
      where place <= case when failing then ${args.failingTotal}::int else ${args.total}::int end
    )
    update webhook_delivery as delivery
    set claim = delivery.claim + 1 + delivery.claim % 2,
      due_at = now() + make_interval(secs => ${args.leaseSeconds}::float8), claimed_by = ${args.node ?? null}::int
    from picked join webhook on webhook.id = picked.webhook_id
    where delivery.webhook_id = picked.webhook_id and delivery.id = picked.id
    returning delivery.webhook_id, delivery.id, delivery.claim, delivery.event, delivery.body,
      jsonb_array_length(delivery.attempts) as attempts, webhook.url, webhook.format,
      webhook.failing_since is not null as failing,
      webhook.secret, case when webhook.previous_until > now() then webhook.previous_secret end as previous_secret`,
)

/** Claims as many due deliveries as the queues have capacity for. */
export async function claimDeliveries(
  db: WriteDb,
  capacity: QueueCapacity,
  options: { readonly keyId: string; readonly leaseSeconds: number; readonly node: number | undefined },
): Promise<ClaimedRow[]> {
  return claimDue.all(db, {
    ...capacity,
    busyIds: capacity.busy.map(({ id }) => id),
    busyCapacities: capacity.busy.map((webhook) => webhook.capacity),
    busyFailingCapacities: capacity.busy.map(({ failingCapacity }) => failingCapacity),
    ...options,
  })
}

/** An attempt that ended, and what follows for its delivery. */
export interface FinishedAttempt {
  readonly webhookId: string
  readonly id: string
  readonly claim: number
  readonly status: DeliveryStatus
  readonly delaySeconds: number | undefined
  readonly gone: boolean
  readonly attempt: AttemptRecord
}

interface DisabledRow {
  readonly id: string
  readonly disabled_reason: string
}

/**
 * Writes the outcomes of attempts whose claims are still valid, and updates their webhooks: `failing_since` is set or
 * cleared, and a webhook is disabled (and audited) if its receiver is gone or it only failed for `maxFailingSeconds`.
 * Idempotent: the claim number fences a repeated or late write. Returns the webhooks that it disabled.
 *
 * Plan: the primary keys of deliveries and webhooks, one lookup for each outcome.
 */
const writeOutcomes = write(
  'finish_deliveries',
  (args: { readonly rows: string; readonly maxFailingSeconds: number; readonly uuid: string }) => {
    const failedTooLong = sql`(not verdict.succeeded and coalesce(
      webhook.failing_since <= now() - make_interval(secs => ${args.maxFailingSeconds}::float8), false))`
    return sql<DisabledRow>`
    with finished as (
      select * from jsonb_to_recordset(${args.rows}::jsonb) as outcome ("webhookId" uuid, id uuid, claim int,
        status text,
        "delaySeconds" float8, gone boolean, attempt jsonb)
    ), written as (
      update webhook_delivery as delivery set status = finished.status, claim = delivery.claim + 1, claimed_by = null,
        attempts = delivery.attempts || finished.attempt,
        due_at = now() + make_interval(secs => coalesce(finished."delaySeconds", 0)),
        completed_at = case when finished.status <> 'pending' then now() end
      from finished
      where delivery.webhook_id = finished."webhookId" and delivery.id = finished.id
        and delivery.claim = finished.claim and delivery.status = 'pending'
      returning delivery.webhook_id, delivery.status, finished.gone, (finished.attempt ->> 'at')::timestamptz as at
    ), verdict as (
      select webhook_id, bool_or(status = 'succeeded') as succeeded, bool_or(gone) as gone, min(at) as at
      from written group by webhook_id
    ), changed as (
      update webhook set
        failing_since = case when not verdict.succeeded then coalesce(webhook.failing_since, verdict.at) end,
        enabled = webhook.enabled and not (verdict.gone or ${failedTooLong}),
        disabled_reason = case when not webhook.enabled then webhook.disabled_reason when verdict.gone then 'gone'
          when ${failedTooLong} then 'failing' end,
        updated_at = case when webhook.enabled
          and (verdict.gone or ${failedTooLong}) then now() else webhook.updated_at end
      from verdict
      where webhook.id = verdict.webhook_id and (webhook.enabled and (verdict.gone or ${failedTooLong})
        or (webhook.failing_since is null) <> verdict.succeeded)
      returning webhook.id, webhook.url, webhook.created_by,
        case when verdict.gone or ${failedTooLong} then webhook.disabled_reason end as disabled_reason
    ), disabled as (
      select * from changed where disabled_reason is not null
    ), audited as (
      -- An action of the service itself: it has no IP address, and its actor is the creator of the webhook.
      insert into audit_entry (space_id, id, at, action, actor_id, target_type, target_id, target_name, details)
      select ${sql.lit(ORGANISATION)}, (left(${args.uuid}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid,
        now(), 'webhook.disabled', created_by,
        'webhook', id::text, substring(url from '^[a-z]+://([^/?#]*)'),
        jsonb_build_object('reason', disabled_reason, 'automatic', true)
      from disabled
    )
    select id, disabled_reason from disabled`
  },
)

/** Writes the outcomes of attempts. */
export async function finishDeliveries(
  db: WriteDb,
  finishedAttempts: readonly FinishedAttempt[],
  maxFailingSeconds: number,
): Promise<DisabledRow[]> {
  return writeOutcomes.all(db, { rows: JSON.stringify(finishedAttempts), maxFailingSeconds, uuid: uuid7() })
}

/** Makes claims due that were not attempted. */
export async function releaseDeliveries(
  db: WriteDb,
  claims: readonly { readonly webhookId: string; readonly id: string; readonly claim: number }[],
): Promise<void> {
  await sql`
    update webhook_delivery as delivery set due_at = now(), claim = delivery.claim + 1, claimed_by = null
    from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as claimed ("webhookId" uuid, id uuid, claim int)
    where delivery.webhook_id = claimed."webhookId" and delivery.id = claimed.id and delivery.claim = claimed.claim
      and delivery.status = 'pending'`.execute(db)
}
