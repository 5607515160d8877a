/** Undefined if the storage of this browser is disabled or full, or has something else than expected. */
export function inStorage<T>(use: () => T): T | undefined {
  try {
    return use()
  } catch {
    return undefined
  }
}
