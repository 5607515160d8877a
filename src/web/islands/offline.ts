/** Tries again as soon as the device is online, or when it is asked to. */

addEventListener('online', () => location.reload())
document.querySelector('[data-again]')?.addEventListener('click', (event) => {
  event.preventDefault()
  location.reload()
})
