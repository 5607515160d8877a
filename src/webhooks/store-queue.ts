import { sql } from 'kysely'
import { ORGANISATION } from '../access/audit.ts'
import { write } from '../database/statement.ts'
import type { WriteDb } from '../database/transaction.ts'
import { uuid7 } from '../lib/uuid7.ts'
import type { QueueCapacity } from './delivery-queues.ts'
import type { DeliveryStatus } from './schedule.ts'

/** A delivery that this node may attempt until its lease is over. */
export interface ClaimedRow {
  readonly webhook_id: string
  readonly id: string
  readonly claim: number
  readonly event: string
  readonly body: string
  /** Attempts that were made before. */
  readonly attempts: number
  readonly url: string
  readonly failing: boolean
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
}

interface ClaimArgs {
  readonly busyIds: readonly string[]
  readonly busyRooms: readonly number[]
  readonly busyFailingRooms: readonly number[]
  readonly room: number
  readonly failingRoom: number
  readonly total: number
  readonly failingTotal: number
  readonly keyId: string
  readonly leaseSeconds: number
  readonly node: number | undefined
}

/**
 * Takes due deliveries, whose claim is an odd number until the attempt is over: of each webhook at most its room, of failing ones and of the others at most their totals, those
 * that wait longest first. Each webhook is a range of the index of its own, so that it does not matter how much is
 * pending for another one. Nodes that ask at the same time skip what the other one takes.
 */
const claimDue = write(
  'claim_deliveries',
  (a: ClaimArgs) => sql<ClaimedRow>`
    with unhurried as materialized (
      -- A claim that a crash of the database takes back is one more attempt: its commit need not wait for the disk.
      select set_config('synchronous_commit', 'off', true)
    ), busy as (
      select * from unnest(${a.busyIds}::uuid[], ${a.busyRooms}::int[], ${a.busyFailingRooms}::int[])
        as b (id, room, failing_room)
    ), waiting as (
      select w.id, w.failing_since is not null as failing, first.due_at,
        case when w.failing_since is null then coalesce(b.room, ${a.room}::int)
          else coalesce(b.failing_room, ${a.failingRoom}::int) end as room
      from unhurried cross join webhook w left join busy b on b.id = w.id
      cross join lateral (
        select d.due_at from webhook_delivery d
        where d.webhook_id = w.id and d.status = 'pending' and d.due_at <= now() order by d.due_at limit 1
      ) first
      where w.enabled and w.secret_key = ${a.keyId}
    ), due as (
      select d.webhook_id, d.id, waiting.failing,
        row_number() over (partition by waiting.failing order by waiting.due_at, waiting.id, d.due_at) as place
      from waiting cross join lateral (
        select d.webhook_id, d.id, d.due_at from webhook_delivery d
        where d.webhook_id = waiting.id and d.status = 'pending' and d.due_at <= now()
        order by d.due_at limit waiting.room for update skip locked
      ) d
    ), picked as materialized (
      select webhook_id, id from due
      where place <= case when failing then ${a.failingTotal}::int else ${a.total}::int end
    )
    update webhook_delivery d
    set claim = d.claim + 1 + d.claim % 2, due_at = now() + make_interval(secs => ${a.leaseSeconds}::float8),
      claimed_by = ${a.node ?? null}::int
    from picked join webhook w on w.id = picked.webhook_id
    where d.webhook_id = picked.webhook_id and d.id = picked.id
    returning d.webhook_id, d.id, d.claim, d.event, d.body, jsonb_array_length(d.attempts) as attempts, w.url,
      w.failing_since is not null as failing, w.secret,
      case when w.previous_until > now() then w.previous_secret end as previous_secret`,
)

/** Claims what the lanes have room for. */
export async function claimDeliveries(
  db: WriteDb,
  rooms: QueueCapacity,
  options: { readonly keyId: string; readonly leaseSeconds: number; readonly node: number | undefined },
): Promise<ClaimedRow[]> {
  return claimDue.all(db, {
    busyIds: rooms.busy.map(({ id }) => id),
    busyRooms: rooms.busy.map(({ room }) => room),
    busyFailingRooms: rooms.busy.map(({ failingRoom }) => failingRoom),
    room: rooms.room,
    failingRoom: rooms.failingRoom,
    total: rooms.total,
    failingTotal: rooms.failingTotal,
    ...options,
  })
}

