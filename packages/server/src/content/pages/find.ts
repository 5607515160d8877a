import type { PageAddress } from '@recto/contract/page-address.ts'
import type { NeededRole } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireExisting } from '../../access/missing.ts'
import { withDraft } from '../../access/overlay.ts'
import { type CurrentVersion, toCurrent } from '../../access/preconditions.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import { readTarget, type WriterRow } from './store.ts'

/** An existing page with what its writers need. */
export interface LocatedPage extends WriterRow {
  readonly page_id: number
  readonly current: CurrentVersion
}

/** The page at an address, if the caller has at least `role` in its space. One round trip. */
export async function findPage(ctx: Ctx, address: PageAddress, role: NeededRole): Promise<LocatedPage> {
  const read = () => readShownPage(ctx, address)
  const row = await requireExisting(ctx, 'page', read, address, ctx.overlay ? 'viewer' : role)
  return { ...row, current: toCurrent(row) }
}

/** The row of the address of a page, as the change request of the context shows it. */
export function readShownPage(ctx: Ctx, { space, path }: PageAddress) {
  const args = { ...toAccessSubject(ctx.actor), slug: space }
  const read = (at: string) => readTarget[toSpaceAddress(space)].first(ctx.db, { ...args, path: at })
  return withDraft(ctx, { space, path }, read)
}
