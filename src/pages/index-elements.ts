import type { Runtime } from '../access/ctx.ts'
import { autocommit, inTransaction } from '../database/transaction.ts'
import { elementRanks, without } from '../metadata/elements.ts'
import {
  advanceElementIndexing,
  type ElementRow,
  type ElementsOfPage,
  endElementIndexing,
  endOfDocuments,
  findElementIndexing,
  lockArrays,
  writeElements,
} from '../metadata/store-elements.ts'
import { startBackfill } from './backfill.ts'

type Host = Pick<Runtime, 'db' | 'log'>

/** Patches of these pages wait while a batch is written. */
const BATCH = 200

/**
 * A background backfill: the elements of arrays in metadata that releases before metadata_element have written. Until it ends,
 * queries read documents.
 */
export function startElementIndexing(host: Host): AsyncDisposable {
  return startBackfill(host, {
    lease: 'element-indexing',
    failure: 'the elements of metadata were not all indexed; this is tried again',
    isDue: async () => (await findElementIndexing(host.db)) !== undefined,
    next: () => indexNext(host),
  })
}

/** Processes the next documents; false: there are none. */
async function indexNext(host: Host): Promise<boolean> {
  const after = await findElementIndexing(host.db)
  const end = after && (await endOfDocuments(host.db, after, BATCH))
  if (!after || !end) {
    await endElementIndexing(autocommit(host.db))
    return false
  }
  await inTransaction(host, async (tx) => {
    const pages = (await lockArrays(tx, after, end)).map(differenceOf)
    await writeElements(
      tx,
      pages.flatMap(({ deleted }) => deleted),
      pages.flatMap(({ inserted }) => inserted),
    )
    await advanceElementIndexing(tx, end)
  })
  return true
}

function differenceOf(page: ElementsOfPage): {
  readonly deleted: readonly ElementRow[]
  readonly inserted: readonly ElementRow[]
} {
  const present = new Set(page.ranks)
  const right = new Set(Object.entries(page.arrays ?? {}).flatMap(([key, value]) => elementRanks(key, value)))
  const row = (rank: string): ElementRow => ({ space_id: page.space_id, page_id: page.page_id, rank })
  return {
    deleted: without(present, right).map(row),
    inserted: without(right, present).map(row),
  }
}
