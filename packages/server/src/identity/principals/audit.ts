import { inputError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import { actorJson } from '../../access/authors.ts'
import { type CallerApp, requireOrgAdmin } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { parseTime } from '../../access/time.ts'
import { joinConditions } from '../../platform/database/conditions.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { type RowFor, toItem } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, parseWindow } from '../../platform/http/paging.ts'
import type { auditEntrySchema, auditQuery } from './admin-schema.ts'

/** The target of an audit event, by `id`: a UUID, the slug of a space, or the IP address of failed authentications. */
interface AuditTarget {
  readonly type:
    | 'principal'
    | 'api_key'
    | 'space'
    | 'group'
    | 'session'
    | 'webhook'
    | 'invitation'
    | 'space_template'
    | 'app'
    | 'address'
    | 'job'
  readonly id: string
  readonly name: string
}

/**
 * Events of a space are stored with its id; all others belong to the organisation. A shared space is named as it is in
 * the transaction: its slug may have changed since it was read. What is given names one that was deleted.
 */
export type NewAuditTarget =
  | (AuditTarget & { readonly type: Exclude<AuditTarget['type'], 'space'> })
  | (AuditTarget & { readonly type: 'space'; readonly spaceId: number })

/** The space id of events without a space. */
export const ORGANISATION = 0

/** The actions as `<subject>.<verb>`, in their only table: the screen offers them, a test compares docs/api.md. */
export const AUDIT_ACTIONS = [
  'principal.created',
  'principal.updated',
  'principal.disabled',
  'principal.enabled',
  'principal.merged',
  'identity.linked',
  'passkey.added',
  'passkey.removed',
  'scim.enabled',
  'scim.token_rotated',
  'scim.disabled',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.member_added',
  'group.member_removed',
  'invitation.created',
  'invitation.sent_again',
  'invitation.revoked',
  'invitation.accepted',
  'password.forgotten',
  'password.link_created',
  'password.set',
  'password.changed',
  'api_key.created',
  'api_key.revoked',
  'app.connected',
  'app.refused',
  'app.disconnected',
  'space.created',
  'space.updated',
  'space.deleted',
  'space.member_set',
  'space.member_removed',
  'space.group_set',
  'space.group_removed',
  'space.rule_set',
  'space.rule_removed',
  'space.access_approved',
  'space.access_declined',
  'space.slug_conflict',
  'share.created',
  'share.revoked',
  'comment.deleted',
  'page.purged',
  'page.verified',
  'page.unverified',
  'file.purged',
  'job.cancelled',
  'session.created',
  'session.confirmed',
  'session.ended',
  'session.refused',
  'space_template.stored',
  'space_template.removed',
  'webhook.created',
  'webhook.updated',
  'webhook.secret_rotated',
  'webhook.disabled',
  'webhook.deleted',
  'authentication.failed',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** After these, what other parts of the service remember of credentials and their principals is wrong. */
const CHANGES_CREDENTIALS: ReadonlySet<AuditAction> = new Set([
  'principal.updated',
  'principal.disabled',
  'principal.enabled',
  'scim.token_rotated',
  'scim.disabled',
  'api_key.revoked',
  'app.disconnected',
  'session.ended',
])

export interface NewAuditEntry {
  readonly action: AuditAction
  readonly target: NewAuditTarget
  /** Further details for readers. Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** An audit event as in the log. */
export type AuditEntry = Static<typeof auditEntrySchema>

export type AuditFilter = Static<typeof auditQuery>

/** A transaction with the origin of its events: actor, IP address and time. */
export type AuditedTx = Pick<Tx, 'db' | 'publish'> &
  Pick<Ctx, 'now' | 'address'> & { readonly actor: { readonly id: string; readonly app?: CallerApp | undefined } }

/** Writes an audit event in the transaction of the change: the log has it if and only if the change is committed. */
export async function recordAuditEntry(tx: AuditedTx, entry: NewAuditEntry): Promise<void> {
  await recordAuditEntries(tx, [entry])
}

/** The same for many events of one change. */
export async function recordAuditEntries(tx: AuditedTx, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  if (entries.some(({ action }) => CHANGES_CREDENTIALS.has(action))) tx.publish('credentials')
  const { app } = tx.actor
  const via = app && { id: app.connectionId, name: app.name }
  const rows = entries.map(({ action, target, details }) => ({
    space_id: target.type === 'space' ? target.spaceId : ORGANISATION,
    id: uuid7(),
    action,
    target_type: target.type,
    target_id: target.id,
    target_name: target.name,
    details: { ...details, via },
  }))
  await sql`insert into audit_entry (space_id, id, at, action, actor_id, target_type, target_id, target_name, details,
    address)
    select entry.space_id, entry.id, ${tx.now()}, entry.action, ${tx.actor.id}, entry.target_type,
      coalesce(space.slug, entry.target_id), coalesce(space.name, entry.target_name), entry.details,
      ${tx.address ?? null}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as entry
      (space_id bigint, id uuid, action text, target_type text, target_id text, target_name text, details jsonb)
    left join space on space.id = entry.space_id`.execute(tx.db)
}

/** The audit log, latest first. For organisation admins. */
export async function auditLog(ctx: Ctx, filter: AuditFilter): Promise<List<AuditEntry>> {
  requireOrgAdmin(ctx)
  const { limit, cursor, ...filters } = filter
  const since = filters.since === undefined ? undefined : parseTime(filters.since, 'since')
  const until = filters.until === undefined ? undefined : parseTime(filters.until, 'until')
  if (filters.actor !== undefined && !isUuid(filters.actor)) {
    throw inputError('invalid_request', 'The actor must be the id of a principal.', 'actor', 'must be a UUID')
  }
  const filterValues = [filters.actor, filters.action, filters.target, filters.since, filters.until]
  const window = parseWindow(ctx, `audit/${JSON.stringify(filterValues)}`, filter, ['time', 'id'])
  const rows = await listEntries(ctx.db, { ...filters, since, until }, window.after, window.limit + 1)
  return buildPage(window, rows, ['created_at', 'id'], toItem)
}

interface Conditions {
  readonly actor?: string
  readonly action?: string
  readonly target?: string
  readonly since: Date | undefined
  readonly until: Date | undefined
}

async function listEntries(
  db: Db,
  where: Conditions,
  after: readonly unknown[] | undefined,
  limit: number,
): Promise<RowFor<AuditEntry>[]> {
  const conditions = joinConditions([
    where.actor !== undefined && sql`entry.actor_id = ${where.actor}`,
    where.action !== undefined && sql`entry.action = ${where.action}`,
    where.target !== undefined && sql`entry.target_id = ${where.target}`,
    where.since && sql`entry.at >= ${where.since}`,
    where.until && sql`entry.at < ${where.until}`,
    after && sql`(entry.at, entry.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)`,
  ])
  return queryRows<RowFor<AuditEntry>>(db)`
    select entry.id, entry.at as created_at, entry.action,
      case when actor.id is not null then ${actorJson('actor')} end as actor,
      json_build_object('type', entry.target_type, 'id', entry.target_id, 'name', entry.target_name) as target,
      entry.details, entry.address
    from audit_entry entry left join principal actor on actor.id = entry.actor_id
    where ${conditions}
    order by entry.at desc, entry.id desc limit ${limit}`
}
