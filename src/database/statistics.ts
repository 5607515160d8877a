import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
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
const GROWTH = 4
const KNOWN_PAGES = `select reltuples::integer as pages from pg_class where oid = 'page'::regclass`

/**
 * Tells the planner how large the largest tables are while they are filled: after `first` pages, and each time there are four times as many;
 * the result is called with the number of pages so far. It takes some 10 ms, since without a list of columns the server would analyse the
 * words of all texts, and every connection plans its statements again.
 */
export function startCounting(db: Db, first: number): (pages: number) => Promise<void> {
  let next = first
  return async (pages) => {
    if (pages < next) return
    next = pages * GROWTH
    await sql.raw(COUNT_ROWS).execute(db)
  }
}

/** After so many pages the cost of plans for empty tables begins to show. */
const FEW = 50

/**
 * Counts the pages that this process creates, by whatever request, and tells the planner when there are four times as many as it knows.
 * Otherwise a plan that was made while a table was empty, such as the look-up of a foreign key, reads more rows with each page: autovacuum
 * comes after 15 seconds or a minute.
 */
export class TableGrowth implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Pick<FastifyBaseLogger, 'warn'>
  #pages = 0
  #next = FEW
  #counting: Promise<void> | undefined

  constructor({ db, log }: { readonly db: Db; readonly log: Pick<FastifyBaseLogger, 'warn'> }) {
    this.#db = db
    this.#log = log
  }

  /** Notes that so many pages were committed. */
  add(pages: number): void {
    this.#pages += pages
    if (this.#pages < this.#next) return
    this.#next = this.#pages * GROWTH
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined
    })
  }

  async #count(): Promise<void> {
    try {
      // Of a database that others have filled, the planner knows enough.
      if (this.#pages * GROWTH > (await knownPages(this.#db))) await sql.raw(COUNT_ROWS).execute(this.#db)
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