/** An attempt as the log keeps it. */
export interface LoggedAttempt {
  readonly at: string
  readonly durationMs: number
  readonly responseStatus: number | null
  readonly error: string | null
  readonly responseBody: string | null
}

export interface Finished {
  readonly webhookId: string
  readonly id: string
  readonly claim: number
  readonly status: DeliveryStatus
  readonly delaySeconds: number | undefined
  readonly gone: boolean
  readonly attempt: LoggedAttempt
}

interface DisabledRow {
  readonly id: string
  readonly disabled_reason: string
}

/**
 * Writes the outcomes of attempts whose claims still hold, and what they mean for their webhooks: failures begin or
 * end, and a webhook is disabled when it is gone or had nothing but failures for `maxFailingSeconds`. To write them
 * twice changes nothing. That a webhook was disabled is written to the audit log. Returns the webhooks that this disabled.
 */
const writeOutcomes = write(
  'finish_deliveries',
  (a: { readonly rows: string; readonly maxFailingSeconds: number; readonly stamp: string }) => {
    const expired = sql`(not j.succeeded and coalesce(
      w.failing_since <= now() - make_interval(secs => ${a.maxFailingSeconds}::float8), false))`
    return sql<DisabledRow>`
    with finished as (
      select * from jsonb_to_recordset(${a.rows}::jsonb) as f ("webhookId" uuid, id uuid, claim int, status text,
        "delaySeconds" float8, gone boolean, attempt jsonb)
    ), written as (
      update webhook_delivery d set status = f.status, claim = d.claim + 1, claimed_by = null, attempts = d.attempts || f.attempt,
        due_at = now() + make_interval(secs => coalesce(f."delaySeconds", 0)),
        completed_at = case when f.status <> 'pending' then now() end
      from finished f
      where d.webhook_id = f."webhookId" and d.id = f.id and d.claim = f.claim and d.status = 'pending'
      returning d.webhook_id, d.status, f.gone, (f.attempt ->> 'at')::timestamptz as at
    ), judged as (
      select webhook_id, bool_or(status = 'succeeded') as succeeded, bool_or(gone) as gone, min(at) as at
      from written group by webhook_id
    ), changed as (
      update webhook w set
        failing_since = case when not j.succeeded then coalesce(w.failing_since, j.at) end,
        enabled = w.enabled and not (j.gone or ${expired}),
        disabled_reason = case when not w.enabled then w.disabled_reason when j.gone then 'gone'
          when ${expired} then 'failing' end,
        updated_at = case when w.enabled and (j.gone or ${expired}) then now() else w.updated_at end
      from judged j
      where w.id = j.webhook_id
        and (w.enabled and (j.gone or ${expired}) or (w.failing_since is null) <> j.succeeded)
      returning w.id, w.url, w.created_by, case when j.gone or ${expired} then w.disabled_reason end as disabled_reason
    ), disabled as (
      select * from changed where disabled_reason is not null
    ), audited as (
      -- An act of the service itself: it has no address, and stands under whoever made the webhook.
      insert into audit_entry (space_id, id, at, action, actor_id, target_type, target_id, target_name, details)
      select ${sql.lit(ORGANISATION)}, (left(${a.stamp}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, now(), 'webhook.disabled', created_by,
        'webhook', id::text, substring(url from '^[a-z]+://([^/?#]*)'),
        jsonb_build_object('reason', disabled_reason, 'automatic', true)
      from disabled
    )
    select id, disabled_reason from disabled`
  },
)

/** Writes what came of attempts. */
export async function finishDeliveries(
  db: WriteDb,
  finished: readonly Finished[],
  maxFailingSeconds: number,
): Promise<DisabledRow[]> {
  return writeOutcomes.all(db, { rows: JSON.stringify(finished), maxFailingSeconds, stamp: uuid7() })
}

/** Gives claims back that were not attempted. */
export async function releaseDeliveries(
  db: WriteDb,
  claims: readonly { readonly webhookId: string; readonly id: string; readonly claim: number }[],
): Promise<void> {
  await sql`
    update webhook_delivery d set due_at = now(), claim = d.claim + 1, claimed_by = null
    from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb) as c ("webhookId" uuid, id uuid, claim int)
    where d.webhook_id = c."webhookId" and d.id = c.id and d.claim = c.claim and d.status = 'pending'`.execute(
    db,
  )
}
