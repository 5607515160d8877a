import { AppError, inputError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { requireOrgAdmin, requireUnlimitedPerson } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { checkIfMatch, type IfMatch } from '../../access/entity-tag.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { type NewAuditTarget, recordAuditEntry } from '../principals/audit.ts'
import type { groupQuery, groupSchema } from './schema.ts'
import * as store from './store.ts'

/** Principals that have roles in spaces together. */
export type Group = Static<typeof groupSchema>

export type GroupFilter = Static<typeof groupQuery>

/** The groups of the organisation, the oldest first. For organisation admins, as everything here. */
export async function listGroups(ctx: Ctx, filter: GroupFilter): Promise<List<Group>> {
  requireOrgAdmin(ctx)
  const { name, member } = filter
  if (member !== undefined && !isUuid(member)) {
    const detail = 'The member must be the id of a principal.'
    throw inputError('invalid_request', detail, 'member', 'must be a UUID')
  }
  const window = parseWindow(ctx, `groups/${member}/${name}`, filter, ['id'])
  const rows = await store.listGroups(ctx.db, { name, member, ...toKeyset(window) })
  return buildPage(window, rows, ['id'], toItem)
}

export async function readGroup(ctx: Ctx, id: string): Promise<Group> {
  return toItem(await requireGroup(ctx, id))
}

/** Creates a group without members. */
export async function createGroup(
  ctx: Ctx,
  { name, description = '' }: { readonly name: string; readonly description?: string },
): Promise<Group> {
  requireOrgAdmin(ctx)
  requireUnlimitedPerson(ctx, 'Creating a group')
  const group = { id: uuid7(), name, description, managedBy: null, now: ctx.now() }
  return inTransaction(ctx, async (tx) => {
    const already = tx.commitOutcomeUnknown && (await store.findGroup(tx.db, group.id))
    if (already) return toItem(already)
    await store.insertGroup(tx, group)
    await recordAuditEntry(tx, { action: 'group.created', target: groupTarget(group) })
    return readGroup(tx, group.id)
  })
}

/** Changes name or description; a change without a difference records no audit event. */
export async function updateGroup(
  ctx: Ctx,
  id: string,
  change: { readonly name?: string; readonly description?: string },
  condition: IfMatch = {},
): Promise<Group> {
  requireOrgAdmin(ctx)
  return inTransaction(ctx, async (tx) => {
    const before = await lockOwnGroup(tx, id, 'name' in change)
    checkIfMatch(tx, condition, toItem(before), change)
    const { name = before.name, description = before.description } = change
    if (name === before.name && description === before.description) return toItem(before)
    await store.updateGroup(tx, { id, name, description, now: ctx.now() })
    const details = {
      ...(name !== before.name && { name: { from: before.name, to: name } }),
      ...(description !== before.description && { description: { from: before.description, to: description } }),
    }
    await recordAuditEntry(tx, { action: 'group.updated', target: groupTarget({ id, name }), details })
    return readGroup(tx, id)
  })
}

/** Deletes a group; its members lose the roles that it gave them, and nothing else. */
export async function deleteGroup(ctx: Ctx, id: string, condition: IfMatch = {}): Promise<void> {
  requireOrgAdmin(ctx)
  if (!isUuid(id)) throw noSuchGroup()
  await inTransaction(ctx, async (tx) => {
    const group = await store.lockGroup(tx, id)
    if (!group && tx.commitOutcomeUnknown) return
    if (!group) throw noSuchGroup()
    checkIfMatch(tx, condition, toItem(group))
    await store.deleteGroup(tx, id)
    await recordAuditEntry(tx, { action: 'group.deleted', target: groupTarget(group) })
  })
}

/** The spaces where a group has a role. */
export async function spacesOfGroup(ctx: Ctx, input: PageQuery & { readonly id: string }) {
  const { id: groupId } = await requireGroup(ctx, input.id)
  const window = parseWindow(ctx, `group-spaces/${groupId}`, input, ['text'])
  const rows = await store.listSpacesOfGroup(ctx.db, { groupId, ...toKeyset(window) })
  return buildPage(window, rows, ['space'], (row) => row)
}

/** The group of an id; throws `not_found`. */
export async function requireGroup(ctx: Ctx, id: string): Promise<store.GroupRow> {
  requireOrgAdmin(ctx)
  const row = isUuid(id) ? await store.findGroup(ctx.db, id) : undefined
  if (!row) throw noSuchGroup()
  return row
}

/** The group, locked until the transaction ends; throws `group_managed` for a change that belongs to its provider. */
export async function lockOwnGroup(tx: Pick<Tx, 'db'>, id: string, changesManaged = true): Promise<store.GroupRow> {
  const group = isUuid(id) ? await store.lockGroup(tx, id) : undefined
  if (!group) throw noSuchGroup()
  return changesManaged ? requireOwn(group) : group
}

/** Throws `group_managed` for a group whose name and members a provider keeps. */
export function requireOwn(group: store.GroupRow): store.GroupRow {
  if (group.managed_by === null) return group
  const detail = 'Your identity provider keeps the name and the members of this group: change them there.'
  throw new AppError('group_managed', detail)
}

export function groupTarget({ id, name }: { readonly id: string; readonly name: string }): NewAuditTarget {
  return { type: 'group', id, name }
}

/** The error for every id without a group. */
export function noSuchGroup(): AppError {
  return new AppError('not_found', 'There is no group with this id.')
}
