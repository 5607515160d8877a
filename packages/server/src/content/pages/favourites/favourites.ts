import { AppError } from '@recto/contract/errors.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { iconMember } from '@recto/lib/text/emoji.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { withoutRedirect } from '../../../access/missing.ts'
import { requirePage } from '../../../access/page.ts'
import { requireSpace } from '../../../access/space.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../../platform/http/paging.ts'
import type { favouriteSchema } from '../schema.ts'
import * as store from './store-favourites.ts'

export type Favourite = Static<typeof favouriteSchema>

/** A page, or without a path a space. */
export interface FavouriteAddress {
  readonly space: string
  readonly path?: string | undefined
}

export const MAX_FAVOURITES = 1000

/** The favourites of the caller, the last added first. */
export async function listOwnFavourites(ctx: Ctx, paging: PageQuery): Promise<List<Favourite>> {
  const window = parseWindow(ctx, 'favourites', paging, ['time', 'integer', 'integer'])
  const after = window.after as store.FavouritePosition | undefined // the shape was checked
  const rows = await store.listFavourites(ctx.db, ctx.actor, { after, limit: window.limit + 1 })
  return buildPage(window, rows, ['created_at', 'space_id', 'page_id'], toFavourite)
}

/** Whether a page or space is a favourite of the caller. */
export async function isFavourite(ctx: Ctx, address: FavouriteAddress): Promise<boolean> {
  const target = await requireTarget(ctx, address)
  return (await store.findFavourite.first(ctx.db, { ...target, principalId: ctx.actor.id })) !== undefined
}

/** Adds a page or space to the favourites of the caller, or removes it. Repeating it changes nothing. */
export async function setFavourite(ctx: Ctx, address: FavouriteAddress, isOn: boolean): Promise<void> {
  const target = await requireTarget(ctx, address).catch(withoutRedirect)
  const mark = { ...target, principalId: ctx.actor.id }
  const db = autocommit(ctx.db)
  if (!isOn) {
    await store.removeFavourite.all(db, mark)
    return
  }
  const addedRow = await store.addFavourite.first(db, { ...mark, now: ctx.now(), max: MAX_FAVOURITES })
  if (addedRow?.is_full)
    throw new AppError('invalid_request', `You have ${MAX_FAVOURITES} favourites. Remove one first.`)
}

/** The page or space at an address that the caller reads. */
export async function requireTarget(ctx: Ctx, { space, path }: FavouriteAddress): Promise<store.Target> {
  if (path === undefined) return { spaceId: (await requireSpace(ctx, space, 'viewer')).id, pageId: null }
  const page = await requirePage(ctx, { space, path }, 'viewer')
  return { spaceId: page.spaceId, pageId: page.id }
}

function toFavourite(row: store.FavouriteRow): Favourite {
  const { space, space_name, space_icon, path, title, icon, created_at } = row
  return {
    space,
    spaceName: space_name,
    ...(space_icon !== null && { spaceIcon: space_icon }),
    page: path === null ? null : { space, path, title: title ?? path, url: pageUrl(space, path), ...iconMember(icon) },
    createdAt: created_at.toISOString(),
  }
}
