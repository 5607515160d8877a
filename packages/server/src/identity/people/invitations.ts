import { AppError, inputError } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath, parseSlug } from '@recto/contract/page-address.ts'
import { newToken } from '@recto/lib/encoding/token.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { isOrgAdmin, type Role, requireOrgAdmin, requireUnlimitedPerson } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace, type SpaceAccess } from '../../access/space.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { requireGroup, requireOwn } from '../groups/groups.ts'
import { type NewAuditTarget, recordAuditEntry } from '../principals/audit.ts'
import { hashKey } from '../principals/authenticate.ts'
import { emailTaken, parseEmail } from '../principals/email.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import type { Mailer } from './mail.ts'
import { limitInvitationMail } from './mail-limits.ts'
import { invitationMail } from './mail-texts.ts'
import type { createInvitationSchema, invitationSchema, inviteToSpaceSchema, sentSchema } from './schema.ts'
import { findByEmail } from './store.ts'
import * as store from './store-invitations.ts'

export const INVITATION_PREFIX = 'inv_'
const WEEK_MS = 7 * 24 * 3600_000

/** An invitation that nobody has accepted yet. */
export type Invitation = Static<typeof invitationSchema>

/** A new link, which only this response contains. */
export type SentInvitation = Static<typeof sentSchema>

export type NewInvitation = Static<typeof createInvitationSchema>

/** The scope of invitations: one space, for its admins, or the organisation, for its admins. */
export interface InvitationScope {
  readonly space?: string | undefined
}

/** The path of an invitation's link. */
export function invitationPath(token: string): string {
  return `/invitation/${token}`
}

/** Invites by e-mail address. Space admins invite members into their space; organisation admins anybody. */
export async function invite(
  ctx: Ctx,
  mailer: Mailer | undefined,
  input: NewInvitation & InvitationScope,
): Promise<SentInvitation> {
  const own = await requireScope(ctx, input)
  requireUnlimitedPerson(ctx, 'Inviting people')
  const email = parseEmail(input.email)
  const { role = 'member', guest = false } = input
  const namedSpaces = (input.spaces ?? []).map((named, index) => {
    const pointer = input.space === undefined ? `/spaces/${index}/role` : '/role'
    return { ...named, folder: parseFolder({ ...named, pointer }, guest) }
  })
  if (guest && role === 'admin') {
    throw inputError('invalid_request', 'A guest is no admin of the organisation.', '/guest', 'is impossible here')
  }
  await requireConfirmation(ctx)
  const spaces = await findSpaces(ctx, own, namedSpaces)
  const groups = own ? [] : await findGroups(ctx, input.groups ?? [])
  // Others are not told who has an account; the list of invitations says so to those who can add the person.
  if (isOrgAdmin(ctx.actor) && (await findByEmail.first(ctx.db, { email }))) throw emailTaken()
  const token = newToken(INVITATION_PREFIX)
  const invitation = { id: uuid7(), email, role, guest, hash: hashKey(token), spaces, groups, ...lifetime(ctx) }
  const row = await inTransaction(ctx, async (tx) => {
    const already = tx.commitOutcomeUnknown && (await store.findInvitation(tx.db, invitation.id, undefined))
    if (already) return already
    if (mailer) await limitInvitationMail(tx, { to: email, from: ctx.actor.id })
    await store.insertInvitation(tx, { ...invitation, invitedBy: ctx.actor.id })
    // With the names that its spaces and groups have now.
    const row = await requireOpen(tx, invitation.id)
    const { spaces, groups } = toInvitation(row, invitation.now)
    const details = { role, ...(guest && { guest }), spaces, ...(groups.length > 0 && { groups }) }
    await recordAuditEntry(tx, { action: 'invitation.created', target: toTarget(invitation), details })
    return row
  })
  return send(ctx, mailer, row, token)
}

/** The input of an invitation into one space. */
export function toSpaceInvitation(space: string, { role, folder, ...input }: Static<typeof inviteToSpaceSchema>) {
  return { ...input, space, spaces: [{ space, role, ...(folder !== undefined && { folder }) }] }
}

/** Open invitations, the oldest first; those that have expired can be sent again. */
export async function listInvitations(ctx: Ctx, query: PageQuery & InvitationScope): Promise<List<Invitation>> {
  const own = await requireScope(ctx, query)
  const window = parseWindow(ctx, `invitations/${own?.id ?? ''}`, query, ['id'])
  const rows = await store.listInvitations(ctx.db, { spaceId: own?.id, ...toKeyset(window) })
  return buildPage(window, rows, ['id'], (row) => ({ ...toInvitation(row, ctx.now()), hasAccount: row.has_account }))
}

