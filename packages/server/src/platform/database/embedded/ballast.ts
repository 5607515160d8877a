import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { Logger } from 'pino'
import { freeBytes, RESERVE_BYTES } from '../availability/disk-reserve.ts'
import type { Folder } from './folder.ts'
import { readSize } from './log-file.ts'

/** Two segments of the write-ahead log: the maximum that a recovery and its checkpoint write. */
export const BALLAST_BYTES = 32 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024
const CHECK_MS = 5_000

/** Deletes the ballast file if the disk is full: PostgreSQL does not start without space for a checkpoint. */
export function giveUpBallast({ ballast, root }: Folder): void {
  if (freeBytes(root) < RESERVE_BYTES) rmSync(ballast, { force: true })
}

/** Creates the ballast file after the start, and again as soon as the disk has space for it and for the reserve. */
export function keepBallast(folder: Folder, log: Pick<Logger, 'warn'>): Disposable {
  let filling = false
  let isOver = false
  const check = async () => {
    if (filling || isOver || readSize(folder.ballast) === BALLAST_BYTES) return
    if (freeBytes(folder.root) < RESERVE_BYTES + BALLAST_BYTES) return
    filling = true
    try {
      await fill(folder.ballast, () => isOver)
    } catch (error) {
      log.warn({ err: error }, 'the ballast file could not be made')
    } finally {
      filling = false
    }
  }
  const timer = setInterval(() => void check(), CHECK_MS).unref()
  return {
    [Symbol.dispose]() {
      isOver = true
      clearInterval(timer)
    },
  }
}

/** Random bytes, for a file system that compresses. */
async function fill(path: string, isOver: () => boolean): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  try {
    for (let size = 0; size < BALLAST_BYTES && !isOver(); size += CHUNK_BYTES) {
      await file.writeFile(randomBytes(CHUNK_BYTES))
    }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
