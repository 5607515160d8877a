/** Unsaved text, stored in this browser. */
interface Draft {
  /** The version that it is based on; absent for a new page. */
  readonly base?: number
  readonly text: string
  readonly note: string
  /** When it was typed, in milliseconds since 1970. */
  readonly at: number
}

const PREFIX = 'recto:draft:'
const SENT = 'recto:sent'
const MAX_AGE_MS = 60 * 24 * 3600 * 1000

/** Undefined if the storage of this browser is disabled or full, or has something else than expected. */
export function inStorage<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}

export type Drafts = ReturnType<typeof openDrafts>

/** The drafts of one person for one page. */
export function openDrafts(name: string) {
  const key = PREFIX + name
  return {
    load: () =>
      inStorage((): Draft | undefined => {
        const draft = JSON.parse(localStorage.getItem(key) ?? 'null')
        return draft && typeof draft.text === 'string' ? draft : undefined
      }),
    /** Returns whether it was stored. */
    keep: (draft: Draft) =>
      inStorage(() => {
        localStorage.setItem(key, JSON.stringify(draft))
        return true
      }) ?? false,
    drop: () => inStorage(() => localStorage.removeItem(key)),
  }
}

/** A draft with its page; that of a new page has no path. */
interface ListedDraft extends Draft {
  readonly space: string
  readonly path: string | undefined
}

/** The drafts in this browser, newest first. Signing out deletes them. */
export function allDrafts(): ListedDraft[] {
  const drafts = draftKeys().flatMap((key) => {
    const draft = openDrafts(key.slice(PREFIX.length)).load()
    // The owner, the space, and the path of the page.
    const [, space, ...path] = key.slice(PREFIX.length).split('/')
    if (!draft || space === undefined) return []
    return [{ ...draft, space, path: path[0] === ' new' ? undefined : path.join('/') }]
  })
  return drafts.sort((a, b) => b.at - a.at)
}

/** Deletes expired drafts. */
export function sweepDrafts(now: number): void {
  for (const key of draftKeys()) {
    inStorage(() => {
      const { at } = JSON.parse(localStorage.getItem(key) ?? '{}')
      if (!(now - at < MAX_AGE_MS)) localStorage.removeItem(key)
    })
  }
}

function draftKeys(): string[] {
  return inStorage(() => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))) ?? []
}

/** Records that a draft was sent as a form; the redirect of the service shows whether it was saved. */
export function markSent(name: string): void {
  // If it cannot be stored, the draft is offered again.
  inStorage(() => sessionStorage.setItem(SENT, name))
}

/** Deletes the draft that was sent, on a screen that is reached only after saving; not that of `except`. */
export function dropSent(except?: string): void {
  const sentKey = inStorage(() => sessionStorage.getItem(SENT))
  inStorage(() => sessionStorage.removeItem(SENT))
  if (sentKey && sentKey !== except) openDrafts(sentKey).drop()
}