/** Creates a new link for seven days; the old one stops working. */
export async function resendInvitation(
  ctx: Ctx,
  mailer: Mailer | undefined,
  { id, ...scope }: InvitationScope & { readonly id: string },
): Promise<SentInvitation> {
  const row = await requireInvitation(ctx, id, scope)
  requireUnlimitedPerson(ctx, 'Inviting people')
  await requireConfirmation(ctx)
  const token = newToken(INVITATION_PREFIX)
  const renewedInvitation = await inTransaction(ctx, async (tx) => {
    if (mailer) await limitInvitationMail(tx, { to: row.email, from: ctx.actor.id })
    if (!(await store.renewInvitation(tx, { id, hash: hashKey(token), ...lifetime(ctx) }))) throw noInvitation()
    await recordAuditEntry(tx, { action: 'invitation.sent_again', target: toTarget(row) })
    return requireOpen(tx, id)
  })
  return send(ctx, mailer, renewedInvitation, token)
}

/** Ends an invitation; its link stops working. */
export async function revokeInvitation(
  ctx: Ctx,
  { id, ...scope }: InvitationScope & { readonly id: string },
): Promise<void> {
  const row = await requireInvitation(ctx, id, scope)
  await inTransaction(ctx, async (tx) => {
    const deletedRow = await store.deleteInvitation(tx, id)
    if (!deletedRow && tx.commitOutcomeUnknown) return
    if (!deletedRow) throw noInvitation()
    await recordAuditEntry(tx, { action: 'invitation.revoked', target: toTarget(row) })
  })
}

async function send(
  ctx: Ctx,
  mailer: Mailer | undefined,
  row: store.InvitationRow,
  token: string,
): Promise<SentInvitation> {
  const url = ctx.config.publicUrl + invitationPath(token)
  const isMailed = (await mailer?.send(() => invitationMail(row, url), null)) ?? false
  return { invitation: toInvitation(row, ctx.now()), url, mailed: isMailed }
}

async function requireScope(ctx: Ctx, { space }: InvitationScope): Promise<SpaceAccess | undefined> {
  if (space === undefined) {
    requireOrgAdmin(ctx)
    return undefined
  }
  const spaceAccess = await requireSpace(ctx, space, 'admin')
  if (spaceAccess.kind === 'shared') return spaceAccess
  throw new AppError('invalid_request', 'A personal space has no members: nobody can be invited into it.')
}

async function requireInvitation(ctx: Ctx, id: string, scope: InvitationScope): Promise<store.InvitationRow> {
  const own = await requireScope(ctx, scope)
  return requireOpen(ctx, id, own?.id)
}

async function requireOpen({ db }: Pick<Ctx, 'db'>, id: string, spaceId?: number) {
  const row = isUuid(id) ? await store.findInvitation(db, id, spaceId) : undefined
  if (!row) throw noInvitation()
  return row
}

/** The shared spaces and folders that an invitation names; `own`: all are of this space. */
async function findSpaces(
  ctx: Ctx,
  own: SpaceAccess | undefined,
  namedSpaces: readonly { readonly space: string; readonly role: Role; readonly folder: string | null }[],
) {
  const unique = new Map(namedSpaces.map((named) => [`${parseSlug(named.space)}/${named.folder ?? ''}`, named]))
  return Promise.all(
    [...unique.values()].map(async ({ space: slug, role, folder }) => {
      const space = own ?? (await requireScope(ctx, { space: parseSlug(slug) }))
      return { id: space?.id ?? 0, role, folder }
    }),
  )
}

/** The path of the only folder that is given; null: the space is. `pointer`: where its role is in the input. */
function parseFolder({ folder, role, pointer }: { folder?: string; role: Role; pointer: string }, guest: boolean) {
  if (folder === undefined) return null
  const path = parsePagePath(folder)
  checkNewPath(path)
  if (!guest) throw inputError('invalid_request', 'Only guests are invited to a folder.', '/guest', 'is missing')
  if (role === 'admin') throw inputError('invalid_request', 'A folder has no admins.', pointer, 'is impossible here')
  return path
}

/** The groups in the input of an organisation admin. */
async function findGroups(ctx: Ctx, ids: readonly string[]) {
  return Promise.all([...new Set(ids)].map(async (id) => requireOwn(await requireGroup(ctx, id)).id))
}

function lifetime(ctx: Ctx): { readonly now: Date; readonly expiresAt: Date } {
  const now = ctx.now()
  return { now, expiresAt: new Date(now.getTime() + WEEK_MS) }
}

function toTarget({ id, email }: { readonly id: string; readonly email: string }): NewAuditTarget {
  return { type: 'invitation', id, name: email }
}

function noInvitation(): AppError {
  return new AppError('not_found', 'There is no open invitation with this id.')
}

function toInvitation({ has_account: _, ...row }: store.InvitationRow, now: Date): Invitation {
  return {
    ...toItem(row),
    spaces: row.spaces.map(({ slug, role, folder }) => ({ space: slug, role, ...(folder !== null && { folder }) })),
    expired: row.expires_at <= now,
  }
}
