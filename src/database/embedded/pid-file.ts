import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Folder } from './folder.ts'
import { isAlive } from './processes.ts'

/** What postmaster.pid says: a number, or `garbled` for one that a crash or a full disk left empty or cut short. */
export function readPidFile(folder: Folder): number | 'garbled' | undefined {
  const text = read(folder)
  if (text === undefined) return undefined
  const pid = /^(\d+)\n/.exec(text)?.[1]
  return pid === undefined ? 'garbled' : Number(pid)
}

/** Whether the postmaster of this number says that it takes connections: the eighth line tells. */
export function saysReady(folder: Folder, pid: number | undefined): boolean {
  const lines = read(folder)?.split('\n') ?? []
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

/**
 * Removes a postmaster.pid that would keep PostgreSQL from starting for ever: a garbled one, or one whose number
 * now belongs to a stranger or to a zombie. Only for the holder of the data folder's lock, when no process works
 * in the cluster. A dead number stays: PostgreSQL handles that itself, with a second look at its shared memory.
 */
export function removeStalePidFile(folder: Folder): void {
  const pid = readPidFile(folder)
  if (pid === undefined || (pid !== 'garbled' && !isAlive(pid))) return
  rmSync(join(folder.cluster, 'postmaster.pid'))
}

function read(folder: Folder): string | undefined {
  try {
    return readFileSync(join(folder.cluster, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
