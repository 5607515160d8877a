/** Fetches what surrounds a page. It fills room that was kept for it: nothing on the page moves. */
import { dropSent } from './parts/sent.ts'

dropSent()
for (const place of document.querySelectorAll<HTMLElement>('[data-fragment]')) {
  // On a narrow screen the tree has no place.
  if (place.offsetParent !== null || getComputedStyle(place).position === 'fixed') void fill(place)
}

async function fill(place: HTMLElement): Promise<void> {
  const { fragment = '' } = place.dataset
  try {
    const response = await fetch(fragment, { headers: { Accept: 'text/html' } })
    // An answer that led elsewhere is a page, such as that for signing in.
    if (!response.ok || response.redirected) return
    // Written by our own templates, which escape whatever they are given.
    place.innerHTML = await response.text()
    place.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  } catch {
    // The links that stand there lead to the same.
  }
}
