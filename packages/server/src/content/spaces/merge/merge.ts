import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { requireOrgAdmin, requireUnlimitedPerson } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { endCredentials } from '../../../identity/people/end-credentials.ts'
import type { Mailer } from '../../../identity/people/mail.ts'
import { mergedMail } from '../../../identity/people/mail-texts.ts'
import { recordAuditEntries } from '../../../identity/principals/audit.ts'
import { normalizedEmail } from '../../../identity/principals/email.ts'
import { ensureAdminRemains } from '../../../identity/principals/last-admin.ts'
import {
  changePrincipal,
  lockPrincipal,
  noSuchPrincipal,
  type Principal,
  type PrincipalRow,
  toPrincipal,
} from '../../../identity/principals/principals.ts'
import { requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { deleteRows, hasContent } from '../store-delete.ts'
import * as store from './store-merge.ts'

/**
 * Merges an account into another one of the same person (by id or e-mail address), in one transaction. Roles in spaces,
 * groups, identities at providers, favourites and the personal space move; the e-mail address where the other account
 * has none. Keys, apps, sessions, the password and the passkeys of the merged account end, because whoever has them
 * would get the rights of the other one. It stays, disabled, as the author of what it wrote, under the name of the
 * other. The person is told by mail. Returns the account that remains, with its own role in the organisation.
 */
export async function mergeAccounts(
  ctx: Ctx,
  mailer: Mailer | undefined,
  { id, into }: { readonly id: string; readonly into: string },
): Promise<Principal> {
  requireOrgAdmin(ctx)
  requireUnlimitedPerson(ctx, 'Merging accounts')
  await requireConfirmation(ctx)
  const targetId = isUuid(into) ? into : await store.findIdByEmail(ctx.db, normalizedEmail(into))
  if (!isUuid(id) || targetId === undefined) throw noSuchPrincipal()
  let former: Pick<PrincipalRow, 'email' | 'language'> | undefined
  const row = await inTransaction(ctx, (tx) =>
    ensureAdminRemains(tx, async () => {
      // In one order: of two admins who merge both ways the second is refused.
      const lockedPrincipals = new Map<string, PrincipalRow | undefined>()
      for (const each of [id, targetId].toSorted()) lockedPrincipals.set(each, await lockPrincipal(tx, each))
      const [from, to] = [lockedPrincipals.get(id), lockedPrincipals.get(targetId)]
      if (!from || !to) throw noSuchPrincipal()
      if (tx.commitOutcomeUnknown && from.merged_into === to.id) return to
      await checkMergeable(tx, from, to)
      former = from
      return merge(tx, from, to)
    }),
  )
  // To both addresses: the person may read only one of them. No response waits for it.
  const language = row.language ?? former?.language ?? null
  for (const to of new Set([row.email, former?.email])) {
    if (to) void mailer?.send(() => mergedMail(to, { by: ctx.actor.name, remaining: row.email }), language)
  }
  return toPrincipal(row)
}

async function checkMergeable(tx: Ctx & Tx, from: PrincipalRow, to: PrincipalRow): Promise<void> {
  if (from.id === to.id) throw notMergeable('An account cannot be merged into itself.')
  if (from.kind !== 'human' || to.kind !== 'human') throw notMergeable('Only accounts of people can be merged.')
  if (from.disabled_at || to.disabled_at)
    throw notMergeable('A disabled account stays disabled: enable it first if it is to be merged.')
  if (from.id === tx.actor.id)
    throw notMergeable('You use this account: sign in with the one that is to remain, and merge this one.')
  if (await store.isProvisioned(tx, from.id))
    throw notMergeable('Your identity provider keeps this account (SCIM): merge the other one into it.')
}

async function merge(tx: Ctx & Tx, from: PrincipalRow, to: PrincipalRow): Promise<PrincipalRow> {
  await movePersonalSpace(tx, from.id, to.id)
  const spaces = await store.moveMemberships(tx, from.id, to.id)
  const groups = await store.moveGroups(tx, from.id, to.id)
  await store.moveRuleEntries(tx, from.id, to.id)
  await store.moveOthers(tx, from.id, to.id)
  await endCredentials(tx, from.id)
  await changePrincipal(tx, from, { name: to.name, email: null, disabled: true })
  await store.keepMerged(tx, from.id, to.id)
  const principal = { id: to.id, name: to.name, kind: to.kind }
  await recordAuditEntries(tx, [
    {
      action: 'principal.merged',
      target: { type: 'principal', id: from.id, name: from.name },
      details: { into: principal, groups, spaces: spaces.map(({ slug, role }) => ({ space: slug, role })) },
    },
    ...spaces.map(
      ({ id: spaceId, slug, name, role }) =>
        ({
          action: 'space.member_set',
          target: { type: 'space', spaceId, id: slug, name },
          details: { principal, role, merged: from.id },
        }) as const,
    ),
  ])
  return to.email === null && from.email !== null ? changePrincipal(tx, to, { email: from.email }) : to
}

/** The personal space moves whole, with its addresses and history. Of two with pages the person has to empty one. */
async function movePersonalSpace(tx: Ctx & Tx, fromId: string, toId: string): Promise<void> {
  const spaces = await store.lockPersonalSpaces(tx, [fromId, toId])
  const [own, others] = [spaces.get(fromId), spaces.get(toId)]
  if (own === undefined || !(await hasContent(tx, own))) return
  if (others !== undefined) {
    if (await hasContent(tx, others)) throw notMergeable(BOTH_HAVE_PAGES)
    await deleteRows(tx, others)
  }
  await store.giveSpace(tx, { spaceId: own, ownerId: toId, replaces: others })
}

const BOTH_HAVE_PAGES =
  'Both accounts have pages or files in their personal space, and only the person can read them. ' +
  'Before its keys and sign-in end, they sign in with the account that is to end, ' +
  'export its personal space with its history (`/export/personal`), import that archive with the other account ' +
  '(`/import/personal`), and, once all is there, delete everything in the first one, in its trash as well. ' +
  'Then merge again.'

function notMergeable(detail: string): AppError {
  return new AppError('accounts_not_mergeable', detail)
}
