import { recordAuditEntry } from '../access/audit.ts'
import type { Ctx, Runtime } from '../access/ctx.ts'
import { orEmailTaken, parseEmail } from '../access/email.ts'
import { deleteLinksOf, lockPrincipal, type PrincipalRow } from '../access/principals.ts'
import { deleteSessionsOf } from '../access/sessions/sessions.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { linkHash, linkInvalid, type OpenLink, openLink } from './links.ts'
import { hashPassword } from './password-hash.ts'
import { checkNewPassword } from './password-rules.ts'
import { isStored, putPassword } from './store.ts'
import { takeLink } from './store-links.ts'

export type LinkDeps = Pick<Runtime, 'db' | 'now'> & Pick<Ctx, 'address'>

/** The input of the holder of a link. Name and e-mail address are used for the first account only. */
export interface Redemption {
  readonly password: string
  readonly name?: string
  readonly email?: string
}

/**
 * Uses a link: sets the password of its account, and for the first account its name and e-mail address. All sessions
 * of the account end. Returns the id of the account; throws `link_invalid` if the link was used in the meantime.
 */
export async function redeemLink(deps: LinkDeps, token: string, input: Redemption): Promise<string> {
  const link = await openLink(deps, token)
  const hash = linkHash(token)
  if (!hash) throw linkInvalid()
  const own = link.purpose === 'setup' ? { name: input.name, email: parseEmail(input.email ?? '') } : {}
  await checkNewPassword(input.password)
  const passwordHash = await hashPassword(input.password)
  await orEmailTaken(() =>
    inTransaction(deps, async (tx) => {
      // The account is locked first, in the same order as elsewhere: an admin may disable it concurrently.
      const account = await lockPrincipal(tx, link.principalId)
      const taken = await takeLink(tx, hash)
      if (!taken && tx.commitOutcomeUnknown && (await isStored(tx, link.principalId, passwordHash))) return
      if (!taken || !account || account.disabled_at) throw linkInvalid()
      await setUp(tx, account, own)
      await putPassword(tx, { principalId: account.id, hash: passwordHash, now: tx.now() })
      await deleteLinksOf(tx, account.id)
      await deleteSessionsOf(tx, account.id)
      await recordPasswordSet(tx, account, link)
    }),
  )
  return link.principalId
}

async function setUp(
  tx: LinkDeps & Pick<Tx, 'db'>,
  before: PrincipalRow,
  {
    name = before.name,
    email = before.email,
  }: { readonly name?: string | undefined; readonly email?: string | null },
): Promise<void> {
  if (name === before.name && email === before.email) return
  await tx.db.updateTable('principal').set({ name, email }).where('id', '=', before.id).execute()
  const target = { type: 'principal', id: before.id, name } as const
  const details = {
    ...(name !== before.name && { name: { from: before.name, to: name } }),
    ...(email !== before.email && { email: { from: before.email, to: email } }),
  }
  await recordAuditEntry({ ...tx, actor: before }, { action: 'principal.updated', target, details })
}

async function recordPasswordSet(
  tx: LinkDeps & Pick<Tx, 'db'>,
  account: PrincipalRow,
  { purpose }: OpenLink,
): Promise<void> {
  const target = { type: 'principal', id: account.id, name: account.name } as const
  await recordAuditEntry(
    { ...tx, actor: account },
    { action: 'password.set', target, details: { link: purpose } },
  )
}
