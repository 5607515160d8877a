import { recordAuditEntry } from '../access/audit.ts'
import { hashKey } from '../access/authenticate.ts'
import type { Runtime } from '../access/ctx.ts'
import { orEmailTaken } from '../access/email.ts'
import { groupTarget } from '../access/groups/groups.ts'
import { insertPrincipal } from '../access/principals.ts'
import { insertPersonalSpace } from '../access/space.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { isToken } from '../lib/encoding/token.ts'
import { uuid7 } from '../lib/encoding/uuid7.ts'
import { INVITATION_PREFIX } from './invitations.ts'
import { linkInvalid } from './links.ts'
import { type LinkDeps, type NewSignIn, prepareSignIn, type SignInMethod } from './new-sign-in.ts'
import {
  findByHash,
  type InvitationRow,
  joinGroups,
  joinSpaces,
  takeInvitation,
} from './store-invitations.ts'

export type OpenInvitation = Awaited<ReturnType<typeof openInvitation>>

/** The invitation of a link, as its holder sees it before accepting it; throws `link_invalid` for any reason. */
export async function openInvitation({ db }: Pick<Runtime, 'db'>, token: string) {
  const row = isToken(INVITATION_PREFIX, token)
    ? await findByHash.first(db, { hash: hashKey(token) })
    : undefined
  if (!row) throw linkInvalid()
  const { email, role, spaces, invited_by } = row
  return { email, role, spaces, invitedBy: invited_by.name }
}

/**
 * Accepts an invitation: creates the account with its password or passkey, its roles and a personal space. Returns its id;
 * throws `link_invalid` if the link was used or revoked in the meantime, and `email_taken` if another principal has the
 * e-mail address by now.
 */
export async function acceptInvitation(
  deps: LinkDeps,
  token: string,
  input: SignInMethod & { readonly name: string },
): Promise<string> {
  await openInvitation(deps, token)
  const signIn = await prepareSignIn(deps, token, input)
  const id = signIn.accountId ?? uuid7()
  await orEmailTaken(() =>
    inTransaction(deps, async (tx) => {
      if (tx.commitOutcomeUnknown && (await signIn.isStored(tx, id))) return
      const now = tx.now()
      const invitation = await takeInvitation(tx, hashKey(token), now)
      if (!invitation) throw linkInvalid()
      const { email, role } = invitation
      await insertPrincipal(tx, { id, name: input.name, kind: 'human', role, email, now })
      await signIn.store(tx, id)
      await insertPersonalSpace(tx.db, id, now)
      await joinSpaces(tx, invitation, id, now)
      await joinGroups(tx, invitation, id, now)
      await recordAcceptance(tx, invitation, { id, name: input.name }, signIn)
    }),
  )
  return id
}

/** The actor in the audit log: of the account the person itself, of the roles the inviter. */
async function recordAcceptance(
  tx: LinkDeps & Pick<Tx, 'db' | 'publish'>,
  { id, email, role, invited_by, spaces, groups }: InvitationRow,
  account: { readonly id: string; readonly name: string },
  { event }: NewSignIn,
): Promise<void> {
  const invitation = { type: 'invitation', id, name: email } as const
  const target = { type: 'principal', ...account } as const
  const own = { ...tx, actor: account }
  await recordAuditEntry(own, { action: 'invitation.accepted', target: invitation })
  const details = { kind: 'human', role, email, invitation: id }
  await recordAuditEntry(own, { action: 'principal.created', target, details })
  await recordAuditEntry(own, { ...event, target })
  const principal = { ...account, kind: 'human' }
  const by = { ...tx, actor: invited_by }
  for (const group of groups) {
    await recordAuditEntry(by, {
      action: 'group.member_added',
      target: groupTarget(group),
      details: { principal, invitation: id },
    })
  }
  for (const { id: spaceId, slug, name, role } of spaces) {
    await recordAuditEntry(by, {
      action: 'space.member_set',
      target: { type: 'space', spaceId, id: slug, name },
      details: { principal, role, invitation: id },
    })
  }
}
