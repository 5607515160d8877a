/** The page tree: opens folders in place, remembers the open ones, filters, and loads further parts of long folders. */
import { loadFragment } from './parts/dom.ts'
import { type OpenFolders, openFolders } from './parts/open-folders.ts'
import { keepSidebar, showNavigation } from './parts/sidebar.ts'
import { t } from './parts/t.ts'
import { treeKeys } from './parts/tree-keys.ts'

const WAIT_MS = 120
const nav = document.querySelector<HTMLElement>('.page-tree')
const sidebar = document.querySelector<HTMLElement>('.sidebar')
// On narrow screens it is a drawer, and loads when it is opened; as in sidebar.css. To ask for its style would force a
// layout.
const isBeside = matchMedia('(min-width: 64rem)').matches
/** The navigation is above the tree, which waits for it, so that it does not move. */
const navigation = sidebar && showSidebar(sidebar)
if (nav) start(nav)

async function showSidebar(sidebar: HTMLElement): Promise<void> {
  const button = document.querySelector<HTMLElement>('.sidebar-button')
  if (button) keepSidebar(sidebar, button)
  const place = sidebar.querySelector<HTMLElement>('.navigation')
  if (!place) return
  let navigationPromise: Promise<void> | undefined
  const show = () => (navigationPromise ??= showNavigation(place, place.dataset.url ?? '', !nav))
  document.querySelector('.top .menu')?.addEventListener('toggle', () => void show(), { once: true })
  if (isBeside) await show()
  else whenShown(() => void show())
}

function whenShown(load: () => void): void {
  if (isBeside) load()
  else sidebar?.addEventListener('toggle', load, { once: true })
}

function start(nav: HTMLElement): void {
  const { tree = '', page } = nav.dataset
  const folders = openFolders(tree)
  const load = async (openedPath = '') => {
    if (openedPath !== '') folders.set(openedPath, true)
    const text = await fetchFragment(tree, [
      ...(page === undefined ? [] : [['page', page]]),
      ...folders.all().map((path) => ['open', path]),
    ])
    await navigation
    if (text === undefined) return
    // Before the tree is shown, so that its buttons work immediately.
    const edit = text.includes(' data-editable') ? await import('./parts/tree-edit.ts') : undefined
    nav.innerHTML = text
    const scroller = nav.querySelector<HTMLElement>('.tree-scroller')
    if (scroller) scrollToPresent(scroller, folders)
    filter(nav, tree)
    edit?.editTree(nav, load)
  }
  nav.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null
    if (button?.matches('.twist')) void toggle(tree, button, folders)
    else if (button?.parentElement?.matches('.rest')) void goOn(tree, button)
  })
  nav.addEventListener('keydown', treeKeys(nav))
  document.addEventListener('recto:pages', () => void load())
  whenShown(() => void load())
}

/** Scrolls the tree, and not the window, to where it was, and until the present page is in view. */
function scrollToPresent(scroller: HTMLElement, folders: OpenFolders): void {
  scroller.addEventListener('scroll', () => folders.scroll(scroller.scrollTop), { passive: true })
  scroller.scrollTop = folders.scrolled()
  const row = scroller.querySelector('[aria-current]')?.getBoundingClientRect()
  if (!row) return
  const { top, bottom } = scroller.getBoundingClientRect()
  const end = Math.min(bottom, innerHeight)
  if (row.top < top || row.bottom > end) scroller.scrollTop += (row.top + row.bottom - top - end) / 2
}

/** The fragment; undefined after an error: the existing links suffice. */
function fetchFragment(url: string, query: string[][]): Promise<string | undefined> {
  const { changeRequest } = nav?.dataset ?? {}
  const overlay = changeRequest === undefined ? [] : [['changeRequest', changeRequest]]
  return loadFragment(`${url}?${new URLSearchParams([...query, ...overlay])}`)
}

/** Opens a folder in place, or closes it. */
async function toggle(tree: string, button: HTMLButtonElement, folders: OpenFolders): Promise<void> {
  const item = button.closest('li')
  const path = item?.dataset.path
  if (!item || path === undefined) return
  const opens = button.ariaExpanded !== 'true'
  let list = item.querySelector<HTMLUListElement>(':scope > ul')
  if (opens && !list) {
    const text = await fetchFragment(tree, [['folder', path]])
    if (text === undefined) return
    list = document.createElement('ul')
    list.innerHTML = text
    item.append(list)
  }
  if (list) list.hidden = !opens
  button.ariaExpanded = String(opens)
  folders.set(path, opens)
}

/** Replaces the button by the next part of a long folder. */
async function goOn(tree: string, button: HTMLButtonElement): Promise<void> {
  const { folder = '', before, after = '' } = button.dataset
  const text = await fetchFragment(tree, [
    ['folder', folder],
    before === undefined ? ['after', after] : ['before', before],
  ])
  const place = button.parentElement
  if (text === undefined || !place) return
  const template = document.createElement('template')
  template.innerHTML = text
  const links = [...template.content.querySelectorAll('a')]
  place.replaceWith(template.content)
  if (document.activeElement === document.body) (before === undefined ? links[0] : links.at(-1))?.focus()
}

/** Lists the pages that match the filter, instead of the tree. */
function filter(nav: HTMLElement, tree: string): void {
  const input = nav.querySelector<HTMLInputElement>('input[type="search"]')
  const list = nav.querySelector<HTMLElement>('.tree-list')
  const status = nav.querySelector<HTMLElement>('[role="status"]')
  if (!input || !list || !status) return
  const matchList = Object.assign(document.createElement('ul'), { hidden: true })
  list.after(matchList)
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = async () => {
    const q = input.value.trim()
    const text = q === '' ? '' : await fetchFragment(tree, [['q', q]])
    if (q !== input.value.trim()) return
    matchList.innerHTML = text ?? ''
    matchList.hidden = q === ''
    list.hidden = q !== ''
    status.className = ''
    status.textContent = q === '' ? '' : matchList.children.length === 0 ? t('No page with that title or path.') : ''
  }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void show(), WAIT_MS)
  })
}
