import { element } from './dom.ts'

const SHOWN_MS = 3_000

/**
 * A short message at the bottom of the window (toast), which screen readers announce. Returns the function that shows
 * one.
 */
export function createToast(after: HTMLElement): (message: string) => void {
  const status = element('p', { class: 'toast', role: 'status' })
  after.after(status)
  let timer: ReturnType<typeof setTimeout> | undefined
  return (message) => {
    clearTimeout(timer)
    status.textContent = message
    timer = setTimeout(() => status.replaceChildren(), SHOWN_MS)
  }
}
