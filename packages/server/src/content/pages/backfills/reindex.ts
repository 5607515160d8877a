import { setImmediate as turn } from 'node:timers/promises'
import { AppError } from '@recto/contract/errors.ts'
import type { Backlog } from '@recto/lib/concurrency/backlog.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { AnalysedPage } from '@recto/markdown/analyse.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requireSpace } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import type { JobCounts } from '../../../events/jobs/job.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/transaction.ts'
import { indexedText } from '../../search/index-text.ts'
import { indexPages, type TextOfPage } from '../../search/put-text.ts'
import type { BulkCtx } from '../ctx.ts'
import { startBackfill } from './backfill.ts'
import * as store from './store-reindex.ts'

type Host = Pick<BulkCtx, 'db' | 'log' | 'pages'> & { readonly pages: { readonly unindexed: Backlog } }

const BATCH = { limit: 100, bytes: 1024 * 1024 }
/** A page that changes often has many entries in the log. */
const PENDING = { ...BATCH, entries: 1_000 }
const POLL_MS = 2_000

/**
 * A background backfill that indexes pages again whose search text is out of date: single ones from the log
 * `search_pending`, and complete spaces after a change of their language or of the rules. Changes of metadata are
 * collected for a moment, so that a page that changes often is indexed once; a concurrent search triggers the work
 * immediately (`unindexed`).
 */
export function startReindexing(host: Host): AsyncDisposable {
  const { unindexed } = host.pages
  const backfill = startBackfill(host, {
    lease: 'reindexing',
    failure: 'the pages were not all indexed again; this is tried again',
    pollMs: POLL_MS,
    isDue: async () => {
      const { requested } = unindexed
      if (await store.hasPending(host.db)) return true
      unindexed.finish(requested)
      return (await store.findReindexing(host.db)) !== undefined
    },
    next: async () => (await indexPending(host)) || (await indexSpace(host)),
  })
  unindexed.onWait(backfill.wake)
  return backfill
}

/** The progress of the search index of a space after a change of its language; undefined while it is complete. */
export async function readReindexing(ctx: Ctx, space: string): Promise<JobCounts | undefined> {
  const { id } = await requireSpace(ctx, space, 'viewer')
  return await store.countReindexed(ctx.db, toAccessSubject(ctx.actor), id)
}

/** Indexes the oldest entries of the log; false: there were no others. Later ones wait for the next poll. */
async function indexPending(host: Host): Promise<boolean> {
  const { unindexed } = host.pages
  const before = unindexed.requested
  const pending = await store.listPending(host.db, PENDING)
  if (pending.length === 0) return false
  const pages = pending.flatMap((row) => (row.data === null ? [] : [row]))
  const unchangedIds = await indexRows(host, pages)
  // A page that was written meanwhile is read again.
  const done = pending.filter(({ page_id, data }) => data === null || unchangedIds.has(page_id))
  await store.deletePending(
    autocommit(host.db),
    done.flatMap(({ entries }) => entries),
  )
  // All earlier entries were among them: under a steady load the log is never empty.
  const read = pending.reduce((sum, { entries }) => sum + entries.length, 0)
  const wereAll = read < PENDING.entries && pending.length < PENDING.limit && done.length === pending[0]?.pages
  if (wereAll) unindexed.finish(before)
  return !wereAll
}

/** Indexes the next pages of a space; false: there is no such space. */
async function indexSpace(host: Host): Promise<boolean> {
  const after = await store.findReindexing(host.db)
  if (!after) return false
  if (!after.begun) {
    await store.beginReindexing(autocommit(host.db), after)
    return true
  }
  const rows = await store.listUnindexed(host.db, after, BATCH)
  const last = rows.at(-1)
  if (last) await indexRows(host, rows, { ...after, page_id: last.page_id })
  else await store.endReindexing(autocommit(host.db), after)
  return true
}

/** Indexes pages, and records the progress of their space; returns the ids of those that did not change meanwhile. */
async function indexRows(
  host: Host,
  rows: readonly store.UnindexedRow[],
  advance?: store.ReindexPosition,
): Promise<ReadonlySet<number>> {
  const texts = new Map<number, TextOfPage>()
  for (const { page_id: pageId, path, title, data, language, indexed_metadata: metadata } of rows) {
    // Yields to other work.
    await turn()
    const body = (await unpackBody(data)).toString()
    const facts = await analyse(host, body)
    if (!facts) continue
    texts.set(pageId, { pageId, text: await indexedText({ path, title, facts, language, metadata }) })
  }
  return inTransaction(host, async (tx) => {
    const unchangedIds = await store.lockUnchanged(tx, rows)
    const indexedRows = rows.filter(({ page_id }) => unchangedIds.has(page_id))
    for (const [spaceId, pages] of Map.groupBy(indexedRows, ({ space_id }) => space_id)) {
      await indexPages(
        tx,
        spaceId,
        pages.flatMap(({ page_id }) => texts.get(page_id) ?? []),
      )
    }
    if (advance) await store.advanceReindexing(tx, advance)
    return unchangedIds
  })
}

/** The facts of a body; undefined: it is too complex, and the page keeps its stored text. */
async function analyse({ pages: { markdown } }: Pick<Host, 'pages'>, body: string): Promise<AnalysedPage | undefined> {
  try {
    return await markdown.analyse(body)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
