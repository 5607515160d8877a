import type { Runtime } from '../../access/ctx.ts'
import { withLongStatements } from '../../platform/database/connections/request-scope.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import { startCounting } from '../../platform/database/statistics.ts'
import { inTransaction, type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import { differingPages, replaceAllLinks } from './replace.ts'
import * as store from './store-rebuild.ts'
import type { PageLinks } from './targets.ts'

/** A page with the links of its latest body. */
export interface PageWithLinks {
  readonly spaceId: number
  /** The slug by which its links name its own space. */
  readonly space: string
  readonly pageId: number
  readonly path: string
  readonly version: number
  /** Absent: it takes too long to parse. */
  readonly links: PageLinks | undefined
}

/** Reads pages with their links, in the order of space and id; pages/ implements it. */
export interface LinkReader {
  after(position: {
    readonly spaceId: number
    readonly pageId: number
    /** The only space; absent: all. */
    readonly within: number | undefined
    readonly limit: number
  }): Promise<PageWithLinks[]>
  of(spaceId: number, pageIds: readonly number[]): Promise<PageWithLinks[]>
}

/** Processes rebuilds: it looks for one when it is woken, and at intervals. */
export interface Rebuilder extends AsyncDisposable {
  wake(): void
}

type Host = Pick<Runtime, 'db' | 'log' | 'now'>

/** The number of pages that are read and compared together, without locks. */
const BATCH = 200
/** The number of pages per write transaction: so few that their writers hardly wait, some tens of milliseconds. */
const WRITTEN = 50
/** After a batch in which all differed, so many are written without comparing: their links were never stored. */
const DIRECT = 10
/** Rounds of reading pages again that were written meanwhile; their writers have stored their links, too. */
const MAX_ROUNDS = 20
/** Time until another process continues the rebuild of a dead one, in addition to the rest of its lease. */
const LOOK_EVERY_MS = 10_000

/** Processes rebuilds until it is disposed; then it waits for the current batch, and leaves the rest to other nodes. */
export function startRebuilder(host: Host, reader: LinkReader): Rebuilder {
  let stopping = false
  let woken = false
  let working: Promise<void> | undefined

  const work = async (): Promise<void> => {
    try {
      while (woken && !stopping) {
        woken = false
        for (
          let leaseRow = await store.takeRebuildLease(autocommit(host.db));
          leaseRow;
          leaseRow = stopping ? undefined : await store.takeRebuildLease(autocommit(host.db))
        ) {
          const lease = leaseRow
          await withLongStatements(() => rebuild(host, reader, lease, () => stopping))
        }
      }
    } catch (error) {
      // The owner of the lease keeps it until it ends; then it is tried again.
      host.log.warn({ err: error }, 'a rebuild of links was interrupted')
    } finally {
      working = undefined
    }
  }
  const wake = () => {
    woken = true
    if (!stopping) working ??= work()
  }
  const timer = setInterval(wake, LOOK_EVERY_MS)
  timer.unref()
  return {
    wake,
    async [Symbol.asyncDispose]() {
      stopping = true
      clearInterval(timer)
      await working
    },
  }
}

/** While some pages are compared and written, the next are read. */
async function rebuild(
  host: Host,
  reader: LinkReader,
  leaseRow: store.HeldRow,
  stopping: () => boolean,
): Promise<void> {
  const read = (at: { readonly spaceId: number; readonly pageId: number }) => {
    const reading = reader.after({ ...at, within: leaseRow.space_id ?? undefined, limit: BATCH })
    // The error is handled where the promise is awaited; this only prevents an `unhandledRejection` until then.
    reading.catch(() => {})
    return reading
  }
  let reading = read({ spaceId: leaseRow.at_space_id, pageId: leaseRow.at_page_id })
  // Writers of pages, too, would read all links for each write as long as the planner takes the table for empty.
  const count = startCounting(host.db, BATCH)
  let direct = 0
  try {
    while (!stopping()) {
      const next = await reading
      // Of one space, so that a transaction touches no other.
      const batch = next.filter((head) => head.spaceId === next[0]?.spaceId)
      const end = batch.at(-1)
      if (!end) return await store.finish(autocommit(host.db), leaseRow, host.now())
      reading = read(end)
      const wrong = direct > 0 ? batch : await differing(host.db, end, batch)
      direct = direct > 0 ? direct - 1 : wrong.length === batch.length ? DIRECT : 0
      if (!(await rebuildPages(host, reader, leaseRow, { batch, wrong, end }))) return
      await count(wrong.length)
    }
  } finally {
    await reading.catch(() => {})
  }
  await store.releaseRebuildLease(autocommit(host.db), leaseRow)
}

/** The pages whose stored links differ from those of their bodies. Of one that is too expensive to parse they stay. */
async function differing(db: Db, at: PageWithLinks, pages: readonly PageWithLinks[]): Promise<PageWithLinks[]> {
  const parsedPages = pages.flatMap(({ links, ...page }) => (links ? [{ ...page, links }] : []))
  const differingIds = await differingPages(db, at, parsedPages)
  return pages.filter(({ pageId }) => differingIds.has(pageId))
}

/** Writes the links of those of a batch that are wrong, and records the progress. False: the lease is lost. */
async function rebuildPages(
  host: Host,
  reader: LinkReader,
  leaseRow: store.HeldRow,
  input: {
    readonly batch: readonly PageWithLinks[]
    readonly wrong: readonly PageWithLinks[]
    readonly end: PageWithLinks
  },
): Promise<boolean> {
  const { batch, wrong, end } = input
  const rewrittenPages = new Set(wrong)
  let links = countLinks(batch.filter((head) => !rewrittenPages.has(head)))
  for (let from = 0; from < wrong.length; from += WRITTEN) {
    const writtenCount = await writeLinks(host, reader, leaseRow, wrong.slice(from, from + WRITTEN))
    if (writtenCount === undefined) return false
    links += writtenCount
  }
  // Personal pages of others are not counted. A rebuild of one personal space is shown to its owner only.
  const counts = leaseRow.space_id !== null || end.space !== 'personal'
  return store.advance(autocommit(host.db), leaseRow, {
    at: end,
    pages: counts ? batch.length : 0,
    links: counts ? links : 0,
  })
}

/** Stores the links of pages of one space, reads again what is written meanwhile; undefined: the lease is lost. */
async function writeLinks(
  host: Host,
  reader: LinkReader,
  leaseRow: store.HeldRow,
  pages: readonly PageWithLinks[],
): Promise<number | undefined> {
  if (await writeUnchanged(host, leaseRow, pages)) return countLinks(pages)
  let count = 0
  let rest = pages
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const [first] = rest
    if (!first) break
    const result = await inTransaction(host, (tx) => writeOnce(tx, leaseRow, first, rest)).catch((error: unknown) => {
      if (error instanceof LeaseLost) return undefined
      throw error
    })
    if (!result) return undefined
    count += countLinks(result.same)
    rest = result.changed.length === 0 ? [] : await reader.of(first.spaceId, result.changed)
  }
  return count
}

