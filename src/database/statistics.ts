import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { Lru } from '../lib/lru.ts'
import { outsideRequests } from './connections/request-scope.ts'
import type { Db } from './database.ts'

export const REFRESH_STATISTICS =
  'analyze page, page_address, revision, page_search, link, space_link, page_metadata, metadata_entry, metadata_element, metadata_key, metadata_event, space, space_member'

/**
 * Updates the planner's statistics (ANALYZE) of the tables that grow with content. The server does so by itself some
 * time after many changes; until then it assumes that a table that was just filled is small, and may scan all of it
 * for every row.
 */
export async function refreshStatistics(db: Db): Promise<void> {
  await sql.raw(REFRESH_STATISTICS).execute(db)
}

/** A table that autovacuum analyses at this moment is left to it. */
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
 * Tells the planner how large the largest tables are while they are filled: after `first` pages, and each time there are four times as many;
 * the result is called with the number of further pages. It takes some 10 ms, since without a list of columns the server would analyse the
 * words of all texts, and every connection plans its statements again.
 */
export function startCounting(db: Db, first: number): (pages: number) => Promise<void> {
  const written = new GrowingCount(first)
  return async (pages) => {
    if (written.add(pages)) await sql.raw(COUNT_ROWS).execute(db)
  }
}

/** After so many pages the cost of plans for an empty table, or an empty space, begins to show. */
const FEW = 50
/** The planner is told of a space that has one in so many of all pages. Fewer are hardly in the sample that it takes. */
const SPACE_PART = 1_000
const MAX_SPACES = 10_000
/** What takes longer, since the tables are not in memory, is left to autovacuum. The stop of the service waits for it. */
const MAX_COUNT_MS = 5_000

/**
 * Counts the pages that this process creates, by whatever request, and tells the planner when there are four times as many as it knows, or
 * when those of a space have grown fourfold. Otherwise a plan that was made while a table was empty, such as the look-up of a foreign key,
 * reads more rows with each page; and in a space that is not in the statistics, every index of the space seems to be as good as that of
 * the address. Autovacuum comes after 15 seconds or a minute.
 */
export class TableGrowth implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Pick<FastifyBaseLogger, 'warn'>
  readonly #all = new GrowingCount(FEW)
  readonly #spaces = new Lru<number, GrowingCount>({ maxWeight: MAX_SPACES, weigh: () => 1 })
  #counting = Promise.resolve()

  constructor({ db, log }: { readonly db: Db; readonly log: Pick<FastifyBaseLogger, 'warn'> }) {
    this.#db = db
    this.#log = log
  }

  /** Notes that so many pages of a space were committed. */
  add(spaceId: number, pages: number): void {
    const space = this.#spaces.get(spaceId) ?? new GrowingCount(FEW)
    this.#spaces.set(spaceId, space)
    const unlessKnown = Math.max(
      this.#all.add(pages) ? this.#all.pages * GROWTH : 0,
      space.add(pages) ? space.pages * SPACE_PART : 0,
    )
    if (unlessKnown === 0) return
    // It continues when the client of this request disconnects.
    this.#counting = this.#counting.then(() => outsideRequests(() => this.#count(unlessKnown)))
  }

  /** Of a database in which so many pages are known, the planner knows enough. */
  async #count(unlessKnown: number): Promise<void> {
    try {
      if (unlessKnown <= (await knownPages(this.#db))) return
      await sql.raw(`set local statement_timeout = ${MAX_COUNT_MS}; ${COUNT_ROWS}`).execute(this.#db)
    } catch (err) {
      this.#log.warn({ err }, 'The statistics of growing tables could not be updated')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#counting
  }
}

async function knownPages(db: Db): Promise<number> {
  const { rows } = await sql.raw<{ pages: number }>(KNOWN_PAGES).execute(db)
  return rows[0]?.pages ?? 0
}
