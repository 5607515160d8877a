import type { Runtime } from '../../../access/ctx.ts'
import { autocommit, inTransaction } from '../../../platform/database/transaction.ts'
import { elementKeys, without } from '../../metadata/elements.ts'
import { entryKey, toSortKey } from '../../metadata/sort-key.ts'
import {
  advanceElementIndexing,
  endElementIndexing,
  endOfDocuments,
  findElementIndexing,
  lockDocuments,
  type RankChanges,
  type RanksOfPage,
  writeElements,
  writeEntries,
} from '../../metadata/store-elements.ts'
import { startBackfill } from './backfill.ts'

type Host = Pick<Runtime, 'db' | 'log'>

/** Patches of these pages wait while a batch is written. */
const BATCH = 200

/**
 * A background backfill: the elements of arrays in metadata that releases before metadata_element have written, and the
 * entries of dates that earlier releases took for text. Until it ends, queries for elements read documents.
 */
export function startMetadataIndexing(host: Host): AsyncDisposable {
  return startBackfill(host, {
    lease: 'element-indexing',
    failure: 'the metadata was not all indexed; this is tried again',
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
    const pages = await lockDocuments(tx, after, end)
    const elements = comparePositions(pages, (page) => page.elements, elementKeys)
    await writeElements(tx, elements.deleted, elements.inserted)
    await writeEntries(
      tx,
      comparePositions(
        pages,
        (page) => page.entries,
        (key, value) => [entryKey(key, toSortKey(value))],
      ),
    )
    await advanceElementIndexing(tx, end)
  })
  return true
}

/** What makes the rows of each page those that its values have by the present rules. */
function comparePositions(
  pages: readonly RanksOfPage[],
  storedRanks: (page: RanksOfPage) => readonly string[],
  ranksOfValue: (key: string, value: unknown) => readonly string[],
): RankChanges {
  const changes = pages.map((page) => {
    const storedRankSet = new Set(storedRanks(page))
    const right = new Set(Object.entries(page.values ?? {}).flatMap(([key, value]) => ranksOfValue(key, value)))
    const row = (rank: string) => ({ space_id: page.space_id, page_id: page.page_id, rank })
    return {
      deleted: without(storedRankSet, right).map(row),
      inserted: without(right, storedRankSet).map(row),
    }
  })
  return {
    deleted: changes.flatMap(({ deleted }) => deleted),
    inserted: changes.flatMap(({ inserted }) => inserted),
  }
}
