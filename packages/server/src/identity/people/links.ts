import { AppError } from '@recto/contract/errors.ts'
import { isToken, newToken } from '@recto/lib/encoding/token.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { requireOrgAdmin, requireUnlimitedPerson } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { hashKey } from '../principals/authenticate.ts'
import { lockPrincipal, noSuchPrincipal } from '../principals/principals.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import type { linkSchema } from './schema.ts'
import { findLink, insertLink, type LinkPurpose } from './store.ts'

const LINK_PREFIX = 'lnk_'
const DAY_MS = 24 * 3600_000
/** How long a link works: the setup may happen the day after the first start, a mail about a password is read soon. */
const DAYS: Readonly<Record<LinkPurpose, number>> = { setup: 7, password: 1 }

/** A link with its secret, which only this response contains. */
export type CreatedLink = Static<typeof linkSchema>

export function linkPath(token: string): string {
  return `/link/${token}`
}

/** The SHA-256 under which a link is stored; undefined if the text is not a token. */
export function linkHash(token: string): Buffer | undefined {
  return isToken(LINK_PREFIX, token) ? hashKey(token) : undefined
}

/** Inserts a link in the transaction and returns its token. */
export async function issueLink(
  tx: Pick<Tx, 'db'>,
  link: { readonly purpose: LinkPurpose; readonly principalId: string; readonly now: Date },
  token: string = newToken(LINK_PREFIX),
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const expiresAt = new Date(link.now.getTime() + DAYS[link.purpose] * DAY_MS)
  await insertLink(tx, { ...link, hash: hashKey(token), expiresAt })
  return { token, expiresAt }
}

/** A link for a new password, which replaces an earlier link. The caller passes it on. For organisation admins. */
export async function createPasswordLink(ctx: Ctx, principalId: string): Promise<CreatedLink> {
  requireOrgAdmin(ctx)
  requireUnlimitedPerson(ctx, 'Letting somebody choose a password')
  await requireConfirmation(ctx)
  if (!isUuid(principalId)) throw noSuchPrincipal()
  const token = newToken(LINK_PREFIX)
  const { expiresAt } = await inTransaction(ctx, async (tx) => {
    const person = await lockPrincipal(tx, principalId)
    if (!person) throw noSuchPrincipal()
    if (person.kind !== 'human') throw unfit('Agents have no password: create an API key.')
    if (person.disabled_at) throw unfit('The account is disabled.')
    if (person.email === null) throw unfit('The account has no e-mail address to sign in with: add one first.')
    const link = await issueLink(tx, { purpose: 'password', principalId, now: ctx.now() }, token)
    const target = { type: 'principal', id: person.id, name: person.name } as const
    await recordAuditEntry(tx, { action: 'password.link_created', target })
    return link
  })
  return { url: ctx.config.publicUrl + linkPath(token), expiresAt: expiresAt.toISOString() }
}

export type OpenLink = Awaited<ReturnType<typeof openLink>>

/** The account and the purpose of the link of a token; throws `link_invalid` for any reason. */
export async function openLink({ db }: Pick<Ctx, 'db'>, token: string) {
  const hash = linkHash(token)
  const row = hash && (await findLink.first(db, { hash }))
  if (!row) throw linkInvalid()
  return { purpose: row.purpose, principalId: row.principal_id, name: row.name, email: row.email }
}

export function linkInvalid(): AppError {
  return new AppError('link_invalid', 'This link does not work any more. Ask for a new one.')
}

function unfit(detail: string): AppError {
  return new AppError('invalid_request', detail)
}
