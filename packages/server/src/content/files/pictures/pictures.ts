import { createHash } from 'node:crypto'
import { AppError } from '@recto/contract/errors.ts'
import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { requireOrgAdmin } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requireOwnProfile } from '../../../identity/people/profile.ts'
import { recordAuditEntry } from '../../../identity/principals/audit.ts'
import { lockPrincipal, noSuchPrincipal, type PrincipalRow } from '../../../identity/principals/principals.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { streamUpload } from '../blobs/download.ts'
import type { FilesCtx } from '../ctx.ts'
import type { Upload } from '../upload/upload.ts'
import { ImageError } from '../variants/image-process.ts'
import * as store from './store.ts'

/** The maximum size of an image that becomes a picture. */
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024

/** The picture of a person, for everybody who is signed in; undefined if there is none. */
export async function readPicture({ db }: Ctx, principalId: string): Promise<store.PictureRow | undefined> {
  return isUuid(principalId) ? store.findPicture.first(db, { principalId }) : undefined
}

/** Makes a small square of an image the caller's picture. The image itself is not kept. */
export async function setOwnPicture(ctx: FilesCtx, upload: Upload): Promise<void> {
  requireOwnProfile(ctx)
  const data = await makeSquare(ctx, upload)
  const digest = createHash('sha256').update(data).digest()
  const principalId = ctx.actor.id
  await inTransaction(ctx, async (tx) => {
    const person = await requirePrincipal(tx, principalId)
    const before = await store.findPicture.first(tx.db, { principalId })
    if (before?.digest.equals(digest)) return
    await store.putPicture(tx, { principalId, data, digest, now: tx.now() })
    await record(tx, person, before ? 'replaced' : 'added')
  })
}

/** Deletes the picture of the caller, or that of another person for an organisation admin. */
export async function removePicture(ctx: Ctx, principalId: string): Promise<void> {
  if (principalId === ctx.actor.id) requireOwnProfile(ctx)
  else requireOrgAdmin(ctx)
  if (!isUuid(principalId)) throw noSuchPrincipal()
  await inTransaction(ctx, async (tx) => {
    const person = await requirePrincipal(tx, principalId)
    if (await store.deletePicture(tx, principalId)) await record(tx, person, 'removed')
  })
}

async function makeSquare(ctx: FilesCtx, upload: Upload): Promise<Buffer> {
  try {
    return await ctx.files.variants.square(streamUpload(ctx, upload), upload.size)
  } catch (error) {
    if (!(error instanceof ImageError)) throw error
    const message =
      error.reason === 'unreadable'
        ? 'is not an image that can be decoded: choose a JPEG, PNG, WebP, GIF, AVIF or TIFF'
        : 'is too large to be decoded: choose a smaller image'
    throw new AppError('invalid_request', `The file ${message}.`, {
      issues: [{ path: '/picture', message }],
      cause: error,
    })
  }
}

async function requirePrincipal(tx: Pick<Tx, 'db'>, id: string): Promise<PrincipalRow> {
  const principal = await lockPrincipal(tx, id)
  if (!principal) throw noSuchPrincipal()
  return principal
}

function record(tx: Ctx & Tx, { id, name }: PrincipalRow, picture: string): Promise<void> {
  const target = { type: 'principal', id, name } as const
  return recordAuditEntry(tx, { action: 'principal.updated', target, details: { picture } })
}
