/** Loads the panel into reserved space, without layout shifts. */
import { dropSent } from './parts/sent.ts'

dropSent()
for (const place of document.querySelectorAll<HTMLElement>('[data-fragment]')) {
  void fill(place)
}

async function fill(place: HTMLElement): Promise<void> {
  const { fragment = '' } = place.dataset
  try {
    const response = await fetch(fragment, { headers: { Accept: 'text/html' } })
    // A redirect is a complete page, such as the sign-in screen.
    if (!response.ok || response.redirected) return
    // From our own templates, which escape all values.
    place.innerHTML = await response.text()
  } catch {
    // The links that are there already suffice.
  }
}
