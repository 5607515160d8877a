/** A choice that this browser keeps; undefined if there is none, or storage is disabled. */
export function loadChoice(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a choice. Where storage is disabled, it lasts as long as the screen. */
export function storeChoice(key: string, choice: string): void {
  try {
    localStorage.setItem(key, choice)
  } catch {
    // Storage is disabled.
  }
}
