import { Lru } from '@recto/lib/lru.ts'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { outsideRequests } from './connections/request-scope.ts'
import type { Db } from './database.ts'

const GROWING_TABLES = [
  'page',
  'page_address',
  'revision',
  'page_search',
  'link',
  'space_link',
  'page_metadata',
  'metadata_entry',
  'metadata_element',
  'metadata_key',
  'metadata_event',
  'space',
  'space_member',
]
/** What the columns of these tables contain. */
export const REFRESH_STATISTICS = `analyze ${GROWING_TABLES}`

// A table that autovacuum analyses at this moment is left to it.
const COUNT_ROWS =
  'analyze (skip_locked) page (space_id), page_address (space_id), link (space_id), page_metadata (space_id)'
const KNOWN_PAGES = `select reltuples::integer as pages from pg_class where oid = 'page'::regclass`

const GROWTH = 4

/** Pages that were written so far. */
class GrowingCount {
  pages = 0
  #next: number

  constructor(first: number) {
    this.#next = first
  }

  /** Whether there are `first` pages by now, or four times as many as when that was last so. */
  add(pages: number): boolean {
    this.pages += pages
    if (this.pages < this.#next) return false
    this.#next = this.pages * GROWTH
    return true
  }
}

/**
 * Tells the planner how large the largest tables are while they are filled: after `first` pages, and each time there
 * are four times as many; the result is called with the number of further pages. It takes some 10 ms, since without a
 * list of columns the server would analyse the words of all texts, and every connection plans its statements again.
 */
export function startCounting(db: Db, first: number): (pages: number) => Promise<void> {
  const writtenRows = new GrowingCount(first)
  return async (pages) => {
    if (writtenRows.add(pages)) await sql.raw(COUNT_ROWS).execute(db)
  }
}

/** After so many pages the cost of plans for an empty table, or an empty space, begins to show. */
const FEW = 50
/** After so many pages, what their columns contain decides between plans as well, such as those of metadata queries. */
const MANY = 1_000
/** The planner is told of a space with one in so many of all pages. Fewer are hardly in its sample. */
const SPACE_PART = 1_000
const MAX_SPACES = 10_000
/** What takes longer is left to autovacuum. The stop of the service waits for it. */
const MAX_ANALYSIS_MS = 5_000

/** Numbers of pages that were created so far; 0: not grown enough. */
interface Grown {
  readonly all: number
  /** For an analysis of all columns. */
  readonly columns: number
  readonly space: number
}

/**
 * Counts the pages that this process creates, or moves to another space, and tells the planner when there are four
 * times as many as it knows, or when those of a space have grown fourfold. Otherwise a plan that was made while a table
 * was empty, such as the look-up of the links of a page, reads more rows with each page; and in a space that is not in
 * the statistics, every index of the space seems to be as good as that of the address. With many pages it also has all
 * columns analysed, which takes half a second for 15,000. Autovacuum comes after 15 seconds or a minute.
 */
export class TableGrowth implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Pick<FastifyBaseLogger, 'warn'>
  readonly #all = new GrowingCount(FEW)
  readonly #columns = new GrowingCount(MANY)
  readonly #spaces = new Lru<number, GrowingCount>({ maxWeight: MAX_SPACES, weigh: () => 1 })
  #analysing = Promise.resolve()
  #stopped = false

  constructor({ db, log }: { readonly db: Db; readonly log: Pick<FastifyBaseLogger, 'warn'> }) {
    this.#db = db
    this.#log = log
  }

  /** Notes that so many pages of a space were committed. */
  add(spaceId: number, pages: number): void {
    const space = this.#spaces.get(spaceId) ?? new GrowingCount(FEW)
    this.#spaces.set(spaceId, space)
    const grownCounts = {
      all: this.#all.add(pages) ? this.#all.pages : 0,
      columns: this.#columns.add(pages) ? this.#columns.pages : 0,
      space: space.add(pages) ? space.pages : 0,
    }
    if (Math.max(grownCounts.all, grownCounts.columns, grownCounts.space) === 0) return
    // It continues when the client of this request disconnects.
    this.#analysing = this.#analysing.then(() => outsideRequests(() => this.#analyse(grownCounts)))
  }

  /** Of a database in which many more pages are known, the planner knows enough. */
  async #analyse({ all, columns, space }: Grown): Promise<void> {
    const pageCount = await this.#attempt(() => knownPages(this.#db))
    if (pageCount === undefined) return
    if (all * GROWTH > pageCount || space * SPACE_PART > pageCount) await this.#limited(COUNT_ROWS)
    if (columns * GROWTH <= pageCount) return
    // Each in its own transaction: the change feed waits for the end of a transaction that has changed anything.
    for (const table of GROWING_TABLES) if (!this.#stopped) await this.#limited(`analyze (skip_locked) ${table}`)
  }

  async #limited(analyze: string): Promise<void> {
    const limitStatement = sql.raw(`set local statement_timeout = ${MAX_ANALYSIS_MS}; ${analyze}`)
    await this.#attempt(() => limitStatement.execute(this.#db))
  }

  /** A table whose analysis fails, or takes too long, does not keep the others from theirs. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (err) {
      this.#log.warn({ err }, 'The statistics of growing tables could not be updated')
      return undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    await this.#analysing
  }
}

async function knownPages(db: Db): Promise<number> {
  const { rows } = await sql.raw<{ pages: number }>(KNOWN_PAGES).execute(db)
  return rows[0]?.pages ?? 0
}
