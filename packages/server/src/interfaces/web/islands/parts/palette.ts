import { findUrl } from '../../urls.ts'
import { element } from './dom.ts'
import { selectOption } from './listbox.ts'
import { findItems, type Item, localItems } from './palette-items.ts'

/** The command palette: a dialog with a combobox (WAI-ARIA APG, list autocomplete with manual selection). */

const WAIT_MS = 80

let dialog: HTMLDialogElement | undefined
let input: HTMLInputElement
let list: HTMLUListElement
let status: HTMLElement
let items: readonly Item[] = []
let chosen = -1
let requests = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens the palette, or closes it. */
export function togglePalette(): void {
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
  list = element('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'Results' })
  input = element('input', {
    class: 'input',
    type: 'text',
    dir: 'auto',
    placeholder: 'Go to a page, space or heading, or run a command',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '300',
    role: 'combobox',
    'aria-label': 'Page, space, heading or command',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  })
  status = element('p', { class: 'quiet', role: 'status' })
  const made = element('dialog', { class: 'palette', 'aria-label': 'Command palette' }, input, list, status)
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

/** Shows what this browser knows at once, and then what the service finds; outdated responses are ignored. */
async function offer(): Promise<void> {
  const number = ++requests
  const typed = input.value.trim()
  const local = localItems(typed)
  if (local.length > 0) show(local, typed)
  try {
    const found = await findItems(typed)
    if (number === requests) show(found, typed)
  } catch {
    if (number !== requests) return
    show(local, typed)
    status.textContent = 'The service cannot be reached. Showing pages you read recently.'
  }
}

function show(found: readonly Item[], typed: string): void {
  items = typed === '' ? found : [...found, searchFor(typed)]
  list.replaceChildren()
  for (const [index, item] of items.entries()) list.append(option(item, index))
  input.setAttribute('aria-expanded', String(items.length > 0))
  status.textContent =
    found.length === 0 && typed !== ''
      ? 'Nothing has this name. Press Enter to search the text of pages.'
      : ''
  choose(typed === '' ? -1 : 0)
}

function searchFor(typed: string): Item {
  return { name: typed, place: 'Search', open: findUrl(typed) }
}

function option({ name, icon, place }: Item, index: number): HTMLLIElement {
  const item = element('li', { id: `palette-${index}`, role: 'option' })
  // Hidden from screen readers: the name says the same.
  if (icon !== undefined) item.append(element('span', { class: 'emoji', 'aria-hidden': 'true' }, icon))
  item.append(element('bdi', { class: 'name' }, name), element('bdi', { class: 'quiet' }, place))
  item.addEventListener('click', () => run(index))
  return item
}

function choose(index: number): void {
  chosen = index
  selectOption(input, list, index)
}

function onKey(event: KeyboardEvent): void {
  const last = items.length - 1
  if (event.key === 'ArrowDown') choose(chosen >= last ? 0 : chosen + 1)
  else if (event.key === 'ArrowUp') choose(chosen <= 0 ? last : chosen - 1)
  else if (event.key === 'Enter' && !event.isComposing) run(chosen)
  else return
  event.preventDefault()
}

function run(index: number): void {
  const item = items[index]
  if (!item) return
  dialog?.close()
  if (typeof item.open === 'string') location.assign(item.open)
  else item.open()
}
