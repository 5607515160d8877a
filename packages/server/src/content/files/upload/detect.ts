import { retryLater } from '@recto/contract/errors.ts'
import type { MemoryPlan } from '@recto/lib/memory-plan.ts'
import { Pool, PoolError } from '@recto/markdown/engine/pool.ts'
import { currentOwner } from '../../../platform/database/connections/request-scope.ts'
import { type DetectedType, UNKNOWN_TYPE } from './content-type.ts'

/** Detects the types of files by their first bytes, in a worker. */
export interface TypeDetector {
  detect(head: Buffer): Promise<DetectedType>
}

/** Processor time of one file; it takes a millisecond. */
const CPU_MS = 2_000

export function startTypeDetector({ workerIdleMs }: MemoryPlan): TypeDetector & AsyncDisposable {
  const pool = new Pool({
    script: new URL('./type-worker.ts', import.meta.url),
    size: 1,
    idleMs: workerIdleMs,
    maxQueue: 1_000,
    owner: currentOwner,
    resources: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
  })
  return {
    async detect(head) {
      try {
        // A copy: a message would contain the complete memory that a buffer is a part of.
        return (await pool.run(new Uint8Array(head), CPU_MS)) as DetectedType // of the worker
      } catch (error) {
        if (!(error instanceof PoolError)) throw error
        // Bytes that take longer have no type that is shown in place.
        if (error.reason !== 'busy') return UNKNOWN_TYPE
        throw retryLater('files_busy', 'Too many files are being uploaded at once.', 2, error)
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
