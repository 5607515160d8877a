/** Unsaved text, stored in this browser. */
interface Draft {
  /** The version that it is based on; absent for a new page. */
  readonly base?: number
  readonly text: string
  readonly note: string
  /** When it was typed, in milliseconds since 1970. */
  readonly at: number
}

export interface Drafts {
  load(): Draft | undefined
  /** Returns whether it was stored: the storage may be full or disabled. */
  keep(draft: Draft): boolean
  drop(): void
}

const PREFIX = 'recto:draft:'
const MAX_AGE_MS = 60 * 24 * 3600 * 1000

/** The drafts of one person for one page. */
export function draftsOf(name: string): Drafts {
  const key = PREFIX + name
  return {
    load() {
      try {
        const draft = JSON.parse(localStorage.getItem(key) ?? 'null')
        return draft && typeof draft.text === 'string' ? draft : undefined
      } catch {
        return undefined
      }
    },
    keep(draft) {
      try {
        localStorage.setItem(key, JSON.stringify(draft))
        return true
      } catch {
        return false
      }
    },
    drop() {
      try {
        localStorage.removeItem(key)
      } catch {
        // Nothing was stored.
      }
    },
  }
}

/** A draft with its page; that of a new page has no path. */
interface ListedDraft extends Draft {
  readonly space: string
  readonly path: string | undefined
}

/** The drafts in this browser, newest first; none if storage is disabled. Signing out deletes them. */
export function allDrafts(): ListedDraft[] {
  try {
    const names = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
    const drafts = names.flatMap((key) => {
      const draft = draftsOf(key.slice(PREFIX.length)).load()
      // The owner, the space, and the path of the page.
      const [, space, ...path] = key.slice(PREFIX.length).split('/')
      if (!draft || space === undefined) return []
      return [{ ...draft, space, path: path[0] === ' new' ? undefined : path.join('/') }]
    })
    return drafts.sort((a, b) => b.at - a.at)
  } catch {
    return []
  }
}

/** Deletes expired drafts. */
export function sweepDrafts(now: number): void {
  try {
    for (const key of Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))) {
      const { at } = JSON.parse(localStorage.getItem(key) ?? '{}')
      if (!(now - at < MAX_AGE_MS)) localStorage.removeItem(key)
    }
  } catch {
    // Storage is disabled.
  }
}
