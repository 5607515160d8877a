import type { Db } from '../database/database.ts'
import { listFormer, listFormerSlugs, type MovingRow } from './store-move.ts'

/** All addresses by which links reach the moved pages: current and former ones. */
export async function redirectsTo(
  db: Db,
  spaceId: number,
  rows: readonly (MovingRow & { readonly address_id: number })[],
) {
  const paths = new Map(rows.map((row) => [row.page_id, row.path]))
  const former = await listFormer(db, spaceId, [...paths.keys()])
  const addresses = [
    ...rows.map((row) => ({
      space: row.space_slug,
      spaceId: row.space_id,
      path: row.path,
      addressId: row.address_id,
      now: row.path,
    })),
    ...former.map((row) => ({
      space: row.space,
      spaceId: row.space_id,
      path: row.path,
      addressId: row.address_id,
      now: paths.get(row.page_id) ?? row.path,
    })),
  ]
  const slugs = await listFormerSlugs(db, [...new Set(addresses.map(({ spaceId }) => spaceId))])
  return { addresses, slugs: slugs.map((row) => [row.former, row.slug] as const) }
}
