import { button } from '../parts/dom.ts'
import { inStorage } from '../parts/in-storage.ts'
import { t } from '../parts/t.ts'

const PREVIEW_KEY = 'recto.preview'

/**
 * On wide screens the preview is next to the text, for who wants both, and the browser keeps this choice; on narrow
 * ones it replaces the text.
 */
export function previewButton(panes: HTMLElement, preview: HTMLElement): HTMLButtonElement {
  panes.classList.toggle('single', inStorage(() => localStorage.getItem(PREVIEW_KEY)) !== 'on')
  const isWide = () => matchMedia('(min-width: 64rem)').matches
  const isShown = () => (isWide() ? !panes.classList.contains('single') : panes.classList.contains('previewing'))
  const show = () => {
    preview.hidden = isWide() && panes.classList.contains('single')
    toggle.setAttribute('aria-pressed', String(isShown()))
  }
  const toggle = button(t('Preview'), 'button small', () => {
    if (isWide()) {
      const choice = panes.classList.toggle('single') ? 'off' : 'on'
      inStorage(() => localStorage.setItem(PREVIEW_KEY, choice))
    } else panes.classList.toggle('previewing')
    show()
  })
  matchMedia('(min-width: 64rem)').addEventListener('change', show)
  show()
  return toggle
}
