import type { EditorView } from '@codemirror/view'
import { button, element } from '../parts/dom.ts'
import { inStorage } from './drafts.ts'
import { FORMATS } from './format.ts'
import type { LivePreview } from './live/live.ts'
import { tableMenu } from './table/table-menu.ts'

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl S', 'Save and keep editing'],
  ['Ctrl B · Ctrl I · Ctrl E', 'Bold, italic, code'],
  ['[[', 'Link to a page by its title'],
  ['/ at the start of a line', 'Insert a heading, list, table, block of code and more'],
  ['@', 'Name a member of the space'],
  [':', 'Emoji by name, such as :wave'],
  ['Ctrl V over a selection', 'Paste a URL over a selection to link it'],
  ['Ctrl V', 'Paste rich text and cells of spreadsheets as Markdown'],
  ['Ctrl Shift V', 'Paste the text alone'],
  ['Ctrl V, or drop', 'Upload images and files, and insert them here'],
  ['Ctrl Shift 8', 'List'],
  ['Tab, Shift Tab in a table', 'Next and previous cell'],
  ['Enter in a table', 'New row; in an empty last row, leave the table'],
  ['Ctrl F', 'Find and replace'],
  ['Ctrl Z · Ctrl Shift Z', 'Undo, redo'],
  ['Escape, then Tab', 'Leave the editor with the keyboard'],
]

interface ToolbarParts {
  readonly view: EditorView
  readonly panes: HTMLElement
  readonly preview: HTMLElement
  /** The buttons that insert files. */
  readonly files: readonly HTMLElement[]
  readonly live: LivePreview
}

/** The toolbar of the editor: formats, files, the preview and the keyboard help. */
export function createToolbar({ view, panes, preview, files, live }: ToolbarParts): HTMLElement {
  const formats = FORMATS.map(({ name, label, key, run }) => {
    const toolButton = button(label, 'button plain small', () => run(view))
    toolButton.setAttribute('aria-label', name)
    toolButton.title =
      key === undefined ? name : `${name} (${key.replace('Mod', isMac() ? '⌘' : 'Ctrl').replaceAll('-', ' ')})`
    return toolButton
  })
  const help = helpDialog()
  const showHelp = button('?', 'button plain small', () => help.showModal())
  showHelp.setAttribute('aria-label', 'Keys')
  showHelp.title = 'Keys'
  return element(
    'div',
    { class: 'editor-tools', role: 'toolbar', 'aria-label': 'Formatting' },
    ...formats,
    tableMenu(view),
    ...files,
    element('span', { class: 'spread' }),
    sourceButton(view, live),
    previewButton(panes, preview),
    showHelp,
    help,
  )
}

/** Shows the source of everything, instead of only that at the caret. */
function sourceButton(view: EditorView, live: LivePreview): HTMLButtonElement {
  const show = () => toggle.setAttribute('aria-pressed', String(!live.isOn()))
  const toggle = button('Source', 'button small', () => {
    live.toggle(view)
    show()
    view.focus()
  })
  toggle.title = 'Show the Markdown of the whole page'
  show()
  return toggle
}

const PREVIEW_KEY = 'recto.preview'

/**
 * On wide screens the preview is next to the text, for who wants both, and the browser keeps this choice; on narrow
 * ones it replaces the text.
 */
function previewButton(panes: HTMLElement, preview: HTMLElement): HTMLButtonElement {
  panes.classList.toggle('single', inStorage(() => localStorage.getItem(PREVIEW_KEY)) !== 'on')
  const isWide = () => matchMedia('(min-width: 64rem)').matches
  const isShown = () => (isWide() ? !panes.classList.contains('single') : panes.classList.contains('previewing'))
  const show = () => {
    preview.hidden = isWide() && panes.classList.contains('single')
    toggle.setAttribute('aria-pressed', String(isShown()))
  }
  const toggle = button('Preview', 'button small', () => {
    if (isWide()) {
      const choice = panes.classList.toggle('single') ? 'off' : 'on'
      inStorage(() => localStorage.setItem(PREVIEW_KEY, choice))
    } else panes.classList.toggle('previewing')
    show()
  })
  matchMedia('(min-width: 64rem)').addEventListener('change', show)
  show()
  return toggle
}

function helpDialog(): HTMLDialogElement {
  const rows = KEYS.flatMap(([keys, what]) => [
    element('dt', {}, element('kbd', {}, isMac() ? keys.replaceAll('Ctrl', '⌘') : keys)),
    element('dd', {}, what),
  ])
  const close = element('form', { method: 'dialog' }, element('button', { class: 'button' }, 'Close'))
  return element(
    'dialog',
    { 'aria-label': 'Keys' },
    element('h2', {}, 'Keys'),
    element('dl', { class: 'keys' }, ...rows),
    close,
  )
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform)
}