/** Stores the links in two round trips; false, with nothing written, if a page has changed or the lease is lost. */
async function writeUnchanged(
  host: Host,
  { id, fence }: store.HeldRow,
  pages: readonly PageWithLinks[],
): Promise<boolean> {
  const [at] = pages
  if (!at) return true
  const writeResult = await unlessOvertaken(host, async (tx) => {
    await store.lockUnchanged.enqueue(tx.db, {
      spaceId: at.spaceId,
      pageIds: pages.map(({ pageId }) => pageId),
      versions: pages.map(({ version }) => version),
    })
    const storedPages = pages.flatMap(({ pageId, links }) => (links ? [{ pageId, links }] : []))
    if (storedPages.length > 0) await replaceAllLinks(tx, at, storedPages)
    // Last, so that nothing is kept of what was written after the lease was lost.
    await store.keepLease.enqueue(tx.db, { id, fence })
    return true
  })
  return writeResult ?? false
}

/** The pages that are unchanged since they were read, and the ids of those that were written since. */
async function writeOnce(tx: Tx, leaseRow: store.HeldRow, at: PageWithLinks, pages: readonly PageWithLinks[]) {
  const ids = pages.map(({ pageId }) => pageId)
  const lockedVersions = new Map((await store.lockPages(tx, at.spaceId, ids)).map((row) => [row.id, row.version]))
  const same = pages.filter((head) => lockedVersions.get(head.pageId) === head.version)
  const storedPages = same.flatMap(({ pageId, links }) => (links ? [{ pageId, links }] : []))
  if (storedPages.length > 0) await replaceAllLinks(tx, at, storedPages)
  if (!(await store.advance(tx.db, leaseRow, { pages: 0, links: 0 }))) throw new LeaseLost()
  return { same, changed: ids.filter((id) => lockedVersions.has(id) && !same.some(({ pageId }) => pageId === id)) }
}

function countLinks(pages: readonly PageWithLinks[]): number {
  return pages.reduce((sum, { links }) => sum + (links?.count ?? 0), 0)
}

class LeaseLost extends Error {}
