/** What every screen has: menus that close, and a key that leads to the search. */

document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    if (!(target instanceof Node && menu.contains(target))) menu.open = false
  }
})

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeMenus()
  const free = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target)
  if (event.key === '/' && free) {
    event.preventDefault()
    document.querySelector<HTMLInputElement>('.find input')?.focus()
  }
})

// Only a page that says that the service cannot be reached is kept: see offline-routes.ts.
addEventListener('load', () => navigator.serviceWorker?.register('/offline-worker.js'))

function closeMenus(): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    menu.open = false
    menu.querySelector('summary')?.focus()
  }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
  )
}
