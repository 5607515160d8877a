import { findUrl } from '../../urls.ts'
import { element } from './dom.ts'
import { selectOption } from './listbox.ts'
import { findItems, type Item, localItems } from './palette-items.ts'
import { t } from './t.ts'

/** The command palette: a dialog with a combobox (WAI-ARIA APG, list autocomplete with manual selection). */

/** Something else that is chosen in the dialog than what the command palette offers. */
export interface Choice {
  readonly name: string
  find(typedText: string): Promise<readonly Item[]>
}

const WAIT_MS = 80

let dialog: HTMLDialogElement | undefined
let input: HTMLInputElement
let list: HTMLUListElement
let status: HTMLElement
let choice: Choice | undefined
let items: readonly Item[] = []
let chosenIndex = -1
let requests = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Opens the palette, or closes it. */
export function togglePalette(): void {
  if (dialog?.open) dialog.close()
  else openPalette()
}

/** Opens the palette, for a choice where one is given. */
export function openPalette(newChoice?: Choice): void {
  dialog ??= build()
  choice = newChoice
  dialog.ariaLabel = choice?.name ?? t('Command palette')
  input.ariaLabel = choice?.name ?? t('Page, space, heading or command')
  input.placeholder = choice?.name ?? t('Go to a page, space or heading, or run a command')
  input.value = ''
  dialog.showModal()
  void offer()
}

function build(): HTMLDialogElement {
  list = element('ul', { id: 'palette-list', role: 'listbox', 'aria-label': t('Results') })
  input = element('input', {
    class: 'input',
    type: 'text',
    dir: 'auto',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '300',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  })
  status = element('p', { class: 'quiet', role: 'status' })
  const newDialog = element('dialog', { class: 'palette' }, input, list, status)
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void offer(), WAIT_MS)
  })
  input.addEventListener('keydown', onKey)
  newDialog.addEventListener('click', ({ target }) => {
    if (target === newDialog) newDialog.close()
  })
  document.body.append(newDialog)
  return newDialog
}

/** Shows what this browser knows at once, and then what the service finds; outdated responses are ignored. */
async function offer(): Promise<void> {
  const number = ++requests
  const typedText = input.value.trim()
  const local = choice ? [] : localItems(typedText)
  if (local.length > 0) show(local, typedText)
  try {
    const matchingItems = await (choice?.find(typedText) ?? findItems(typedText))
    if (number === requests) show(matchingItems, typedText)
  } catch {
    if (number !== requests) return
    show(local, typedText)
    status.textContent = t('The service cannot be reached. Showing pages you read recently.')
  }
}

function show(newItems: readonly Item[], typedText: string): void {
  items = typedText === '' || choice ? newItems : [...newItems, searchFor(typedText)]
  list.replaceChildren()
  for (const [index, item] of items.entries()) list.append(option(item, index))
  input.setAttribute('aria-expanded', String(items.length > 0))
  const advice = choice
    ? t('Nothing has this name.')
    : t('Nothing has this name. Press Enter to search the text of pages.')
  status.textContent = newItems.length === 0 && typedText !== '' ? advice : ''
  choose(typedText === '' ? -1 : 0)
}

function searchFor(typedText: string): Item {
  return { name: typedText, place: t('Search'), open: findUrl(typedText) }
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
  chosenIndex = index
  selectOption(input, list, index)
}

function onKey(event: KeyboardEvent): void {
  const last = items.length - 1
  if (event.key === 'ArrowDown') choose(chosenIndex >= last ? 0 : chosenIndex + 1)
  else if (event.key === 'ArrowUp') choose(chosenIndex <= 0 ? last : chosenIndex - 1)
  else if (event.key === 'Enter' && !event.isComposing) run(chosenIndex)
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
