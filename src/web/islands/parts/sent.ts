const KEY = 'recto:sent'
const PREFIX = 'recto:draft:'

/** Notes that the text of a draft was sent as a form: whether it was taken is seen by where the service leads. */
export function markSent(draft: string): void {
  try {
    sessionStorage.setItem(KEY, draft)
  } catch {
    // Then the draft is offered once more than needed.
  }
}

/** Drops the draft that was sent, on a screen that is reached only when it was taken; not that of `except`. */
export function dropSent(except?: string): void {
  try {
    const sent = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    if (sent !== null && sent !== except) localStorage.removeItem(PREFIX + sent)
  } catch {
    // A browser that keeps nothing has nothing to drop.
  }
}
