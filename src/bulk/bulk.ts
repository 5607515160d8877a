import { type Pool, PoolError, startPool } from '../markdown/pool.ts'
import type { BulkAnswers, BulkJob } from './bulk-worker.ts'

/** Processor time of one job. A page takes tenths of a millisecond, and 200 ms at worst. */
const CPU_MS = 30_000
const MAX_PAGES = 50
/** Of the bodies of one job. A page with more is not for the worker. */
const MAX_SIZE = 1024 * 1024
/** Less than this is done here before a worker has started. */
const FEW_PAGES = 20
const SMALL = 64 * 1024
/** One keeps pace with the database, and each takes some 50 MB. */
const WORKERS = 1

/** Starts what works on pages in bulk, beside the main thread. */
export function startBulk(): Pool {
  return startPool({
    script: new URL('./bulk-worker.ts', import.meta.url),
    size: WORKERS,
    idleMs: 10_000,
    maxQueue: 1_000,
    resources: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  })
}

/** What the worker did with an item; absent: it was not asked, or the item is too dear. Whoever asks does that one alone. */
export type BulkResult<Kind extends BulkJob['kind']> = BulkAnswers[Kind][number] | undefined

/** Has some jobs of pages done in the worker, in pieces of a bounded size; an item's `size` is the length of its bodies. */
export async function runInBulk<Job extends BulkJob>(
  bulk: Pick<Pool, 'run'>,
  { items, ...common }: Job,
  size: (item: Job['items'][number]) => number,
): Promise<BulkResult<Job['kind']>[]> {
  if (items.length <= FEW_PAGES && items.reduce((sum, item) => sum + size(item), 0) <= SMALL) {
    return items.map(() => undefined)
  }
  const answers = pieces(items as readonly Job['items'][number][], size).map(async (piece) => {
    const refused = piece.map(() => undefined)
    if (piece.length === 1 && piece.every((item) => size(item) > MAX_SIZE)) return refused
    try {
      return (await bulk.run({ ...common, items: piece }, CPU_MS)) as BulkResult<Job['kind']>[]
    } catch (error) {
      if (error instanceof PoolError) return refused
      throw error
    }
  })
  return (await Promise.all(answers)).flat()
}

function pieces<Item>(items: readonly Item[], size: (item: Item) => number): Item[][] {
  const all: Item[][] = []
  let sum = 0
  for (const item of items) {
    const own = size(item)
    const last = all.at(-1)
    if (last && last.length < MAX_PAGES && sum + own <= MAX_SIZE) {
      last.push(item)
      sum += own
    } else {
      all.push([item])
      sum = own
    }
  }
  return all
}
