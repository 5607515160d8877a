/** The maximum of stored folders of a tree; the oldest are removed first. */
const MAX = 50

export type OpenFolders = ReturnType<typeof openFolders>

/** The open folders and the scroll position of one page tree, by its URL. Stored only in this browser. */
export function openFolders(tree: string) {
  const key = `recto.tree:${tree}`
  const all = () => read(() => localStorage, key)
  return {
    all,
    set(path: string, open: boolean) {
      const others = all().filter((other) => other !== path)
      write(() => localStorage, key, open ? [...others, path].slice(-MAX) : others)
    },
    scrolled: () => Number(read(() => sessionStorage, key)[0] ?? 0) || 0,
    scroll: (top: number) => write(() => sessionStorage, key, [String(Math.round(top))]),
  }
}

function read(storage: () => Storage, key: string): string[] {
  try {
    const storedValue: unknown = JSON.parse(storage().getItem(key) ?? '[]')
    return Array.isArray(storedValue) ? storedValue.filter((item) => typeof item === 'string').slice(-MAX) : []
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
