import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import type { Role } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { noSuchGroup } from '../../identity/groups/groups.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { requireConfirmation } from '../../identity/sessions/confirmation.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { rejectGuest } from './members.ts'
import { deleteGrantedRequests } from './requests/store-requests.ts'
import type { spaceGroupSchema } from './schema.ts'
import { changeWithin, requireRow, toTarget } from './space.ts'
import { deleteSpaceGroup, listSpaceGroups, putSpaceGroup } from './store-members.ts'

/** The role of a group in a space: each of its members has at least this one. */
export type SpaceGroup = Static<typeof spaceGroupSchema>

interface Address {
  readonly space: string
  readonly group: string
}

/** The groups with a role in a space that the caller can read. */
export async function listGroupsWithRole(
  ctx: Ctx,
  input: PageQuery & { readonly space: string },
): Promise<List<SpaceGroup>> {
  const space = await requireRow(ctx, input.space, 'viewer')
  rejectGuest(ctx)
  const window = parseWindow(ctx, `space-groups/${space.id}`, input, ['id'])
  const rows = await listSpaceGroups(ctx.db, { spaceId: space.id, ...toKeyset(window) })
  return buildPage(window, rows, (row) => [row.group.id], toItem)
}

/** Gives a group a role in a space. Returns whether it had none. */
export async function setSpaceGroup(ctx: Ctx, input: Address & { readonly role: Role }) {
  const { group: groupId, role } = input
  return changeWithin(ctx, input.space, async (tx, space) => {
    if (space.kind === 'personal') {
      throw new AppError('invalid_request', 'A personal space is its owner’s alone: no group has a role in it.')
    }
    if (!isUuid(groupId)) throw noSuchGroup()
    if (space.visibility === 'private') await requireConfirmation(tx)
    const row = await putSpaceGroup(tx, { spaceId: space.id, groupId, role, now: ctx.now() })
    if (!row) throw noSuchGroup()
    const { before, ...given } = row
    const { group } = given
    if (before !== role) {
      const details = { group, role, ...(before !== null && { previousRole: before }) }
      await recordAuditEntry(tx, { action: 'space.group_set', target: toTarget(space), details })
    }
    await deleteGrantedRequests(tx, space.id, tx.now())
    return { group: toItem(given), added: before === null }
  })
}

export async function removeSpaceGroup(ctx: Ctx, input: Address): Promise<void> {
  const space = await requireRow(ctx, input.space, 'admin')
  const none = () => new AppError('not_found', 'This group has no role in the space.')
  if (!isUuid(input.group)) throw none()
  await inTransaction(ctx, async (tx) => {
    const removedRow = await deleteSpaceGroup(tx, { spaceId: space.id, groupId: input.group })
    // After a lost response to the commit the role is gone already.
    if (!removedRow && tx.commitOutcomeUnknown) return
    if (!removedRow) throw none()
    const details = { group: removedRow.group, previousRole: removedRow.role }
    await recordAuditEntry(tx, { action: 'space.group_removed', target: toTarget(space), details })
  })
}
