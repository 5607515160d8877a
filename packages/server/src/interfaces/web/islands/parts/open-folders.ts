import { readStored, writeStored } from './in-storage.ts'

/** The maximum of stored folders of a tree; the oldest are removed first. */
const MAX = 50

export type OpenFolders = ReturnType<typeof openFolders>

/** The open folders and the scroll position of one page tree, by its URL. Stored only in this browser. */
export function openFolders(tree: string) {
  const key = `recto.tree:${tree}`
  const all = () => read(key)
  return {
    all,
    set(path: string, open: boolean) {
      const others = all().filter((other) => other !== path)
      writeStored(key, open ? [...others, path].slice(-MAX) : others)
    },
    scrolled: () => Number(read(key, () => sessionStorage)[0] ?? 0) || 0,
    scroll: (top: number) => writeStored(key, [String(Math.round(top))], () => sessionStorage),
  }
}

function read(key: string, storage?: () => Storage): string[] {
  const storedValue = readStored(key, storage)
  return Array.isArray(storedValue) ? storedValue.filter((item) => typeof item === 'string').slice(-MAX) : []
}
