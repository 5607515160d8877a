import type { Db } from '../database/database.ts'
import type { Tx } from '../database/transaction.ts'
import { lockSlugs } from '../spaces/store-addresses.ts'
import { currentSlugs } from '../spaces/store-slugs.ts'
import { compareLinks, insertAddresses, insertUnknown, type ReplacedRow, replaceRows } from './store.ts'
import type { PageLinks, Place, Target } from './targets.ts'

/** A page with the links that it is to have. */
export interface LinkingPage {
  readonly pageId: number
  readonly links: PageLinks
}

/** The space of the pages, by its id and the slug by which their links name it. */
export interface LinkingSpace {
  readonly spaceId: number
  readonly space: string
}

type Writing = Pick<Tx, 'db'>

/** What meets us when others write the same addresses at the same time; each round sees what they committed. */
const MAX_ROUNDS = 10

/**
 * Takes the addresses that a new page needs, its own among them, in one order for all. Without this, two new pages that
 * link to each other would each hold its own address and wait for the other's.
 */
export async function takeAddresses(
  tx: Writing,
  at: LinkingSpace & { readonly path: string },
  links: PageLinks,
): Promise<void> {
  if (links.targets.length > 0) await takeAllAddresses(tx, at, [{ path: at.path, links }])
}

/** The same for some new pages of one space. */
export async function takeAllAddresses(
  tx: Writing,
  at: LinkingSpace,
  pages: readonly { readonly path: string; readonly links: PageLinks }[],
): Promise<void> {
  const targets = pages.flatMap(({ path, links }) => [
    { slug: null, path },
    ...links.targets.map((target) => addressRow(at, target)),
  ])
  await insertAddresses.all(tx.db, { spaceId: at.spaceId, targets: JSON.stringify(targets) })
}

/**
 * Makes the stored links of a page those of its new body. Only the difference is written, and nothing at all where
 * `stored`, the digest that is kept with the page, says that there is none.
 */
export async function replaceLinks(
  tx: Writing,
  at: LinkingSpace & LinkingPage & { readonly stored: Buffer | null },
): Promise<void> {
  const { digest } = at.links
  if (at.stored === null ? digest === undefined : digest?.equals(at.stored)) return
  await replaceAllLinks(tx, at, [at])
}

/** Makes the stored links of some pages of one space, which the transaction has locked, those given. */
export async function replaceAllLinks(
  tx: Writing,
  at: LinkingSpace,
  pages: readonly LinkingPage[],
): Promise<void> {
  let args = await rowsOf(tx, at, pages)
  const locked = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await replaceRows.first(tx.db, args)
    if (isComplete(result, locked)) return
    const unknown = result?.unknown ?? []
    // A slug that was given up since it was looked up is known by now as one that its space had once.
    if (await lockUnknown(tx, unknown, locked)) args = await rowsOf(tx, at, pages)
    else if (unknown.length > 0) await insertUnknown.all(tx.db, { targets: JSON.stringify(unknown) })
  }
  throw new Error(`The links of ${pages.length} pages in space ${at.spaceId} could not be stored`)
}

/**
 * Those of some pages of one space whose stored links are not those given, or that do not have the given version any
 * more, by their ids. It locks nothing: a page that is not among them was right at one moment.
 */
export async function differingPages(
  db: Db,
  at: LinkingSpace,
  pages: readonly (LinkingPage & { readonly version: number })[],
): Promise<ReadonlySet<number>> {
  const rows = await compareLinks.all(db, {
    ...(await rowsOf({ db }, at, pages)),
    versions: JSON.stringify(pages.map(({ pageId, version }) => ({ page_id: pageId, version }))),
  })
  return new Set(rows.map((row) => row.page_id))
}

async function rowsOf(tx: { readonly db: Db }, at: LinkingSpace, pages: readonly LinkingPage[]) {
  const named = await namedNow(tx, at, pages)
  return {
    spaceId: at.spaceId,
    pages: JSON.stringify(
      pages.map(({ pageId, links }) => ({ page_id: pageId, digest: links.digest?.toString('hex') ?? null })),
    ),
    targets: JSON.stringify(
      pages.flatMap(({ pageId, links }) =>
        named(links.targets).map((target) => targetRow(at, pageId, target)),
      ),
    ),
  }
}

/**
 * Makes links by a slug that a space had once links to that space by the slug that it has. A page may name one address by
 * both: that is one target then, with the places of both.
 */
async function namedNow(
  tx: { readonly db: Db },
  at: LinkingSpace,
  pages: readonly LinkingPage[],
): Promise<(targets: readonly Target[]) => readonly Target[]> {
  const others = new Set(pages.flatMap(({ links }) => links.targets.map(({ space }) => space)))
  others.delete(at.space)
  const current = others.size === 0 ? undefined : await currentSlugs(tx, [...others])
  if (!current || current.size === 0) return (targets) => targets
  return (targets) => {
    const merged = new Map<string, Target>()
    for (const target of targets) {
      const space = current.get(target.space) ?? target.space
      const key = `${space}/${target.path}`
      const known = merged.get(key)
      const places = [...(known?.places ?? []), ...target.places].sort((a, b) => a.ord - b.ord)
      merged.set(key, { space, path: target.path, places: places as [Place, ...Place[]] }) // never empty: a target's are not
    }
    return [...merged.values()]
  }
}

function isComplete(result: ReplacedRow | undefined, locked: ReadonlySet<string>): boolean {
  return result?.pending === 0 && (result.unknown ?? []).every(({ slug }) => locked.has(slug))
}

/** From here to the end of the transaction no space with one of these slugs is made; false: so it was before. */
async function lockUnknown(
  tx: Writing,
  addresses: readonly { readonly slug: string }[],
  locked: Set<string>,
): Promise<boolean> {
  const slugs = [...new Set(addresses.map(({ slug }) => slug))].filter((slug) => !locked.has(slug))
  if (slugs.length > 0) await lockSlugs(tx, slugs)
  for (const slug of slugs) locked.add(slug)
  return slugs.length > 0
}

/** A slug is named only where it is another than the page's own, which may be `personal`. */
function addressRow(at: LinkingSpace, { space, path }: { space: string; path: string }) {
  return { slug: space === at.space ? null : space, path }
}

function targetRow(at: LinkingSpace, pageId: number, target: Target) {
  const [first, ...more] = target.places
  return {
    page_id: pageId,
    ...addressRow(at, target),
    ...first,
    more: more.length === 0 ? null : more.map(({ ord, line, text }) => [ord, line, text]),
  }
}
