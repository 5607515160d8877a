import { given } from '@recto/lib/given.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { orEmailTaken, parseEmail } from '../principals/email.ts'
import { changePrincipal, deleteLinks, lockPrincipal, type PrincipalRow } from '../principals/principals.ts'
import { deleteSessions } from '../sessions/sessions.ts'
import { linkHash, linkInvalid, type OpenLink, openLink } from './links.ts'
import { type LinkDeps, type NewSignIn, prepareSignIn, type SignInMethod } from './new-sign-in.ts'
import { takeLink } from './store.ts'

/** The input of the holder of a link. Name and e-mail address are used for the first account only. */
export type Redemption = SignInMethod & { readonly name?: string; readonly email?: string }

/**
 * Uses a link: sets the password of its account, and for the first account its name and e-mail address, and a password
 * or a passkey. All sessions of the account end. Returns the id of the account; throws `link_invalid` if the link was
 * used in the meantime.
 */
export async function redeemLink(deps: LinkDeps, token: string, input: Redemption): Promise<string> {
  const link = await openLink(deps, token)
  const hash = linkHash(token)
  if (!hash) throw linkInvalid()
  const own = link.purpose === 'setup' ? given({ name: input.name, email: parseEmail(input.email ?? '') }) : undefined
  if (link.purpose !== 'setup' && !('password' in input)) throw linkInvalid()
  const signIn = await prepareSignIn(deps, token, input)
  await orEmailTaken(() =>
    inTransaction(deps, async (tx) => {
      // The account is locked first, in the same order as elsewhere: an admin may disable it concurrently.
      const account = await lockPrincipal(tx, link.principalId)
      const takenLink = await takeLink(tx, hash)
      if (!takenLink && tx.commitOutcomeUnknown && (await signIn.isStored(tx, link.principalId))) return
      if (!takenLink || !account || account.disabled_at) throw linkInvalid()
      if (own) await changePrincipal({ ...tx, actor: account }, account, own)
      await signIn.store(tx, account.id)
      await deleteLinks(tx, account.id)
      await deleteSessions(tx, account.id)
      await recordSignIn(tx, account, link, signIn)
    }),
  )
  return link.principalId
}

async function recordSignIn(
  tx: LinkDeps & Pick<Tx, 'db' | 'publish'>,
  account: PrincipalRow,
  { purpose }: OpenLink,
  { event: { action, details } }: NewSignIn,
): Promise<void> {
  const target = { type: 'principal', id: account.id, name: account.name } as const
  await recordAuditEntry({ ...tx, actor: account }, { action, target, details: { ...details, link: purpose } })
}
