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
export function createFileCache(saved: Readonly<Record<string, Cached>> = {}) {
  const cached = new Map(Object.entries(saved))
  return {
    get(name: string, stat: Stats): Content | undefined {
      const known = cached.get(name)
      if (!known || toFacts(stat).some((fact, at) => fact !== known.stat[at])) return undefined
      return { digest: known.digest, ...(known.metadata && { metadata: known.metadata }) }
    },
    set(name: string, stat: Stats, id: string, content: Content) {
      const isRecent = Math.max(stat.mtimeMs, stat.ctimeMs) > Date.now() - CLOCK_MS
      cached.set(name, { stat: isRecent ? [] : toFacts(stat), id, ...content })
    },
    delete: (name: string) => cached.delete(name),
    /** The file that had a name in the last run. */
    findId: (name: string) => cached.get(name)?.id,
    toJSON: () => Object.fromEntries(cached),
  }
}

function toFacts({ size, mtimeMs, ctimeMs, ino }: Stats): number[] {
  return [size, mtimeMs, ctimeMs, ino]
}
