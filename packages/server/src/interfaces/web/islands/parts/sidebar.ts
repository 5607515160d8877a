/** The navigation of the workspace in the sidebar: which sections are open, what was read recently, and its width. */
import { element, filled, loadFragment } from './dom.ts'
import { readStored, writeStored } from './in-storage.ts'
import { visitedPages } from './visited.ts'

const VISITED_SHOWN = 6
const OPEN = 'recto.sections'
/** `appearance.ts` reads it before the first paint. */
const SIDEBAR = 'recto.sidebar'

/** Fills the navigation, and keeps it up to date with the favourites. */
export async function showNavigation(nav: HTMLElement, url: string, isAlone: boolean): Promise<void> {
  await load(nav, url, isAlone)
  document.addEventListener('recto:favourites', () => void load(nav, url, isAlone))
}

/** Beside a tree only the favourites are open, unless the reader has opened or closed a section. */
async function load(nav: HTMLElement, url: string, isAlone: boolean): Promise<void> {
  const text = await loadFragment(url)
  if (text === undefined) {
    // The tree waits for what is above it. What was shown before stays.
    if (nav.childElementCount === 0) nav.remove()
    return
  }
  nav.innerHTML = text
  const choices = readChoices(OPEN)
  for (const section of nav.querySelectorAll<HTMLDetailsElement>('details')) {
    const { section: name = '' } = section.dataset
    const list = section.querySelector('ul')
    if (name === 'visited' && list) filled(list, visitedLinks())
    section.hidden = list?.childElementCount === 0
    const choice = choices[name]
    section.open = typeof choice === 'boolean' ? choice : isAlone || name === 'favourites'
    section.firstElementChild?.addEventListener('click', () =>
      writeStored(OPEN, { ...readChoices(OPEN), [name]: !section.open }),
    )
  }
  const me = nav.querySelector('.me')
  if (me) showPerson(me)
  for (const link of nav.querySelectorAll('a')) if (link.pathname === location.pathname) link.ariaCurrent = 'page'
}

/** Who is signed in, at the top of the menu: the document is the same for everybody. */
function showPerson(me: Element): void {
  const items = document.querySelector('.top .menu > .items')
  items?.querySelector('.me')?.parentElement?.remove()
  items?.prepend(element('li', {}, me))
}

function visitedLinks(): readonly HTMLElement[] {
  return visitedPages()
    .filter(({ url }) => url !== location.pathname)
    .slice(0, VISITED_SHOWN)
    .map(({ url, title }) => element('li', {}, element('a', { href: url }, element('bdi', {}, title))))
}

/** Beside the screen the button hides the sidebar, instead of opening it as a drawer, and its width is kept. */
export function keepSidebar(sidebar: HTMLElement, button: HTMLElement): void {
  const root = document.documentElement
  const isBeside = () => matchMedia('(min-width: 64rem)').matches
  const show = (isHidden: boolean) => {
    root.toggleAttribute('data-sidebar-hidden', isHidden)
    button.ariaExpanded = String(!isHidden)
  }
  if (isBeside()) button.ariaExpanded = String(!root.hasAttribute('data-sidebar-hidden'))
  button.addEventListener('click', (event) => {
    if (!isBeside()) return
    event.preventDefault()
    const isHidden = !root.hasAttribute('data-sidebar-hidden')
    show(isHidden)
    writeStored(SIDEBAR, { ...readChoices(SIDEBAR), isHidden })
  })
  // A reader who drags its edge sets a width of its own.
  new ResizeObserver(() => {
    const width = Number.parseInt(sidebar.style.width, 10)
    if (isBeside() && width > 0) writeStored(SIDEBAR, { ...readChoices(SIDEBAR), width })
  }).observe(sidebar)
}

function readChoices(key: string): Readonly<Record<string, unknown>> {
  return { ...(readStored(key) as object | undefined) } // of anything else there are no choices
}
