import { type NewAuditEntry, recordAuditEntry } from '../access/audit.ts'
import { isOrgAdmin, requireOrgAdmin } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { inTransaction } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import { EVENT_KINDS } from '../events/event.ts'
import { parseSlug } from '../http/page-address.ts'
import { type List, type PageQuery, pageOf, windowOf } from '../http/paging.ts'
import { isUuid, uuid7 } from '../lib/uuid7.ts'
import { checkTargetUrl, type Reach } from '../outbound/target-url.ts'
import type { CreateWebhook, UpdateWebhook, Webhook, WebhookWithSecret } from './schema.ts'
import { newSecret, type SecretBox } from './secret.ts'
import * as store from './store.ts'

/** What administration needs beside the context. */
export interface WebhookDeps {
  readonly secrets: SecretBox
  readonly reach: Reach
}

/** More are not named at once: the list of webhooks has all. */
const MAX_STOPPED = 5
export const DEFAULT_GRACE_SECONDS = 86_400

/** All webhooks in the order of their making, and the kinds of events that there are. */
export async function webhooksOf(
  ctx: Ctx,
  paging: PageQuery,
): Promise<List<Webhook> & { readonly eventKinds: string[] }> {
  requireOrgAdmin(ctx)
  const window = windowOf(ctx, 'webhooks', paging, ['id'])
  const rows = await store.listWebhooks(ctx.db, {
    after: window.after?.[0] as string | undefined,
    limit: window.limit + 1,
  })
  return { ...pageOf(window, rows, (row) => [row.id], toWebhook), eventKinds: [...EVENT_KINDS] }
}

/** The webhooks that the service has disabled, the latest first; none for whoever is no organisation admin. */
export async function stoppedWebhooks(ctx: Ctx): Promise<Webhook[]> {
  if (!isOrgAdmin(ctx.actor)) return []
  return (await store.listStopped(ctx.db, MAX_STOPPED)).map(toWebhook)
}

/** One webhook; refuses with `not_found` where there is none. */
export async function readWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  requireOrgAdmin(ctx)
  const row = isUuid(id) ? await store.findWebhook(ctx.db, id) : undefined
  if (!row) throw noSuchWebhook(id)
  return toWebhook(row)
}

/** Subscribes a receiver. The secret is told here and never again. */
export async function createWebhook(
  ctx: Ctx,
  means: WebhookDeps,
  input: CreateWebhook,
): Promise<WebhookWithSecret> {
  requireOrgAdmin(ctx)
  const url = checkedUrl(input.url, means.reach)
  const spaceSlug = await checkedSpace(ctx, input.spaceSlug ?? null)
  const id = uuid7()
  const secret = newSecret()
  const webhook = {
    id,
    url,
    events: [...new Set(input.events)],
    spaceSlug,
    description: input.description ?? null,
    secret: means.secrets.seal(id, secret),
    keyId: means.secrets.keyId,
    creatorId: ctx.actor.id,
    now: ctx.now(),
  }
  await inTransaction(ctx, async (tx) => {
    if (!(await store.insertWebhook(tx.db, webhook))) return
    await recordAuditEntry(tx, actOn(webhook, 'created', { events: webhook.events, spaceSlug }))
  })
  return { webhook: await readWebhook(ctx, id), secret }
}

/** Changes what the input names. What is pending for a disabled webhook waits until it is enabled again. */
export async function updateWebhook(
  ctx: Ctx,
  means: WebhookDeps,
  id: string,
  input: UpdateWebhook,
): Promise<Webhook> {
  const webhook = await readWebhook(ctx, id)
  const { url, events, spaceSlug, description, enabled } = input
  const change: store.WebhookChange = {
    ...(url !== undefined && { url: checkedUrl(url, means.reach) }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(spaceSlug !== undefined && { space_slug: await checkedSpace(ctx, spaceSlug) }),
    ...(description !== undefined && { description }),
    ...(enabled !== undefined && { enabled }),
  }
  await inTransaction(ctx, async (tx) => {
    await store.updateWebhook(tx.db, webhook.id, change, ctx.now())
    await recordAuditEntry(tx, actOn(webhook, 'updated', { changed: Object.keys(input) }))
  })
  if (enabled) ctx.wakeDeliveries()
  return readWebhook(ctx, id)
}

/** Gives the webhook a new secret, told here and never again; the old one signs as well for `graceSeconds`. */
export async function rotateSecret(
  ctx: Ctx,
  means: WebhookDeps,
  id: string,
  graceSeconds: number,
): Promise<WebhookWithSecret> {
  const webhook = await readWebhook(ctx, id)
  const secret = newSecret()
  await inTransaction(ctx, async (tx) => {
    await store.replaceSecret(tx.db, webhook.id, {
      secret: means.secrets.seal(webhook.id, secret),
      keyId: means.secrets.keyId,
      graceSeconds,
      now: ctx.now(),
    })
    await recordAuditEntry(tx, actOn(webhook, 'secret_rotated', { graceSeconds }))
  })
  return { webhook: await readWebhook(ctx, id), secret }
}

/** Ends the subscription: nothing is sent to it any more. */
export async function deleteWebhook(ctx: Ctx, id: string): Promise<void> {
  const webhook = await readWebhook(ctx, id)
  await inTransaction(ctx, async (tx) => {
    if (await store.deleteWebhook(tx.db, webhook.id))
      await recordAuditEntry(tx, actOn(webhook, 'deleted', {}))
    else if (!tx.commitOutcomeUnknown) throw noSuchWebhook(id)
  })
}

/** For the log of acts: the host names the webhook, for the rest of an URL may be a secret of its receiver. */
function actOn(
  webhook: { readonly id: string; readonly url: string },
  deed: string,
  details: Readonly<Record<string, unknown>>,
): NewAuditEntry {
  const { host } = new URL(webhook.url)
  return { action: `webhook.${deed}`, target: { type: 'webhook', id: webhook.id, name: host }, details }
}

function checkedUrl(text: string, reach: Reach): string {
  const judged = checkTargetUrl(text, reach)
  if (judged instanceof URL) return judged.href
  throw new AppError(judged.code, `The URL ${judged.message}.`, {
    issues: [{ path: '/url', message: judged.message }],
  })
}

async function checkedSpace(ctx: Ctx, slug: string | null): Promise<string | null> {
  if (slug === null) return null
  const refuse = (message: string) =>
    new AppError('invalid_request', `\`spaceSlug\` ${message}.`, {
      issues: [{ path: '/spaceSlug', message }],
    })
  if (slug === 'personal') throw refuse('cannot be a personal space: its activity is never sent')
  if (!(await store.hasSharedSpace(ctx.db, parseSlug(slug)))) throw refuse('names no space that there is')
  return slug
}

function noSuchWebhook(id: string): AppError {
  return new AppError('not_found', `There is no webhook \`${id.slice(0, 64)}\`.`)
}

function toWebhook(row: store.WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    spaceSlug: row.space_slug,
    description: row.description,
    enabled: row.enabled,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at.toISOString(),
    createdBy: { id: row.created_by, name: row.created_by_name, kind: row.created_by_kind },
    updatedAt: row.updated_at.toISOString(),
  }
}
