const KEY = 'recto:sent'
const PREFIX = 'recto:draft:'

/** Records that a draft was sent as a form; the redirect of the service shows whether it was saved. */
export function markSent(draft: string): void {
  try {
    sessionStorage.setItem(KEY, draft)
  } catch {
    // Then the draft is offered again.
  }
}

/** Deletes the draft that was sent, on a screen that is reached only after saving; not that of `except`. */
export function dropSent(except?: string): void {
  try {
    const sent = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    if (sent !== null && sent !== except) localStorage.removeItem(PREFIX + sent)
  } catch {
    // Storage is disabled.
  }
}
