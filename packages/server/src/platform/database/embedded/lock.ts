import { closeSync, openSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { readIfThere } from '../read-if-there.ts'
import { giveUpBallast } from './ballast.ts'
import type { Folder } from './folder.ts'
import { findParent, isAlive, processesIn } from './processes.ts'
import { StartError } from './start-error.ts'

/** How long an owner may take to exit (a killed process releases the lock a moment later) or to write its name. */
const RELEASE_TIMEOUT_MS = 500
const SQLITE_BUSY = 5

export interface FolderLock extends Disposable {
  /** The process that owned the folder last. */
  readonly previous: number | undefined
}

/**
 * Locks the data folder for this process, or throws a StartError that names the owner.
 *
 * Node has no flock(2); the file lock of SQLite is the kernel's too. It ends with its process, however that ends, so
 * that it cannot become stale, and no process id is trusted: the id in the file next to it is only for messages.
 */
export async function lockDataFolder(folder: Folder): Promise<FolderLock> {
  const database = open(folder)
  const deadline = Date.now() + RELEASE_TIMEOUT_MS
  for (;;) {
    if (tryLock(database, folder)) break
    if (Date.now() >= deadline) {
      database.close()
      throw inUse(folder, readHolder(folder))
    }
    await delay(25)
  }
  const previous = readHolder(folder)
  giveUpBallast(folder)
  writeFileSync(folder.holder, `${process.pid}\n`, { mode: 0o600 })
  return { previous, [Symbol.dispose]: () => database.close() }
}

/** Rejects a folder whose server is alive although its lock was free: somebody has removed the file of the lock. */
export async function rejectLiveServer(folder: Folder, previous: number | undefined): Promise<void> {
  if (previous === undefined || previous === process.pid) return
  const isServed = () => processesIn(folder.cluster).some((pid) => findParent(pid) === previous)
  const deadline = Date.now() + RELEASE_TIMEOUT_MS
  while (isServed()) {
    // A process that is being killed releases its lock a moment before its children end.
    if (Date.now() >= deadline) throw inUse(folder, previous)
    await delay(25)
  }
}

function inUse(folder: Folder, holder: number | undefined): StartError {
  const name = holder !== undefined && isAlive(holder) ? `process ${holder}` : 'another process'
  return new StartError(
    `The data folder ${folder.root} is in use by another Recto server, ${name}. ` +
      'Stop that one first, or give this one a folder of its own with SVC_DATA.',
  )
}

function open(folder: Folder): DatabaseSync {
  try {
    createOnce(folder.lock)
    return new DatabaseSync(folder.lock, { timeout: 0 })
  } catch (error) {
    throw new StartError(`Recto cannot open ${folder.lock}: ${(error as Error).message}`)
  }
}

/** Never opens an existing lock: closing it would release a lock of this process. */
function createOnce(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function tryLock(database: DatabaseSync, folder: Folder): boolean {
  try {
    database.exec('pragma journal_mode = memory; begin exclusive')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw new StartError(`Recto cannot lock ${folder.lock}: ${(error as Error).message}`)
  }
}

function readHolder(folder: Folder): number | undefined {
  const pid = Number.parseInt(readIfThere(folder.holder) ?? '', 10)
  return Number.isNaN(pid) ? undefined : pid
}
