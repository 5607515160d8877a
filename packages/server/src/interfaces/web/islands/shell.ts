/**
 * On every screen: local times, menus that close, keyboard shortcuts, the command palette, suggestions of search
 * fields.
 */

import { INBOX } from '../urls.ts'
import { isSingleKey } from './parts/in-storage.ts'
import { showLocalTimes } from './parts/times.ts'
import { noteVisit } from './parts/visited.ts'

noteVisit()
// In a task of its own: the first format of the browser loads its data (20 ms of a processor).
setTimeout(() => showLocalTimes(Date.now()))
// On paper "5 minutes ago" soon says nothing.
addEventListener('beforeprint', () => showLocalTimes())
addEventListener('afterprint', () => showLocalTimes(Date.now()))
// After the layout of the first frame: to measure now would force another one.
const rows = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    rows.unobserve(target)
    showTab(target)
  }
})
for (const row of document.querySelectorAll('.tabs > ul')) rows.observe(row)
if (document.cookie.includes('recto_message=')) {
  void import('./parts/message.ts').then(({ showMessage }) => showMessage())
}
for (const button of document.querySelectorAll<HTMLButtonElement>('.find .switch')) {
  button.hidden = false
  button.addEventListener('click', () => void openPalette())
}

const bell = document.querySelector<HTMLElement>('.top .inbox')
if (bell)
  addEventListener('load', () => void import('./parts/inbox-count.ts').then(({ showUnread }) => showUnread(bell)))

const inbox = location.pathname === INBOX ? document.querySelector<HTMLElement>('.rows') : null
if (inbox) void import('./parts/inbox-keys.ts').then(({ listenToInbox }) => listenToInbox(inbox))

const sections = document.querySelector<HTMLElement>('.sections')
if (sections) void import('./parts/sections.ts').then(({ followSections }) => followSections(sections))

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLInputElement && target.matches('input[data-suggest]')) void suggestIn(target)
  if (target instanceof HTMLTextAreaElement && target.closest('.threads'))
    void import('./parts/mention.ts').then(({ offerPeople }) => offerPeople(target))
  if (target instanceof HTMLInputElement && target.matches('input[data-values]'))
    void import('./parts/offer-values.ts').then(({ offerValues }) => offerValues(target))
})
// A field can have the focus before this script runs.
const focusedElement = document.activeElement
if (focusedElement instanceof HTMLInputElement && focusedElement.matches('input[data-suggest]'))
  void suggestIn(focusedElement)

document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-keys]')) void openKeys()
  const siblings = target instanceof Element && target.closest<HTMLButtonElement>('.siblings')
  if (siblings) void import('./parts/siblings.ts').then(({ openSiblings }) => openSiblings(siblings))
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    if (!(target instanceof Node && menu.contains(target))) menu.open = false
  }
})

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-move]') : null
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  closeMenus()
  void import('./parts/choose-parent.ts').then(({ chooseParent }) => chooseParent(link))
})

document.addEventListener('submit', (event) => {
  const { target: form } = event
  if (!(form instanceof HTMLFormElement) || !form.matches('.star')) return
  event.preventDefault()
  void import('./parts/star.ts').then(({ toggleStar }) => toggleStar(form))
})

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') closeMenus()
  // Such as the key for links in the editor.
  if (event.defaultPrevented) return
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    event.preventDefault()
    void openPalette()
  }
  if (isSingleKey(event) && !event.repeat && !document.querySelector('dialog[open]')) pressSingleKey(event)
})

function pressSingleKey(event: KeyboardEvent): void {
  const { key } = event
  const field = key === '/' && document.querySelector<HTMLInputElement>('.find input')
  const control = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`)
  if (field) field.focus()
  else if (key === '?') void openKeys()
  else if (control?.ariaCurrent === null && !isWriting()) control.click()
  else return
  event.preventDefault()
}

/** Whether to leave the screen would lose what is written in it. */
function isWriting(): boolean {
  const fields = document.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>('main :is(textarea, input)')
  return (
    document.querySelector('.has-editor') !== null || [...fields].some((field) => field.value !== field.defaultValue)
  )
}

// Caches only the offline page: see offline-routes.ts.
addEventListener('load', () =>
  navigator.serviceWorker?.register(`/offline-worker.js?language=${document.documentElement.lang}`),
)

/** Scrolls the row of tabs to the present one, and nothing else: `scrollIntoView` would scroll the document too. */
function showTab(row: Element): void {
  const tab = row.querySelector('[aria-current]')
  if (!tab || row.scrollWidth <= row.clientWidth) return
  const { left, width } = tab.getBoundingClientRect()
  const bounds = row.getBoundingClientRect()
  row.scrollLeft += left + width / 2 - (bounds.left + bounds.width / 2)
}

/** Loaded on first use. */
async function openPalette(): Promise<void> {
  // Who is not signed in has no search.
  if (!document.querySelector('.find')) return
  const { togglePalette } = await import('./parts/palette.ts')
  togglePalette()
}

/** Loaded on first use. */
async function openKeys(): Promise<void> {
  const { showKeys } = await import('./parts/keys-dialog.ts')
  showKeys()
}

/** Loaded on first use. */
async function suggestIn(input: HTMLInputElement): Promise<void> {
  const { suggestSearches } = await import('./parts/search-suggest.ts')
  suggestSearches(input)
}

function closeMenus(): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    menu.open = false
    menu.querySelector('summary')?.focus()
  }
}
