import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { type Actor, isUnlimited, type Role } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { noSuchGroup } from '../../identity/groups/groups.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import { findPrincipal, noSuchPrincipal } from '../../identity/principals/principals.ts'
import { requireConfirmation } from '../../identity/sessions/confirmation.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { deleteGrantedRequests } from './requests/store-requests.ts'
import type { Member, SpaceGroup } from './schema.ts'
import { changeWithin, requireRow, toTarget } from './space.ts'
import type { SpaceRow } from './store.ts'
import type { HolderKind, RoleRow } from './store-members.ts'
import * as store from './store-members.ts'

/** A role as the API shows it. */
interface Roles {
  readonly principal: Member
  readonly group: SpaceGroup
}

interface RoleAddress {
  readonly space: string
  /** Of the principal or the group. */
  readonly id: string
}

/** How principals and groups with a role are listed, audited, and named in errors. */
const KINDS = {
  principal: {
    list: 'members',
    action: 'space.member',
    missing: noSuchPrincipal,
    detail: 'This principal is no member of the space.',
    personal: { detail: 'A personal space is its owner’s alone: it has no members.' },
  },
  group: {
    list: 'space-groups',
    action: 'space.group',
    missing: noSuchGroup,
    detail: 'This group has no role in the space.',
    personal: { detail: 'A personal space is its owner’s alone: no group has a role in it.' },
  },
} as const

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
    ? await store.findListed(db, subject, { id, isMember: isUnlimited(actor) && !actor.guest })
    : undefined
  if (!row) throw noSuchPrincipal()
  return row
}

/** The roles of principals, or of groups, in a space that the caller can read. A personal space has none. */
export async function listRoles<Kind extends HolderKind>(
  ctx: Ctx,
  kind: Kind,
  input: PageQuery & { readonly space: string },
): Promise<List<Roles[Kind]>> {
  const space = await requireRow(ctx, input.space, 'viewer')
  rejectGuest(ctx)
  const window = parseWindow(ctx, `${KINDS[kind].list}/${space.id}`, input, ['id'])
  const rows = await store.listRoles(ctx.db, kind, { spaceId: space.id, ...toKeyset(window) })
  return buildPage(
    window,
    rows,
    (row) => [row.holder.id],
    (row) => showRole(kind, row),
  )
}

/** Gives a principal or a group a role in a space. Returns whether it had none. */
export async function setRole<Kind extends HolderKind>(
  ctx: Ctx,
  kind: Kind,
  { space: slug, id, role }: RoleAddress & { readonly role: Role },
): Promise<{ readonly given: Roles[Kind]; readonly added: boolean }> {
  const { personal, missing } = KINDS[kind]
  return changeWithin(ctx, slug, async (tx, space) => {
    if (space.kind === 'personal') throw new AppError('invalid_request', personal.detail)
    if (!isUuid(id) || (kind === 'principal' && !(await findPrincipal(tx.db, id)))) throw missing()
    if (space.visibility === 'private') await requireConfirmation(tx)
    const row = await putRole(tx, space, { kind, id, role })
    await deleteGrantedRequests(tx, space.id, tx.now())
    return { given: showRole(kind, row), added: row.before === null }
  })
}

/** Sets a role in a locked space. */
export async function putRole(
  tx: Ctx & Tx,
  space: SpaceRow,
  { kind, id, role }: { readonly kind: HolderKind; readonly id: string; readonly role: Role },
) {
  const { action, missing } = KINDS[kind]
  const row = await store.putRole(tx, { kind, spaceId: space.id, id, role, now: tx.now() })
  if (!row) throw missing()
  const { holder, before } = row
  if (before !== role) {
    const details = { [kind]: holder, role, ...(before !== null && { previousRole: before }) }
    await recordAuditEntry(tx, { action: `${action}_set`, target: toTarget(space), details })
  }
  return row
}

/** Takes a role in a space away. */
export async function removeRole(ctx: Ctx, kind: HolderKind, { space: slug, id }: RoleAddress): Promise<void> {
  const space = await requireRow(ctx, slug, 'admin')
  const { action, detail } = KINDS[kind]
  if (!isUuid(id)) throw new AppError('not_found', detail)
  await inTransaction(ctx, async (tx) => {
    const removedRow = await store.deleteRole(tx, { kind, spaceId: space.id, id })
    // After a lost response to the commit the role is gone already.
    if (!removedRow && tx.commitOutcomeUnknown) return
    if (!removedRow) throw new AppError('not_found', detail)
    const details = { [kind]: removedRow.holder, previousRole: removedRow.role }
    await recordAuditEntry(tx, { action: `${action}_removed`, target: toTarget(space), details })
  })
}

function showRole<Kind extends HolderKind>(kind: Kind, { holder, role, created_at }: RoleRow): Roles[Kind] {
  // the holder is of the kind
  return { [kind]: holder, role, createdAt: created_at.toISOString() } as unknown as Roles[Kind]
}
