import { selectOption } from './listbox.ts'
import { type Visited, visitedPages } from './visited.ts'

/** The page switcher: a dialog with a combobox (WAI-ARIA APG, list autocomplete with manual selection). */

const WAIT_MS = 80
const SHOWN = 10

let dialog: HTMLDialogElement | undefined
let input: HTMLInputElement
let list: HTMLUListElement
let status: HTMLElement
let pages: readonly Visited[] = []
let chosen = -1
let requests = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens the switcher, or closes it. */
export function toggleSwitcher(): void {
  dialog ??= build()
  if (dialog.open) {
    dialog.close()
    return
  }
  input.value = ''
  dialog.showModal()
  void offer()
}

function build(): HTMLDialogElement {
  const made = document.createElement('dialog')
  made.className = 'switcher'
  made.setAttribute('aria-label', 'Go to a page')
  input = Object.assign(document.createElement('input'), {
    className: 'input',
    type: 'text',
    placeholder: 'Go to a page by its title',
    autocomplete: 'off',
    spellcheck: false,
    maxLength: 300,
  })
  list = Object.assign(document.createElement('ul'), { id: 'switcher-list' })
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Pages')
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-label': 'Title or path of a page',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  })) {
    input.setAttribute(name, value)
  }
  status = Object.assign(document.createElement('p'), { className: 'quiet' })
  status.setAttribute('role', 'status')
  made.append(input, list, status)
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void offer(), WAIT_MS)
  })
  input.addEventListener('keydown', onKey)
  made.addEventListener('click', ({ target }) => {
    if (target === made) made.close()
  })
  document.body.append(made)
  return made
}

/** Queries the titles; outdated responses are ignored. */
async function offer(): Promise<void> {
  const number = ++requests
  const typed = input.value.trim()
  const visited = visitedBy(typed)
  if (typed === '' && visited.length > 0) show(visited)
  try {
    const answer = await fetch(`/titles?limit=${SHOWN}&q=${encodeURIComponent(typed)}`, {
      headers: { accept: 'application/json' },
    })
    if (number !== requests) return
    if (!answer.ok) throw new Error(String(answer.status))
    const { items }: { items: Visited[] } = await answer.json()
    const urls = new Set(visited.map(({ url }) => url))
    show([...visited, ...items.filter(({ url }) => !urls.has(url))].slice(0, SHOWN))
  } catch {
    if (number !== requests) return
    show(visited)
    status.textContent = 'The service cannot be reached. Showing pages you read recently.'
  }
}

/** Recently read pages whose title or path contains every word as a prefix, without the current page. */
function visitedBy(typed: string): Visited[] {
  const words = fold(typed).split(/\s+/).filter(Boolean)
  return visitedPages()
    .filter(({ url }) => url !== location.pathname)
    .filter(({ title, path }) => {
      const text = ` ${fold(`${title} ${path}`).replace(/[^\p{L}\p{N}]+/gu, ' ')}`
      return words.every((word) => text.includes(` ${word}`))
    })
    .slice(0, typed === '' ? SHOWN : 3)
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

function show(found: readonly Visited[]): void {
  pages = found
  list.replaceChildren(...found.map(option))
  input.setAttribute('aria-expanded', String(found.length > 0))
  status.textContent = found.length > 0 ? '' : 'No page with that title. Press Enter to search the text.'
  choose(found.length > 0 && input.value.trim() !== '' ? 0 : -1)
}

function option({ title, space, path }: Visited, index: number): HTMLLIElement {
  const item = Object.assign(document.createElement('li'), { id: `switcher-${index}` })
  item.setAttribute('role', 'option')
  const name = Object.assign(document.createElement('bdi'), { className: 'name', textContent: title })
  const place = Object.assign(document.createElement('bdi'), {
    className: 'quiet',
    textContent: `${space} / ${path}`,
  })
  item.append(name, place)
  item.addEventListener('click', () => go(index))
  return item
}

function choose(index: number): void {
  chosen = index
  selectOption(input, list, index)
}

function onKey(event: KeyboardEvent): void {
  const last = pages.length - 1
  if (event.key === 'ArrowDown') choose(chosen >= last ? 0 : chosen + 1)
  else if (event.key === 'ArrowUp') choose(chosen <= 0 ? last : chosen - 1)
  else if (event.key === 'Enter' && !event.isComposing) go(chosen)
  else return
  event.preventDefault()
}

function go(index: number): void {
  const page = pages[index]
  const typed = input.value.trim()
  if (page) location.assign(new URL(page.url, location.origin).pathname)
  else if (typed !== '') location.assign(`/find?q=${encodeURIComponent(typed)}`)
}
