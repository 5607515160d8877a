/** Buttons that copy the secret beside them. Without script it is selected and copied by hand. */

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

/** Copies the text of an element; false where the browser does not let scripts, and then it is selected. */
async function copy(element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(element.textContent)
    return true
  } catch {
    // On plain http there is no clipboard for scripts, and a person may refuse it.
    getSelection()?.selectAllChildren(element)
    return false
  }
}

export {}
