import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { readIfThere } from '../read-if-there.ts'
import type { Folder } from './folder.ts'
import { endAll, isAlive, processesIn, type Step } from './processes.ts'
import { StartError } from './start-error.ts'

/** The content of postmaster.pid: a process id, or `garbled` if a crash or a full disk left it empty or truncated. */
function readPidFile(folder: Folder): number | 'garbled' | undefined {
  const text = read(folder)
  if (text === undefined) return undefined
  const pid = /^(\d+)\n/.exec(text)?.[1]
  return pid === undefined ? 'garbled' : Number(pid)
}

/** Whether the postmaster with this id accepts connections, according to the eighth line. */
export function saysReady(folder: Folder, pid: number | undefined): boolean {
  const lines = read(folder)?.split('\n') ?? []
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

/**
 * Removes a postmaster.pid that would prevent PostgreSQL from ever starting: a garbled one, or one whose id now
 * belongs to another process or to a zombie. Only for the owner of the data folder's lock, when no process works in
 * the cluster. A dead id stays: PostgreSQL handles that itself, with a check of its shared memory.
 */
function removeStalePidFile(folder: Folder): void {
  const pid = readPidFile(folder)
  if (pid === undefined || (pid !== 'garbled' && !isAlive(pid))) return
  rmSync(join(folder.cluster, 'postmaster.pid'))
}

function read(folder: Folder): string | undefined {
  return readIfThere(join(folder.cluster, 'postmaster.pid'))
}

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
      const pids = leftProcesses.join(', ')
      throw new StartError(`PostgreSQL processes of an earlier run hold ${folder.cluster} and cannot be ended: ${pids}`)
    }
  }
  removeStalePidFile(folder)
}
