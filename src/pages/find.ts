import type { Role } from '../access/caller.ts'
import type { Ctx, CurrentPage } from '../access/ctx.ts'
import { requireRank } from '../access/space.ts'
import { addressOf, sightOf } from '../access/visibility.ts'
import { AppError } from '../errors.ts'
import { toCurrent } from './page.ts'
import { readTarget, type WriterRow } from './store.ts'

/** A page that stands, without its body. */
export interface FoundPage extends WriterRow {
  readonly page_id: number
  readonly current: CurrentPage
}

/** The page at an address, where the caller has at least `role` in its space. One round trip. */
export async function findPage(
  ctx: Ctx,
  address: { readonly space: string; readonly path: string },
  role: Role,
): Promise<FoundPage> {
  const args = { ...sightOf(ctx.actor), slug: address.space, path: address.path }
  const row = await readTarget[addressOf(address.space)].first(ctx.db, args)
  if (!row || row.rank < 1 || row.page_id === null) throw noSuchPage(address)
  return { ...requireRank(row, address.space, role), page_id: row.page_id, current: toCurrent(row) }
}

/** One answer for a page that is absent and one in a space that the caller cannot see. */
export function noSuchPage({ space, path }: { readonly space: string; readonly path: string }): AppError {
  return new AppError('not_found', `There is no page \`${path}\` in a space \`${space}\` that you can see.`)
}
