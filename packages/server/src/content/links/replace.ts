import type { Db } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { lockSlugs } from '../spaces/store-addresses.ts'
import { compareLinks, insertAddresses, insertUnknown, type ReplacedRow, replaceRows } from './store.ts'
import { replaceFileLinks } from './store-files.ts'
import type { PageLinks } from './targets.ts'

/** A page with its new links. */
export interface LinkingPage {
  readonly pageId: number
  readonly links: PageLinks
}

/** The space of the pages. */
export interface LinkingSpace {
  readonly spaceId: number
}

type Writing = Pick<Tx, 'db'>

/** The errors of concurrent writes of the same addresses; each round sees what they committed. */
const MAX_ROUNDS = 10

/**
 * Inserts the addresses of a new page and of its links in one order for all transactions. Without this, two new pages
 * that link to each other could deadlock: each would hold its own address and wait for the other's.
 */
export async function upsertAddresses(
  tx: Writing,
  at: LinkingSpace & { readonly path: string },
  links: PageLinks,
): Promise<void> {
  if (links.count > 0) await upsertAllAddresses(tx, at, [{ path: at.path, links }])
}

/** The same for some new pages of one space. */
export async function upsertAllAddresses(
  tx: Writing,
  at: LinkingSpace,
  pages: readonly { readonly path: string; readonly links: PageLinks }[],
): Promise<void> {
  const targets = pages.flatMap(({ path, links }) => [
    JSON.stringify({ slug: '', path }),
    ...rowsIn(links.addresses, '{'),
  ])
  await insertAddresses.enqueue(tx.db, { spaceId: at.spaceId, targets: `[${targets.join(',')}]` })
}

/** Replaces the stored links of some locked pages of one space. What was enqueued before is sent with it. */
export async function replaceAllLinks(tx: Writing, at: LinkingSpace, pages: readonly LinkingPage[]): Promise<void> {
  const args = toLinkRows(at, pages)
  await replaceFileLinks.enqueue(tx.db, args)
  const lockedAddresses = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await replaceRows.first(tx.db, args)
    if (isComplete(result, lockedAddresses)) return
    const unknownAddresses = result?.unknown ?? []
    // A slug that was released during the lookup is found as a former one in the next round.
    if (await lockUnknown(tx, unknownAddresses, lockedAddresses)) continue
    if (unknownAddresses.length > 0) await insertUnknown.all(tx.db, { targets: JSON.stringify(unknownAddresses) })
  }
  throw new Error(`The links of ${pages.length} pages in space ${at.spaceId} could not be stored`)
}

/** The ids of the pages of one space whose stored links or version differ from the given ones. It locks nothing. */
export async function differingPages(
  db: Db,
  at: LinkingSpace,
  pages: readonly (LinkingPage & { readonly version: number })[],
): Promise<ReadonlySet<number>> {
  const rows = await compareLinks.all(db, {
    ...toLinkRows(at, pages),
    versions: JSON.stringify(pages.map(({ pageId, version }) => ({ page_id: pageId, version }))),
  })
  return new Set(rows.map((row) => row.page_id))
}

function toLinkRows({ spaceId }: LinkingSpace, pages: readonly LinkingPage[]) {
  return {
    spaceId,
    pages: JSON.stringify(
      pages.map(({ pageId, links }) => ({ page_id: pageId, digest: links.digest?.toString('hex') ?? null })),
    ),
    targets: rowsOfPages(pages, ({ targets }) => targets),
    files: rowsOfPages(pages, ({ files }) => files),
  }
}

function rowsOfPages(pages: readonly LinkingPage[], linesOf: (links: PageLinks) => string): string {
  return `[${pages.flatMap(({ pageId, links }) => rowsIn(linesOf(links), `{"page_id":${pageId},`)).join(',')}]`
}

/** The rows of some lines of members as one JSON text, each with this beginning; empty if there are none. */
function rowsIn(lines: string, beginning: string): string[] {
  return lines === '' ? [] : [`${beginning}${lines.replaceAll('\n', `},${beginning}`)}}`]
}

function isComplete(result: ReplacedRow | undefined, lockedAddresses: ReadonlySet<string>): boolean {
  return result?.pending === 0 && (result.unknown ?? []).every(({ slug }) => lockedAddresses.has(slug))
}

/** Until the end of the transaction no space with one of these slugs is created; false: they were locked already. */
async function lockUnknown(
  tx: Writing,
  addresses: readonly { readonly slug: string }[],
  lockedAddresses: Set<string>,
): Promise<boolean> {
  const slugs = [...new Set(addresses.map(({ slug }) => slug))].filter((slug) => !lockedAddresses.has(slug))
  if (slugs.length > 0) await lockSlugs(tx, slugs)
  for (const slug of slugs) lockedAddresses.add(slug)
  return slugs.length > 0
}
