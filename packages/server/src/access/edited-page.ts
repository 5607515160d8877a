import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { sql } from 'kysely'
import { read } from '../platform/database/database.ts'
import { msg } from '../platform/language/t.ts'
import type { Ctx } from './ctx.ts'
import { requirePage } from './page.ts'
import { type AccessSubject, isVisible, memberJoin, rankIn, toAccessSubject } from './visibility.ts'

/** Sealed like a cursor, so that it tells nothing of how many pages there are. */
const NAME = 'edited page'

/** What is said where another page is at the address. */
export const GONE = msg('The page that you edited is no longer at this address.')

interface PageId {
  readonly spaceId: number
  readonly id: number
}

/** What an open editor says its page by: the page keeps it when it moves, and another one may take its address. */
export function toEditedPage({ cursors }: Pick<Ctx, 'cursors'>, { spaceId, id }: PageId): string {
  return cursors.seal(NAME, [spaceId, id])
}

/** Where the page of an editor is now, that was opened at an address; `not_found` if another page is there. */
export async function requireEdited(
  ctx: Ctx,
  address: PageAddress,
  editedPage: string | undefined,
): Promise<PageAddress & PageId> {
  const [spaceId, id] = (editedPage !== undefined && ctx.cursors.open(NAME, editedPage)) || []
  if (typeof spaceId === 'number' && typeof id === 'number') {
    const place = await readPlace.first(ctx.db, { ...toAccessSubject(ctx.actor), spaceId, id })
    if (place) return { ...place, spaceId, id }
  }
  const page = await requirePage(ctx, address, 'viewer')
  if (id === undefined || page.id === id) return page
  throw new AppError('not_found', GONE)
}

const readPlace = read(
  'read_place_of_edited',
  (args: AccessSubject & PageId) => sql<PageAddress>`
    select coalesce(space.slug, 'personal') as space, page.path
    from page join space on space.id = page.space_id ${memberJoin(args)}
    where page.space_id = ${args.spaceId} and page.id = ${args.id} and page.deleted_at is null
      and ${rankIn(args)} >= 1 and ${isVisible(args, 'page.space_id', 'page.path')}`,
)
