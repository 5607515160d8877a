import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a folder and its parents. The recursive `mkdir` of Node never returns on some file systems, as /proc. */
export function makeFolder(path: string, mode = 0o777): void {
  if (tryToMake(path, mode)) return
  if (dirname(path) !== path) makeFolder(dirname(path), mode)
  if (!tryToMake(path, mode)) mkdirSync(path, { mode })
}

/** Returns false if a parent is missing. */
function tryToMake(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // an error of the file system
    if (code === 'ENOENT') return false
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
  return true
}
