/** Buttons that copy the secret next to them. */
import { copyText } from './parts/clipboard.ts'

for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const code = place.querySelector('code')
  const button = place.querySelector<HTMLButtonElement>('[data-copy-button]')
  if (!code || !button) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    const copied = await copyText(code.textContent)
    if (!copied) getSelection()?.selectAllChildren(code)
    button.textContent = copied ? 'Copied' : 'Selected. Press Ctrl+C to copy'
    button.setAttribute('aria-live', 'polite')
  })
}
