/** Buttons that copy the secret next to them. */

for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const code = place.querySelector('code')
  const button = place.querySelector<HTMLButtonElement>('[data-copy-button]')
  if (!code || !button) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    const copied = await copy(code)
    button.textContent = copied ? 'Copied' : 'Selected. Press Ctrl+C to copy'
    button.setAttribute('aria-live', 'polite')
  })
}

/** Copies the text of an element; if the browser does not allow it, selects the text and returns false. */
async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent)
    return true
  } catch {
    // There is no clipboard on plain http, and a person may deny access.
    getSelection()?.selectAllChildren(element)
    return false
  }
}

export {}
