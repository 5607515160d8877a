import { AppError } from '@recto/contract/errors.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { type Static, Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { requireEdited } from '../../../access/edited-page.ts'
import { timeSchema } from '../../../access/schema.ts'
import { autocommit } from '../../../platform/database/database.ts'
import type { Sweep } from '../../../platform/database/sweeper.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import { findMovedAddress } from '../../../platform/http/redirects.ts'
import { lines, nullable, strictObject } from '../../../platform/http/schemas.ts'
import { checkedBody } from '../body.ts'
import { type FavouriteAddress, requireTarget } from '../favourites/favourites.ts'
import { titledSchema } from '../schema.ts'
import * as store from './store-unsaved.ts'

export const MAX_UNSAVED = 100
/** A small batch, so that its locks are held for a short time. */
const BATCH = 100

const { icon: _, ...titled } = titledSchema.properties
const version = nullable(Type.Integer({ minimum: 1 }), 'The version that the text is based on; null: of a new page.')

/** What is kept. */
export const unsavedTextSchema = strictObject({
  body: Type.String({ description: 'Markdown.' }),
  note: Type.Optional(lines({ maxLength: 500, description: 'What changed; of a new page its title.' })),
  version: Type.Optional(version),
})
export const keptTextSchema = Type.Object({ body: Type.String(), note: Type.String(), version, savedAt: timeSchema })
export const unsavedItemSchema = Type.Object({
  space: titled.space,
  page: nullable(Type.Object(titled), 'Where the page is now; null: a new page of the space.'),
  version,
  savedAt: timeSchema,
})

export type UnsavedItem = Static<typeof unsavedItemSchema>

/** The page of an editor is named by what the editor got, too: another page may have taken its address. */
type EditedAddress = FavouriteAddress & { readonly editedPage?: string | undefined }

/** The unsaved texts of the caller, the last kept first. */
export async function listOwnUnsaved(ctx: Ctx): Promise<UnsavedItem[]> {
  return (await store.listUnsaved(ctx.db, ctx.actor, ctx.now())).map(toItem)
}

/** The unsaved text of the caller for a page, or without a path for a new page of the space. */
export async function findOwnUnsaved(
  ctx: Ctx,
  address: EditedAddress,
): Promise<Static<typeof keptTextSchema> | undefined> {
  const target = await followTarget(ctx, address)
  const row = await store.findUnsaved.first(ctx.db, { ...target, principalId: ctx.actor.id, now: ctx.now() })
  return row && { body: row.body, note: row.note, version: row.version, savedAt: row.saved_at.toISOString() }
}

/** Keeps the text that the caller has typed, in place of the one before. */
export async function keepUnsaved(
  ctx: Ctx,
  address: EditedAddress,
  { body, note = '', version = null }: Static<typeof unsavedTextSchema>,
): Promise<void> {
  checkedBody(body, ctx.config.maxBodyBytes)
  await inTransaction(ctx, async (tx) => {
    await store.lockUnsaved(tx, tx.actor.id)
    const target = await followTarget(tx, address)
    const row = { ...target, principalId: tx.actor.id, body, note, version, now: tx.now(), max: MAX_UNSAVED }
    const { is_full: isFull, is_stored: isStored } = (await store.saveUnsaved.first(tx.db, row)) ?? {}
    if (isFull)
      throw new AppError('invalid_request', `You have ${MAX_UNSAVED} unsaved texts. Save or discard one first.`)
    if (!isStored) throw new AppError('not_found', 'The page was moved or deleted at the same time.')
  })
}

/** Deletes the unsaved text of the caller. Repeating it changes nothing. */
export async function discardUnsaved(ctx: Ctx, address: EditedAddress): Promise<void> {
  const target = await followTarget(ctx, address)
  await store.deleteUnsaved.all(autocommit(ctx.db), { ...target, principalId: ctx.actor.id })
}

/** Unlike other writes, one of unsaved text follows a page that has moved: its editor may still be open. */
async function followTarget(ctx: Ctx, { space, path, editedPage }: EditedAddress) {
  if (path === undefined) return requireTarget(ctx, { space })
  const { spaceId, id } = await requireEdited(ctx, { space, path }, editedPage).catch((error: unknown) => {
    const newAddress = findMovedAddress(error)
    if (!newAddress) throw error
    return requireEdited(ctx, newAddress, editedPage)
  })
  return { spaceId, pageId: id }
}

function toItem({ space, path, title, version, saved_at }: store.ListedRow): UnsavedItem {
  const page = path === null ? null : { space, path, title: title ?? path, url: pageUrl(space, path) }
  return { space, page, version, savedAt: saved_at.toISOString() }
}

/** Deletes texts after their time. */
export const unsavedSweep: Sweep = {
  name: 'unsaved text sweep',
  batch: async (db, now) => (await store.deleteExpiredTexts.first(db, { now, limit: BATCH }))?.deleted ?? 0,
}
