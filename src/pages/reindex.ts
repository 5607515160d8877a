import { setImmediate as turn } from 'node:timers/promises'
import type { BulkCtx } from '../bulk/ctx.ts'
import { autocommit, inTransaction } from '../database/transaction.ts'
import { unpackBody } from '../lib/body-codec.ts'
import { indexedText } from '../search/index-text.ts'
import { indexPages, type TextOfPage } from '../search/put-text.ts'
import { startBackfill } from './backfill.ts'
import { analyse } from './retitle.ts'
import {
  advanceReindexing,
  endReindexing,
  findReindexing,
  listUnindexed,
  lockUnchanged,
} from './store-reindex.ts'

type Host = Pick<BulkCtx, 'db' | 'log' | 'pages'>

const BATCH = { limit: 100, bytes: 1024 * 1024 }

/** A background backfill: pages whose search text was made by older rules get a new one, space by space. */
export function startReindexing(host: Host): AsyncDisposable {
  return startBackfill(host, {
    lease: 'reindexing',
    failure: 'the pages were not all indexed again; this is tried again',
    isDue: async () => (await findReindexing(host.db)) !== undefined,
    next: () => reindexNext(host),
  })
}

/** Indexes the next pages of a space again; false: there is no such space. */
async function reindexNext(host: Host): Promise<boolean> {
  const after = await findReindexing(host.db)
  if (!after) return false
  const rows = await listUnindexed(host.db, after, BATCH)
  const last = rows.at(-1)
  if (!last) {
    await endReindexing(autocommit(host.db), after)
    return true
  }
  const texts = new Map<number, TextOfPage>()
  for (const { page_id: pageId, path, title, data } of rows) {
    // Others have their turn.
    await turn()
    const body = (await unpackBody(data)).toString()
    const facts = await analyse(host, body)
    if (facts) texts.set(pageId, { pageId, text: await indexedText({ path, title, body, facts }) })
  }
  await inTransaction(host, async (tx) => {
    const unchanged = await lockUnchanged(tx, after.space_id, rows)
    await indexPages(
      tx,
      after.space_id,
      unchanged.flatMap((id) => texts.get(id) ?? []),
    )
    await advanceReindexing(tx, { ...after, page_id: last.page_id })
  })
  return true
}
