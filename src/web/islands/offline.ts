/** Tries again as soon as the service answers, or when it is asked to. */

const TRY_EVERY_MS = 3_000

addEventListener('online', () => location.reload())
document.querySelector('[data-again]')?.addEventListener('click', (event) => {
  event.preventDefault()
  location.reload()
})
// That the device is online does not say that the service runs.
setInterval(async () => {
  const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => undefined)
  if (answer?.ok && location.pathname !== '/offline') location.reload()
}, TRY_EVERY_MS)

export {}
