import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { type Actor, isUnlimited, type Role } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { findPrincipal, noSuchPrincipal } from '../../identity/principals/principals.ts'
import { requireConfirmation } from '../../identity/sessions/confirmation.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { deleteGrantedRequests } from './requests/store-requests.ts'
import type { memberSchema } from './schema.ts'
import { changeWithin, requireRow, toTarget } from './space.ts'
import type { SpaceRow } from './store.ts'
import { deleteMember, findListed, listMembers, putMember } from './store-members.ts'

/** The role of a principal in a space. */
export type Member = Static<typeof memberSchema>

interface MemberAddress {
  readonly space: string
  readonly principal: string
}

/** Throws `forbidden` for guests: they see no lists of people. */
export function rejectGuest({ actor }: Ctx): void {
  if (actor.guest) throw new AppError('forbidden', 'Guests do not see who has access to a space.')
}

/**
 * A person or an agent, for whoever may know of them: members of the organisation know each other, and whoever reads a
 * space and is no guest knows its members. The id of an account that was merged leads to the other one.
 */
export async function findPerson({ db, actor }: Ctx, id: string): Promise<Actor> {
  const subject = toAccessSubject(actor)
  const row = isUuid(id)
    ? await findListed(db, subject, { id, isMember: isUnlimited(actor) && !actor.guest })
    : undefined
  if (!row) throw noSuchPrincipal()
  return row
}

/** The members of a space that the caller can read, in the order of their ids. A personal space has no members. */
export async function listSpaceMembers(ctx: Ctx, input: PageQuery & { readonly space: string }): Promise<List<Member>> {
  const space = await requireRow(ctx, input.space, 'viewer')
  rejectGuest(ctx)
  const window = parseWindow(ctx, `members/${space.id}`, input, ['id'])
  const rows = await listMembers(ctx.db, { spaceId: space.id, ...toKeyset(window) })
  return buildPage(window, rows, (row) => [row.principal.id], toItem)
}

/** Sets the role of a principal in the space. Returns whether the principal is a new member. */
export async function setMember(ctx: Ctx, input: MemberAddress & { readonly role: Role }) {
  return changeWithin(ctx, input.space, async (tx, space) => {
    if (space.kind === 'personal') {
      throw new AppError('invalid_request', 'A personal space is its owner’s alone: it has no members.')
    }
    const principal = await findPrincipal(tx.db, input.principal)
    if (!principal) throw noSuchPrincipal()
    if (space.visibility === 'private') await requireConfirmation(tx)
    const who = { id: principal.id, name: principal.name, kind: principal.kind }
    const row = await putRole(tx, space, { principal: who, role: input.role })
    await deleteGrantedRequests(tx, space.id, tx.now())
    return {
      member: toItem({ principal: who, role: row.role, created_at: row.created_at }),
      added: row.before === null,
    }
  })
}

/** Sets the role of a principal in a locked space. */
export async function putRole(
  tx: Ctx & Tx,
  space: SpaceRow,
  { principal, role }: { readonly principal: Actor; readonly role: Role },
) {
  const row = await putMember(tx, { spaceId: space.id, principalId: principal.id, role, now: tx.now() })
  const { before } = row
  if (before !== role) {
    const details = { principal, role, ...(before && { previousRole: before }) }
    await recordAuditEntry(tx, { action: 'space.member_set', target: toTarget(space), details })
  }
  return row
}

export async function removeMember(ctx: Ctx, input: MemberAddress): Promise<void> {
  const space = await requireRow(ctx, input.space, 'admin')
  if (!isUuid(input.principal)) throw noSuchMember()
  await inTransaction(ctx, async (tx) => {
    const removedRow = await deleteMember(tx, { spaceId: space.id, principalId: input.principal })
    // After a lost response to the commit the member is gone already.
    if (!removedRow && tx.commitOutcomeUnknown) return
    if (!removedRow) throw noSuchMember()
    await recordAuditEntry(tx, {
      action: 'space.member_removed',
      target: toTarget(space),
      details: { principal: removedRow.principal, previousRole: removedRow.role },
    })
  })
}

function noSuchMember(): AppError {
  return new AppError('not_found', 'This principal is no member of the space.')
}
