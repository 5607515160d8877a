import type { MemoryPlan } from '@recto/lib/memory-plan.ts'
import { Pool, PoolError } from '@recto/markdown/engine/pool.ts'
import { currentOwner } from '../../../platform/database/connections/request-scope.ts'
import type { BulkAnswers, BulkJob } from './bulk-worker.ts'

/** Processor time of one job in milliseconds. A page takes tenths of a millisecond, and 200 ms at worst. */
const CPU_MS = 30_000
const MAX_PAGES = 50
/** Total size of the bodies of one job. A larger page is not sent to the worker. */
const MAX_SIZE = 1024 * 1024
/** Smaller jobs run on the main thread until a worker has started. */
const FEW_PAGES = 20
const SMALL = 64 * 1024
/** One worker keeps up with the database, and each takes some 50 MB. */
const WORKERS = 1

/** Starts the worker of jobs over many pages. */
export function startBulk({ workerHeapMb, workerYoungMb, workerIdleMs }: MemoryPlan): Pool {
  return new Pool({
    script: new URL('./bulk-worker.ts', import.meta.url),
    size: WORKERS,
    idleMs: Math.min(10_000, workerIdleMs),
    maxQueue: 1_000,
    owner: currentOwner,
    resources: {
      maxOldGenerationSizeMb: Math.min(256, workerHeapMb),
      maxYoungGenerationSizeMb: Math.min(16, workerYoungMb),
    },
  })
}

/** The result of an item; absent: it was too large or too expensive for the worker, and the caller processes it. */
export type BulkResult<Kind extends BulkJob['kind']> = BulkAnswers[Kind][number] | undefined

/** Runs jobs over pages in the worker, in chunks of bounded size; `size` of an item is the length of its bodies. */
export async function runInBulk<Job extends BulkJob>(
  bulk: Pick<Pool, 'run'>,
  { items, ...common }: Job,
  size: (item: Job['items'][number]) => number,
): Promise<BulkResult<Job['kind']>[]> {
  if (items.length <= FEW_PAGES && items.reduce((sum, item) => sum + size(item), 0) <= SMALL) {
    return items.map(() => undefined)
  }
  const answers = chunks(items as readonly Job['items'][number][], size).map(async (chunk) => {
    const noResults = chunk.map(() => undefined)
    if (chunk.length === 1 && chunk.every((item) => size(item) > MAX_SIZE)) return noResults
    try {
      return (await bulk.run({ ...common, items: chunk }, CPU_MS)) as BulkResult<Job['kind']>[]
    } catch (error) {
      if (error instanceof PoolError) return noResults
      throw error
    }
  })
  return (await Promise.all(answers)).flat()
}

function chunks<Item>(items: readonly Item[], size: (item: Item) => number): Item[][] {
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
