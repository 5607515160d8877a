import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { requireOrgAdmin } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { findPrincipal, noSuchPrincipal } from '../principals/principals.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import { groupTarget, lockOwnGroup, requireGroup } from './groups.ts'
import type { groupMemberSchema } from './schema.ts'
import * as store from './store.ts'

export type GroupMember = Static<typeof groupMemberSchema>

interface MemberAddress {
  readonly id: string
  readonly principal: string
}

/** The members of a group, in the order of their ids. For organisation admins, as everything here. */
export async function membersOfGroup(ctx: Ctx, input: PageQuery & { readonly id: string }): Promise<List<GroupMember>> {
  const { id: groupId } = await requireGroup(ctx, input.id)
  const window = parseWindow(ctx, `group-members/${groupId}`, input, ['id'])
  const rows = await store.listGroupMembers(ctx.db, { groupId, ...toKeyset(window) })
  return buildPage(window, rows, (row) => [row.principal.id], toItem)
}

/** Adds a principal to a group. Returns whether it is a new member. */
export async function addGroupMember(
  ctx: Ctx,
  { id, principal: principalId }: MemberAddress,
): Promise<{ readonly member: GroupMember; readonly added: boolean }> {
  requireOrgAdmin(ctx)
  await requireConfirmation(ctx)
  return inTransaction(ctx, async (tx) => {
    const group = await lockOwnGroup(tx, id)
    const address = { groupId: id, principalId }
    const newMember = await findPrincipal(tx.db, principalId)
    if (!newMember) throw noSuchPrincipal()
    const principal = { id: newMember.id, name: newMember.name, kind: newMember.kind }
    const membership = await store.findGroupMember(tx.db, address)
    if (membership) return { member: toItem(membership), added: false }
    const now = ctx.now()
    await store.insertGroupMember(tx, { ...address, source: 'admin', now })
    const details = { principal }
    await recordAuditEntry(tx, { action: 'group.member_added', target: groupTarget(group), details })
    return { member: { principal, source: 'admin', createdAt: now.toISOString() }, added: true }
  })
}

export async function removeGroupMember(ctx: Ctx, { id, principal: principalId }: MemberAddress): Promise<void> {
  requireOrgAdmin(ctx)
  await inTransaction(ctx, async (tx) => {
    const group = await lockOwnGroup(tx, id)
    const principal = isUuid(principalId) ? await store.deleteGroupMember(tx, { groupId: id, principalId }) : undefined
    // After a lost response to the commit the member is gone already.
    if (!principal && tx.commitOutcomeUnknown) return
    if (!principal) throw new AppError('not_found', 'This principal is no member of the group.')
    const details = { principal }
    await recordAuditEntry(tx, { action: 'group.member_removed', target: groupTarget(group), details })
  })
}
