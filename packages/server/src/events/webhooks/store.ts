import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import { type Db, hasRows, queryRow, queryRows, queryValue, type WriteDb } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Webhook } from './schema.ts'

export type WebhookRow = RowFor<Webhook>

const columns = sql`webhook.id, webhook.url, webhook.format, webhook.events, webhook.space_slug, webhook.description,
  webhook.enabled,
  webhook.disabled_reason, webhook.created_at, ${actorJson('creator')} as created_by, webhook.updated_at`

/** Webhooks in order of creation. */
export async function listWebhooks(
  db: Db,
  window: { readonly after: string | undefined; readonly limit: number },
): Promise<WebhookRow[]> {
  return queryRows<WebhookRow>(db)`
    select ${columns} from webhook join principal as creator on creator.id = webhook.created_by
    ${window.after === undefined ? sql`` : sql`where webhook.id > ${window.after}::uuid`}
    order by webhook.id limit ${window.limit}`
}

export async function listDisabledByService(db: Db, limit: number): Promise<WebhookRow[]> {
  return queryRows<WebhookRow>(db)`
    select ${columns} from webhook join principal as creator on creator.id = webhook.created_by
    where not webhook.enabled and webhook.disabled_reason is not null
    order by webhook.updated_at desc, webhook.id limit ${limit}`
}

export async function findWebhook(db: Db, id: string): Promise<WebhookRow | undefined> {
  return queryRow<WebhookRow>(db)`
    select ${columns} from webhook
    join principal as creator on creator.id = webhook.created_by where webhook.id = ${id}::uuid`
}

/** One webhook, locked until the transaction ends. */
export async function lockWebhook(db: WriteDb, id: string): Promise<WebhookRow | undefined> {
  await sql`select 1 from webhook where id = ${id}::uuid for no key update`.execute(db)
  return findWebhook(db, id)
}

export interface NewWebhook extends Pick<Webhook, 'id' | 'url' | 'format' | 'events' | 'spaceSlug' | 'description'> {
  readonly secret: Buffer
  readonly keyId: string
  readonly creatorId: string
  readonly now: Date
}

/** Idempotent; false if an earlier run has inserted the webhook. */
export async function insertWebhook(db: WriteDb, webhook: NewWebhook): Promise<boolean> {
  return hasRows(db)`
    insert into webhook (id, url, format, events, space_slug, description, secret, secret_key, created_at, created_by,
      updated_at)
    values (${webhook.id}, ${webhook.url}, ${webhook.format}, ${webhook.events}::text[], ${webhook.spaceSlug},
      ${webhook.description},
      ${webhook.secret}, ${webhook.keyId}, ${webhook.now}, ${webhook.creatorId}, ${webhook.now})
    on conflict (id) do nothing returning 1`
}

export type WebhookChange = Partial<
  Pick<WebhookRow, 'url' | 'format' | 'events' | 'space_slug' | 'description' | 'enabled'>
>

/** Updates the given columns. A changed `enabled` clears the reason why the service disabled the webhook. */
export async function updateWebhook(db: WriteDb, id: string, change: WebhookChange, now: Date): Promise<void> {
  const sets: RawBuilder<unknown>[] = [sql`updated_at = ${now}`]
  for (const [name, value] of Object.entries(change)) sets.push(sql`${sql.ref(name)} = ${value}`)
  if (change.enabled !== undefined) sets.push(sql`disabled_reason = null, failing_since = null`)
  await sql`update webhook set ${sql.join(sets)} where id = ${id}::uuid`.execute(db)
}

/** Replaces the secret, and keeps the old one for `graceSeconds`, unless it was sealed with another key. */
export async function replaceSecret(
  db: WriteDb,
  id: string,
  change: { readonly secret: Buffer; readonly keyId: string; readonly graceSeconds: number; readonly now: Date },
): Promise<void> {
  await sql`
    update webhook set
      previous_secret = case when ${change.graceSeconds}::int > 0 and secret_key = ${change.keyId} then secret end,
      previous_until = now() + make_interval(secs => ${change.graceSeconds}::int),
      secret = ${change.secret}, secret_key = ${change.keyId}, updated_at = ${change.now}
    where id = ${id}::uuid`.execute(db)
}

/** Its deliveries are not sent any more, and are deleted by the sweep. */
export async function deleteWebhook(db: WriteDb, id: string): Promise<void> {
  await sql`delete from webhook where id = ${id}::uuid`.execute(db)
}

/** Whether there is a shared space of this slug; then it keeps the slug until the transaction ends. */
export async function lockSharedSpace(db: WriteDb, slug: string): Promise<boolean> {
  return hasRows(db)`select 1 from space where slug = ${slug} and kind = 'shared' for key share`
}

/** The number of webhooks whose secret was sealed with another key, or of one of them. */
export async function countForeignSecrets(db: Db, keyId: string, id: string | null = null): Promise<number> {
  return queryValue(db, 0)`
    select count(*) as count from webhook where secret_key <> ${keyId} and id = coalesce(${id}::uuid, id)`
}

/** The count stops here, so that a scrape stays fast. */
export const MAX_COUNTED = 100_000

/** Pending deliveries of enabled webhooks. */
export async function countPending(db: Db): Promise<number> {
  return queryValue(db, 0)`
    select count(*) as count from (
      select 1 from webhook join webhook_delivery as delivery on delivery.webhook_id = webhook.id
        and delivery.status = 'pending'
      where webhook.enabled limit ${MAX_COUNTED}
    ) pending`
}

/** How long the oldest due delivery is overdue. Claimed ones are due when their lease ends. */
export async function findOverdueSeconds(db: Db): Promise<number> {
  return queryValue(db, 0)`
    select coalesce(greatest(extract(epoch from now() - min(oldest.due_at)), 0), 0)::float8 as seconds
    from webhook cross join lateral (
      select delivery.due_at from webhook_delivery as delivery
      where delivery.webhook_id = webhook.id and delivery.status = 'pending' order by delivery.due_at limit 1
    ) as oldest
    where webhook.enabled`
}

/** Disabled webhooks by reason: an admin, a receiver that answered 410, or days of failures. */
export async function countDisabled(db: Db): Promise<Record<'admin' | 'gone' | 'failing', number>> {
  const rows = await queryRows<{ reason: 'admin' | 'gone' | 'failing'; count: number }>(db)`
    select coalesce(disabled_reason, 'admin') as reason, count(*) as count
    from webhook where not enabled group by 1`
  const counts = { admin: 0, gone: 0, failing: 0 }
  for (const { reason, count } of rows) counts[reason] = count
  return counts
}
