import type { Stats } from 'node:fs'
import type { LocalFile } from './entry.ts'

type Content = Pick<LocalFile, 'digest' | 'metadata'>

interface Cached extends Content {
  readonly stat: readonly number[]
  readonly id: string
}

export type FileCache = ReturnType<typeof createFileCache>

/** A change within the resolution of the clock of a file system leaves the times as they are. */
const CLOCK_MS = 2_000

/** Digests of files by name, valid as long as the file has the same size and times, as in the index of git. */
export function createFileCache(savedFiles: Readonly<Record<string, Cached>> = {}) {
  const cachedFiles = new Map(Object.entries(savedFiles))
  return {
    get(name: string, stat: Stats): Content | undefined {
      const cachedFile = cachedFiles.get(name)
      if (!cachedFile || toFacts(stat).some((fact, at) => fact !== cachedFile.stat[at])) return undefined
      return { digest: cachedFile.digest, ...(cachedFile.metadata && { metadata: cachedFile.metadata }) }
    },
    set(name: string, stat: Stats, id: string, content: Content) {
      const isRecent = Math.max(stat.mtimeMs, stat.ctimeMs) > Date.now() - CLOCK_MS
      cachedFiles.set(name, { stat: isRecent ? [] : toFacts(stat), id, ...content })
    },
    delete: (name: string) => cachedFiles.delete(name),
    /** The file that had a name in the last run. */
    findId: (name: string) => cachedFiles.get(name)?.id,
    toJSON: () => Object.fromEntries(cachedFiles),
  }
}

function toFacts({ size, mtimeMs, ctimeMs, ino }: Stats): number[] {
  return [size, mtimeMs, ctimeMs, ino]
}
