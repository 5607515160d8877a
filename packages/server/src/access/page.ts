import { retryLater } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { type KeyedQueue, QueueFull } from '@recto/lib/concurrency/keyed-queue.ts'
import { sql } from 'kysely'
import { currentRequest } from '../platform/database/connections/request-scope.ts'
import * as addressed from './addressed-page.ts'
import type { NeededRole, Rank } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { requireExisting } from './missing.ts'
import { type DraftedPage, withDraft } from './overlay.ts'
import { toAccessSubject, toSpaceAddress } from './visibility.ts'

/** The icon in the front matter of the row `page`, which `parseEmoji` checks. */
export const pageIcon = sql<
  string | null
>`case when page.frontmatter like '%"icon":"%' then left(page.frontmatter::json ->> 'icon', 65) end`

/** A page as the caller sees it, without its body. */
export interface PageAccess extends DraftedPage {
  readonly id: number
  readonly spaceId: number
  /** `personal` for the caller's own. */
  readonly space: string
  readonly spaceName: string
  readonly spaceKind: 'shared' | 'personal'
  /** Of its space. */
  readonly visibility: addressed.Visibility
  readonly proposals: addressed.Proposals
  readonly rank: Rank
  readonly path: string
  readonly title: string
  readonly version: number
}

/**
 * The page at an address, if the caller has at least `role` in its space; `not_found` if there is none that the
 * caller can see, `forbidden` if the caller sees it but has a lower role. One round trip.
 */
export async function requirePage(ctx: Ctx, address: PageAddress, role: NeededRole): Promise<PageAccess> {
  const args = { ...toAccessSubject(ctx.actor), slug: address.space, path: address.path }
  const read = () =>
    withDraft(ctx, address, (path) => readPageAccess[toSpaceAddress(address.space)].first(ctx.db, { ...args, path }))
  return toPageAccess(await requireExisting(ctx, 'page', read, address, role), address)
}

/** A page in a row of `requireExisting`. */
export function toPageAccess(row: PageAccessRow & { readonly page_id: number }, address: PageAddress): PageAccess {
  return {
    id: row.page_id,
    spaceId: row.space_id,
    space: row.space_slug,
    spaceName: row.space_name,
    spaceKind: row.space_kind,
    visibility: row.space_visibility,
    proposals: row.space_proposals,
    rank: row.rank,
    path: address.path,
    title: row.title,
    version: row.version,
    draft: row.draft,
  }
}

/** The page at an address if the caller can read one there now. One round trip. */
export async function findReadablePage(ctx: Ctx, { space, path }: PageAddress) {
  const row = await readPageAccess[toSpaceAddress(space)].first(ctx.db, {
    ...toAccessSubject(ctx.actor),
    slug: space,
    path,
  })
  return row && row.rank >= 1 && row.page_id !== null ? { path } : undefined
}

/** The page at an address, as `toPageAccess` needs it. */
export interface PageAccessRow extends addressed.AddressedRow, DraftedPage {
  readonly title: string
  readonly version: number
}

const readPageAccess = addressed.pageStatement<addressed.AddressArgs, PageAccessRow>(
  'read_page_access',
  (args) => sql`select ${addressed.addressedColumns(args)}, page.title, page.version ${addressed.addressedRow(args)}`,
)

/** A mutex for the writers of a page within this process; throws `page_busy` when too many wait already. */
export async function withPageLock<T>(writers: KeyedQueue, key: string, work: () => Promise<T>): Promise<T> {
  try {
    const began = performance.now()
    return await writers.run(key, () => {
      currentRequest()?.waited(began)
      return work()
    })
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error
    throw retryLater('page_busy', 'Too many writers wait for this page. Try again shortly.', 1)
  }
}
