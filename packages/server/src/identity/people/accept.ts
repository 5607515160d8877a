import { isToken } from '@recto/lib/encoding/token.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Runtime } from '../../access/ctx.ts'
import { insertPersonalSpace } from '../../access/space.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { groupTarget } from '../groups/groups.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { hashKey } from '../principals/authenticate.ts'
import { orEmailTaken } from '../principals/email.ts'
import { insertPrincipal, type PrincipalRow } from '../principals/principals.ts'
import { INVITATION_PREFIX } from './invitations.ts'
import { linkInvalid } from './links.ts'
import { type LinkDeps, type NewSignIn, prepareSignIn, type SignInMethod } from './new-sign-in.ts'
import { findByHash, type InvitationRow, joinGroups, joinSpaces, takeInvitations } from './store-invitations.ts'

/** Gives an account the folders of an invitation that was taken, whose rules are in the layer of spaces above. */
export type JoinFolders = (
  tx: Pick<LinkDeps, 'now' | 'address'> & Pick<Tx, 'db' | 'publish'>,
  invitation: Pick<InvitationRow, 'id' | 'invited_by'>,
  account: InvitedAccount,
) => Promise<void>

/** The account that accepts an invitation. */
type InvitedAccount = Pick<PrincipalRow, 'id' | 'name' | 'guest'>

export type OpenInvitation = Awaited<ReturnType<typeof openInvitation>>

/** The SHA-256 under which an invitation is stored; undefined if the text is not the token of one. */
export function invitationHash(token: string): Buffer | undefined {
  return isToken(INVITATION_PREFIX, token) ? hashKey(token) : undefined
}

/** The invitation of a link, as its holder sees it before accepting it; throws `link_invalid` for any reason. */
export async function openInvitation({ db }: Pick<Runtime, 'db'>, token: string) {
  const hash = invitationHash(token)
  const row = hash && (await findByHash.first(db, { hash }))
  if (!row) throw linkInvalid()
  const { email, role, spaces, invited_by } = row
  return { email, role, spaces, invitedBy: invited_by.name }
}

/**
 * Accepts an invitation: creates the account with its password or passkey, its roles and a personal space. Returns its
 * id; throws `link_invalid` if the link was used or revoked in the meantime, and `email_taken` if another principal has
 * the e-mail address by now.
 */
export async function acceptInvitation(
  deps: LinkDeps & { readonly joinFolders: JoinFolders },
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
      const [invitation] = await takeInvitations(tx, { hash: hashKey(token), now })
      if (!invitation) throw linkInvalid()
      const { email, role, guest } = invitation
      await insertPrincipal(tx, { id, name: input.name, kind: 'human', role, guest, email, now })
      await signIn.store(tx, id)
      if (!guest) await insertPersonalSpace(tx.db, id, now)
      const account = { id, name: input.name, guest }
      await recordAccount(tx, invitation, account, signIn)
      await joinInvited(tx, invitation, account)
    }),
  )
  return id
}

async function recordAccount(
  tx: LinkDeps & Pick<Tx, 'db' | 'publish'>,
  { id, email, role, guest }: InvitationRow,
  account: { readonly id: string; readonly name: string },
  { event }: NewSignIn,
): Promise<void> {
  const target = { type: 'principal', id: account.id, name: account.name } as const
  const details = { kind: 'human', role, ...(guest && { guest }), email, invitation: id }
  const own = { ...tx, actor: account }
  await recordAuditEntry(own, { action: 'principal.created', target, details })
  await recordAuditEntry(own, { ...event, target })
}

/** Gives a person what an invitation names. In the audit log the person joins, and the inviter gives. */
export async function joinInvited(
  tx: Parameters<JoinFolders>[0] & { readonly joinFolders: JoinFolders },
  invitation: InvitationRow,
  account: InvitedAccount,
): Promise<void> {
  const { id: accountId, name } = account
  const { id, email, invited_by, spaces, groups } = invitation
  const now = tx.now()
  await joinSpaces(tx, invitation, accountId, now)
  await joinGroups(tx, invitation, accountId, now)
  await tx.joinFolders(tx, invitation, account)
  const target = { type: 'invitation', id, name: email } as const
  const actor = { id: accountId, name }
  await recordAuditEntry({ ...tx, actor }, { action: 'invitation.accepted', target })
  const principal = { id: accountId, name, kind: 'human' }
  const by = { ...tx, actor: invited_by }
  for (const group of groups) {
    await recordAuditEntry(by, {
      action: 'group.member_added',
      target: groupTarget(group),
      details: { principal, invitation: id },
    })
  }
  for (const { id: spaceId, slug, name, role } of spaces.filter(({ folder }) => folder === null)) {
    await recordAuditEntry(by, {
      action: 'space.member_set',
      target: { type: 'space', spaceId, id: slug, name },
      details: { principal, role, invitation: id },
    })
  }
}
