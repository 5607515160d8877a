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
  const made = document.createElement('dialog')
  made.className = 'palette'
  made.setAttribute('aria-label', 'Command palette')
  input = Object.assign(document.createElement('input'), {
    className: 'input',
    type: 'text',
    dir: 'auto',
    placeholder: 'Go to a page, space or heading, or run a command',
    autocomplete: 'off',
    spellcheck: false,
    maxLength: 300,
  })
  list = Object.assign(document.createElement('ul'), { id: 'palette-list' })
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'Results')
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-label': 'Page, space, heading or command',
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
  return { name: typed, place: 'Search', open: `/find?q=${encodeURIComponent(typed)}` }
}

function option({ name, icon, place }: Item, index: number): HTMLLIElement {
  const item = Object.assign(document.createElement('li'), { id: `palette-${index}` })
  item.setAttribute('role', 'option')
  if (icon !== undefined) item.append(emoji(icon))
  item.append(
    Object.assign(document.createElement('bdi'), { className: 'name', textContent: name }),
    Object.assign(document.createElement('bdi'), { className: 'quiet', textContent: place }),
  )
  item.addEventListener('click', () => run(index))
  return item
}

/** Hidden from screen readers: the name says the same. */
function emoji(icon: string): HTMLElement {
  const sign = Object.assign(document.createElement('span'), { className: 'emoji', textContent: icon })
  sign.setAttribute('aria-hidden', 'true')
  return sign
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
