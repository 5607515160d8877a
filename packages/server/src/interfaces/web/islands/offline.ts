/** Retries until the service answers. */
import { OFFLINE } from '../urls.ts'

const TRY_EVERY_MS = 3_000

addEventListener('online', () => location.reload())
document.querySelector('[data-again]')?.addEventListener('click', (event) => {
  event.preventDefault()
  location.reload()
})
// A device can be online while the service is down.
setInterval(async () => {
  const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined)
  if (answer?.ok && location.pathname !== OFFLINE) location.reload()
}, TRY_EVERY_MS)
