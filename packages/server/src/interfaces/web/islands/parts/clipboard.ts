/** Copies a text; returns false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // There is no clipboard on plain http, and a person may deny access.
    return false
  }
}
