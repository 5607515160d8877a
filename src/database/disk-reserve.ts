import { statfsSync } from 'node:fs'
import { AppError } from '../errors.ts'

/** Four segments of PostgreSQL's log, and room for what is under way. */
export const RESERVE_BYTES = 96 * 1024 * 1024
const FRESH_MS = 50

/**
 * Refuses with `storage_full` while the disk that a folder lies on has less than a reserve left. A PostgreSQL that cannot
 * extend its log ends, and does not start again before there is room: reads would end with it. Where writers
 * are turned away in time, reads go on, and the next write after somebody made room succeeds.
 */
export function diskReserve(folder: string): () => void {
  let asked = Number.NEGATIVE_INFINITY
  let left = 0
  return () => {
    const now = performance.now()
    if (now - asked > FRESH_MS) {
      left = freeBytes(folder)
      asked = now
    }
    if (left >= RESERVE_BYTES) return
    throw new AppError(
      'storage_full',
      `The disk of the database has ${megabytes(left)} MB left, and ${megabytes(RESERVE_BYTES)} are kept free so that reads go on: nothing was written. Free space, then try again.`,
      { headers: { 'Retry-After': '30' } },
    )
  }
}

/** What a folder's disk has left for a process that is not root's. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024)
}
