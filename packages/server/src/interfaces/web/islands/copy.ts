/** Buttons that copy the secret next to them. */
import { copyText } from './parts/clipboard.ts'
import { t } from './parts/t.ts'

for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const code = place.querySelector('code')
  const button = place.querySelector<HTMLButtonElement>('[data-copy-button]')
  if (!code || !button) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    const isCopied = await copyText(code.textContent)
    if (!isCopied) getSelection()?.selectAllChildren(code)
    button.textContent = isCopied ? t('Copied') : t('Selected. Press Ctrl+C to copy')
    button.setAttribute('aria-live', 'polite')
  })
}
