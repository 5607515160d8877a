import { element, loadFragment, placeMenu, refill } from './dom.ts'
import { t } from './t.ts'

const MAX_SHOWN = 100

/** Opens the menu of the siblings of a page or folder, which is loaded each time that it opens. */
export function openSiblings(button: HTMLButtonElement): void {
  // The browser opens and closes it from the second click on.
  if (button.popoverTargetElement) return
  const menu = element('ul', { class: 'items', popover: 'auto' })
  menu.addEventListener('toggle', ({ newState }) => void (newState === 'open' && fill(menu, button)))
  button.after(menu)
  button.popoverTargetElement = menu
  menu.showPopover({ source: button })
}

async function fill(menu: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const { level = '', all = '' } = button.dataset
  refill(menu, [element('li', { class: 'quiet' }, t('Loading …'))])
  placeMenu(menu, button)
  const items = await readItems(level)
  const rest = element('a', { href: all }, t('Show all'))
  refill(menu, [...(items ?? []), ...(items && items.length < MAX_SHOWN ? [] : [element('li', {}, rest)])])
  placeMenu(menu, button)
  if (menu.matches(':popover-open'))
    (menu.querySelector<HTMLElement>('[aria-current]') ?? menu.querySelector('a'))?.focus()
}

/** The rows of a level of the page tree, as items of a menu. */
async function readItems(url: string): Promise<HTMLElement[] | undefined> {
  const text = await loadFragment(url)
  if (text === undefined) return undefined
  const list = element('ul')
  list.innerHTML = text
  const links = [...list.querySelectorAll('.row > a:not(.add, .lock)')]
  return links.slice(0, MAX_SHOWN).map((link) => element('li', {}, link))
}
