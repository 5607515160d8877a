import { AppError, inputError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { isOrgAdmin, requireOrgAdmin } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { checkIfMatch, type IfMatch, includesChange } from '../../access/entity-tag.ts'
import { type NewAuditEntry, recordAuditEntry } from '../../identity/principals/audit.ts'
import { requireConfirmation } from '../../identity/sessions/confirmation.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { checkTargetUrl, type Reach } from '../../platform/outbound/target-url.ts'
import type { EventsCtx } from '../feed/ctx.ts'
import { EVENT_KINDS } from '../feed/event.ts'
import type { CreateWebhook, UpdateWebhook, Webhook, WebhookWithSecret } from './schema.ts'
import { newSecret, type SecretBox } from './secret.ts'
import * as store from './store.ts'

/** The dependencies of administration, besides the context. */
export interface WebhookDeps {
  readonly secrets: SecretBox
  readonly reach: Reach
}

/** For the notice on the home screen; the list of webhooks has all. */
const MAX_NOTICES = 5
export const DEFAULT_GRACE_SECONDS = 86_400

/** Lists the webhooks in order of creation, and the event kinds. */
export async function listWebhooks(ctx: Ctx, paging: PageQuery) {
  requireOrgAdmin(ctx)
  const window = parseWindow(ctx, 'webhooks', paging, ['id'])
  const rows = await store.listWebhooks(ctx.db, {
    after: window.after?.[0] as string | undefined,
    limit: window.limit + 1,
  })
  return { ...buildPage(window, rows, ['id'], toItem), eventKinds: [...EVENT_KINDS] }
}

/** The webhooks that the service disabled, latest first; empty unless the caller is an organisation admin. */
export async function webhooksDisabledByService(ctx: Ctx): Promise<Webhook[]> {
  if (!isOrgAdmin(ctx.actor)) return []
  return (await store.listDisabledByService(ctx.db, MAX_NOTICES)).map(toItem)
}

/** Throws `not_found` if the webhook does not exist. */
export async function readWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  requireOrgAdmin(ctx)
  const row = isUuid(id) ? await store.findWebhook(ctx.db, id) : undefined
  if (!row) throw webhookNotFound(id)
  return toItem(row)
}

/** Subscribes a receiver. Only this returns the secret. */
export async function createWebhook(ctx: Ctx, deps: WebhookDeps, input: CreateWebhook): Promise<WebhookWithSecret> {
  requireOrgAdmin(ctx)
  const url = checkedUrl(input.url, deps.reach)
  const { spaceSlug = null } = input
  await requireConfirmation(ctx)
  const id = uuid7()
  const secret = newSecret()
  const webhook = {
    id,
    url,
    format: input.format ?? 'json',
    events: [...new Set(input.events)],
    spaceSlug,
    description: input.description ?? null,
    secret: deps.secrets.seal(id, secret),
    keyId: deps.secrets.keyId,
    creatorId: ctx.actor.id,
    now: ctx.now(),
  }
  const createdWebhook = await inTransaction(ctx, async (tx) => {
    await checkSpace(tx, spaceSlug)
    if (await store.insertWebhook(tx.db, webhook))
      await recordAuditEntry(tx, auditEntry(webhook, 'created', { events: webhook.events, spaceSlug }))
    return readWebhook(tx, id)
  })
  return { webhook: createdWebhook, secret }
}

/** Updates the given members; a change without a difference is not recorded. Deliveries wait while it is disabled. */
export async function updateWebhook(
  ctx: EventsCtx,
  deps: WebhookDeps,
  id: string,
  input: UpdateWebhook,
  condition: IfMatch = {},
): Promise<Webhook> {
  requireOrgAdmin(ctx)
  const { url, format, events, spaceSlug, description, enabled } = input
  const change: store.WebhookChange = {
    ...(url !== undefined && { url: checkedUrl(url, deps.reach) }),
    ...(format !== undefined && { format }),
    ...(events !== undefined && { events: [...new Set(events)] }),
    ...(spaceSlug !== undefined && { space_slug: spaceSlug }),
    ...(description !== undefined && { description }),
    ...(enabled !== undefined && { enabled }),
  }
  const webhook = await inTransaction(ctx, async (tx) => {
    // Before the webhook, as a change of the slug locks them.
    await checkSpace(tx, spaceSlug ?? null)
    const current = await lock(tx, id)
    checkIfMatch(tx, condition, toItem(current), input)
    if (!changesWebhook(current, change)) return toItem(current)
    const { description: _description, enabled: _enabled, ...sent } = change
    if (!includesChange(current, sent)) await requireConfirmation(tx)
    await store.updateWebhook(tx.db, id, change, ctx.now())
    await recordAuditEntry(tx, auditEntry(current, 'updated', { changed: Object.keys(input) }))
    return readWebhook(tx, id)
  })
  if (enabled) ctx.events.wakeDeliveries()
  return webhook
}

