import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { newToken } from '@recto/lib/encoding/token.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { toRank } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requirePage } from '../../../access/page.ts'
import { rankPaths, requireWriter } from '../../../access/space.ts'
import { parseFuture } from '../../../access/time.ts'
import { hashPassword } from '../../../identity/people/password-hash.ts'
import { checkNewPassword } from '../../../identity/people/password-rules.ts'
import { recordAuditEntry } from '../../../identity/principals/audit.ts'
import { hashKey } from '../../../identity/principals/authenticate.ts'
import { requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import { toItem } from '../../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../../platform/http/paging.ts'
import type { CreateShare, Share } from './schema.ts'
import { findShare, insertShare, listShares, revokeById, type ShareRow } from './store-shares.ts'

export const SHARE_PREFIX = 'shr_'

/** The path of the screen of a link. */
export const sharePath = (secret: string) => `/s/${secret}`

/** Makes a link for a page. Only an editor does so in person: no key, no app and no agent gives pages away. */
export async function createShare(ctx: Ctx, address: PageAddress, input: CreateShare) {
  await requirePage(ctx, address, 'organizer')
  if (ctx.actor.sessionId === undefined || ctx.actor.kind !== 'human') {
    throw new AppError('forbidden', 'Only a person who is signed in with a browser makes share links.')
  }
  if (!ctx.config.shares) throw sharesOff()
  await requireConfirmation(ctx)
  const expiresAt = input.expiresAt === undefined ? null : parseFuture(input.expiresAt, '/expiresAt', ctx.now())
  if (input.password !== undefined) await checkNewPassword(input.password)
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password)
  const [id, secret, now] = [uuid7(), newToken(SHARE_PREFIX), ctx.now()]
  const share = await inTransaction(ctx, async (tx) => {
    const page = await requirePage(tx, address, 'organizer')
    const isStored = await insertShare(tx, {
      ...{ id, hash: hashKey(secret), spaceId: page.spaceId, pageId: page.id, passwordHash, expiresAt, now },
      withChildren: input.withChildren ?? false,
      creatorId: tx.actor.id,
    })
    if (!isStored) throw sharesOff()
    const row = await findShare(tx.db, id, now)
    if (!row) throw new Error('the link was just stored')
    await audit(tx, 'share.created', row)
    return toShare(row)
  })
  return { ...share, url: ctx.config.publicUrl + sharePath(secret) }
}

/** The links of a page, or without a path of a space: all of them for its admins, their own for other editors. */
export async function listSharesAt(
  ctx: Ctx,
  { space: slug, path, ...paging }: PageQuery & { readonly space: string; readonly path?: string },
): Promise<List<Share>> {
  const page = path === undefined ? undefined : await requirePage(ctx, { space: slug, path }, 'organizer')
  const { id: spaceId, rank } = page ? { id: page.spaceId, rank: page.rank } : await requireWriter(ctx, slug)
  const window = parseWindow(ctx, `shares/${spaceId}/${page?.id ?? ''}`, paging, ['id'])
  const rows = await listShares(ctx.db, ctx.actor, {
    ...{ spaceId, pageId: page?.id, isAdmin: rank >= toRank('admin'), now: ctx.now() },
    ...toKeyset(window),
  })
  return buildPage(window, rows, ['id'], toShare)
}

/** A link, for who made it and the admins of its space. */
export async function readShare(ctx: Ctx, id: string): Promise<Share> {
  return toShare(await requireShare(ctx, id))
}

/** Revokes a link at once. Repeating it changes nothing. */
export async function revokeShare(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const row = await requireShare(tx, id)
    if (await revokeById(tx, id, tx.now())) await audit(tx, 'share.revoked', row)
  })
}

async function requireShare(ctx: Pick<Ctx, 'db' | 'actor' | 'now'>, id: string): Promise<ShareRow> {
  const row = isUuid(id) ? await findShare(ctx.db, id, ctx.now()) : undefined
  const [place] = row ? await rankPaths(ctx, row.space_id, [row.path]) : []
  const [rank, isOwn] = [place?.rank ?? 0, row?.created_by.id === ctx.actor.id]
  if (row && rank >= toRank(isOwn ? 'viewer' : 'admin')) return row
  throw new AppError('not_found', 'There is no such share link that you can manage.')
}

/** The administrators who read the log must not see personal spaces. */
async function audit(tx: Ctx & Tx, action: 'share.created' | 'share.revoked', row: ShareRow): Promise<void> {
  if (row.space === 'personal') return
  const { id, path, with_children: withChildren, space, space_id: spaceId } = row
  const target = { type: 'space', id: space, name: space, spaceId } as const
  await recordAuditEntry(tx, { action, target, details: { id, path, withChildren } })
}

function sharesOff(): AppError {
  return new AppError('forbidden', 'Share links are switched off, here or in the whole workspace.')
}

function toShare({ space_id: _, ...row }: ShareRow): Share {
  return toItem(row)
}
