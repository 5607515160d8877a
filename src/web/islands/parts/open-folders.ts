/** The open folders and the scroll position of a page tree. Stored only in this browser. */
export interface OpenFolders {
  all(): string[]
  set(path: string, open: boolean): void
  scrolled(): number
  scroll(top: number): void
}

/** The maximum of stored trees; the oldest are removed first. */
const MAX = 50

/** The stored state of one tree, by its URL. */
export function openFolders(tree: string): OpenFolders {
  const key = `recto.tree:${tree}`
  return {
    all: () => read(() => localStorage, key),
    set: (path, open) => {
      const others = read(() => localStorage, key).filter((other) => other !== path)
      write(() => localStorage, key, open ? [...others, path].slice(-MAX) : others)
    },
    scrolled: () => Number(read(() => sessionStorage, key)[0] ?? 0) || 0,
    scroll: (top) => write(() => sessionStorage, key, [String(Math.round(top))]),
  }
}

function read(storage: () => Storage, key: string): string[] {
  try {
    const kept: unknown = JSON.parse(storage().getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter((item) => typeof item === 'string').slice(-MAX) : []
  } catch {
    // Another release stored it, or storage is disabled.
    return []
  }
}

function write(storage: () => Storage, key: string, value: readonly string[]): void {
  try {
    storage().setItem(key, JSON.stringify(value))
  } catch {
    // Storage is disabled: nothing stays open.
  }
}
