import { retryLater } from '@recto/contract/errors.ts'

/** What the routes of imports share. */
export interface ImportDeps {
  /** The folder of temporary files. */
  readonly folder: string
  readonly running: number
  /** Reserves an import until it is disposed; fails if too many run. */
  readonly reserve: () => Disposable
  /** Runs an import; rejects it if too many run. */
  readonly limited: <T>(work: () => Promise<T>) => Promise<T>
}

/** Concurrent imports: each holds batches of pages in memory, and is CPU-bound. */
const MAX_IMPORTS = 2

export function createImportDeps(folder: string): ImportDeps {
  let running = 0
  const reserve = () => {
    if (running >= MAX_IMPORTS) throw retryLater('import_busy', 'Too many imports are running. Try again shortly.', 10)
    running++
    return { [Symbol.dispose]: () => void running-- }
  }
  return {
    folder,
    get running() {
      return running
    },
    reserve,
    async limited(work) {
      using _reserved = reserve()
      return await work()
    },
  }
}
