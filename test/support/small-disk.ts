import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk extends Disposable {
  readonly path: string
  /** Takes all of the space but so many bytes. */
  fill(leave: number): void
  /** Gives that space back. */
  free(): void
}

/** A file system of its own in memory, or why there can be none here. */
export function smallDisk(megabytes: number): SmallDisk | string {
  const path = mkdtempSync(join(tmpdir(), 'recto-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path], { stdio: 'pipe' })
  } catch (error) {
    rmSync(path, { recursive: true })
    return `this needs the right to mount a tmpfs: ${String((error as Error).message).split('\n')[1] ?? error}`
  }
  const filler = join(path, 'filler')
  return {
    path,
    fill(leave) {
      const { bavail, bsize } = statfsSync(path)
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(bavail * bsize - leave, 0), 1))
      } catch (error) {
        // Somebody else wrote meanwhile: the disk is full all the same.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC' || leave > 0) throw error
      }
    },
    free: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      execFileSync('umount', ['-l', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}
