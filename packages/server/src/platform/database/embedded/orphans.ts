import type { Logger } from 'pino'
import type { Folder } from './folder.ts'
import { readPidFile, removeStalePidFile } from './pid-file.ts'
import { endAll, processesIn, type Step } from './processes.ts'
import { StartError } from './start-error.ts'

/** Shorter than for our own server: an orphan has no clients, and a start waits for it. */
const POLITE_MS = 2_500
const HARD: readonly Step[] = [
  { signal: 'SIGQUIT', waitMs: 1_500 },
  { signal: 'SIGKILL', waitMs: 3_000 },
]

/**
 * Frees the cluster for a new server: stops an orphaned postmaster, ends backends that outlived theirs, and removes a
 * stale postmaster.pid. Only for the owner of the data folder's lock.
 */
export async function clearOrphans(folder: Folder, log: Pick<Logger, 'warn'>): Promise<void> {
  const find = () => processesIn(folder.cluster)
  const orphans = find()
  if (orphans.length > 0) {
    log.warn({ pids: orphans }, 'stopping PostgreSQL processes that were left behind')
    const postmaster = readPidFile(folder)
    // For a backend SIGINT only cancels the query. Without a postmaster it has to be terminated.
    const steps = orphans
      .filter((pid) => pid === postmaster)
      .map((only): Step => ({ signal: 'SIGINT', only, waitMs: POLITE_MS }))
    const leftProcesses = await endAll(find, [...steps, ...HARD])
    if (leftProcesses.length > 0) {
      throw new StartError(
        `PostgreSQL processes of an earlier run hold ${folder.cluster} and cannot be ended: ${leftProcesses.join(', ')}`,
      )
    }
  }
  removeStalePidFile(folder)
}
