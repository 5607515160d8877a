import { statfsSync } from 'node:fs'
import { retryLater } from '@recto/contract/errors.ts'

/** Four segments of PostgreSQL's write-ahead log, and space for the transactions in progress. */
export const RESERVE_BYTES = 96 * 1024 * 1024
const FRESH_MS = 50

/**
 * Disk-space guard: throws `storage_full` while the disk of a folder has less free space than a reserve. A PostgreSQL
 * that cannot extend its log stops and cannot start again, and reads would stop with it. With writes rejected in time,
 * reads continue, and writes succeed again once somebody frees space.
 */
export function diskReserve(folder: string): () => void {
  let checkedAt = Number.NEGATIVE_INFINITY
  let leftBytes = 0
  return () => {
    const now = performance.now()
    if (now - checkedAt > FRESH_MS) {
      leftBytes = freeBytes(folder)
      checkedAt = now
    }
    if (leftBytes >= RESERVE_BYTES) return
    const detail =
      `The disk of the database has ${megabytes(leftBytes)} MB left, and ${megabytes(RESERVE_BYTES)} ` +
      `are reserved so that reads keep working. Nothing was written. Free disk space, then try again.`
    throw retryLater('storage_full', detail, 30)
  }
}

/** The free space of a folder's disk for a process without root rights. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024)
}