/** The webhook, locked until the transaction ends; throws `not_found`. */
async function lock(tx: Pick<Tx, 'db'>, id: string): Promise<store.WebhookRow> {
  const row = isUuid(id) ? await store.lockWebhook(tx.db, id) : undefined
  if (!row) throw webhookNotFound(id)
  return row
}

/** Whether a change makes a difference: `enabled` also clears the reason why the service disabled the webhook. */
function changesWebhook(current: store.WebhookRow, change: store.WebhookChange): boolean {
  if (change.enabled !== undefined && current.disabled_reason !== null) return true
  return !includesChange(current, change)
}

/** Replaces the secret, and returns the new one. The old one signs as well for `graceSeconds`. */
export async function rotateSecret(
  ctx: Ctx,
  deps: WebhookDeps,
  id: string,
  graceSeconds: number,
): Promise<WebhookWithSecret> {
  // Before the confirmation: there is nothing to confirm for a webhook that does not exist.
  await readWebhook(ctx, id)
  await requireConfirmation(ctx)
  const secret = newSecret()
  const webhook = await inTransaction(ctx, async (tx) => {
    const current = await lock(tx, id)
    await store.replaceSecret(tx.db, id, {
      secret: deps.secrets.seal(id, secret),
      keyId: deps.secrets.keyId,
      graceSeconds,
      now: ctx.now(),
    })
    await recordAuditEntry(tx, auditEntry(current, 'secret_rotated', { graceSeconds }))
    return readWebhook(tx, id)
  })
  return { webhook, secret }
}

export async function deleteWebhook(ctx: Ctx, id: string, condition: IfMatch = {}): Promise<void> {
  requireOrgAdmin(ctx)
  await inTransaction(ctx, async (tx) => {
    const current = isUuid(id) ? await store.lockWebhook(tx.db, id) : undefined
    if (!current && tx.commitOutcomeUnknown) return
    if (!current) throw webhookNotFound(id)
    checkIfMatch(tx, condition, toItem(current))
    await store.deleteWebhook(tx.db, id)
    await recordAuditEntry(tx, auditEntry(current, 'deleted', {}))
  })
}

/** Names a webhook by its host, because the rest of the URL may be a secret of the receiver. */
function auditEntry(
  webhook: { readonly id: string; readonly url: string },
  action: 'created' | 'updated' | 'secret_rotated' | 'deleted',
  details: Readonly<Record<string, unknown>>,
): NewAuditEntry {
  const { host } = new URL(webhook.url)
  return { action: `webhook.${action}`, target: { type: 'webhook', id: webhook.id, name: host }, details }
}

function checkedUrl(text: string, reach: Reach): string {
  const checkedTarget = checkTargetUrl(text, reach)
  if (checkedTarget instanceof URL) return checkedTarget.href
  throw inputError(checkedTarget.code, `The URL ${checkedTarget.message}.`, '/url', checkedTarget.message)
}

/** Rejects a slug of no shared space. The space keeps it until the transaction ends; a later change renames it here. */
async function checkSpace(tx: Ctx & Tx, slug: string | null): Promise<void> {
  if (slug === null) return
  const invalid = (message: string) => inputError('invalid_request', `\`spaceSlug\` ${message}.`, '/spaceSlug', message)
  if (slug === 'personal') throw invalid('cannot be a personal space: its events are never sent')
  if (!(await store.lockSharedSpace(tx.db, parseSlug(slug)))) throw invalid('is not the slug of a space')
}

function webhookNotFound(id: string): AppError {
  return new AppError('not_found', `Webhook \`${id.slice(0, 64)}\` does not exist.`)
}
