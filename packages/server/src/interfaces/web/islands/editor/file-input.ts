import { EditorView } from '@codemirror/view'
import { button, element } from '../parts/dom.ts'

type AddFiles = (view: EditorView, files: readonly File[], at: number) => void

/** Handles files that are pasted at the caret, or dropped at a position in the text. */
export function pasteAndDrop(add: AddFiles) {
  return EditorView.domEventHandlers({
    paste(event, view) {
      const { clipboardData } = event
      // Spreadsheets and word processors put an image of the text on the clipboard along with the text.
      if (!clipboardData || clipboardData.types.includes('text/plain')) return false
      const files = [...clipboardData.files]
      if (files.length === 0) return false
      event.preventDefault()
      add(view, files, view.state.selection.main.head)
      return true
    },
    drop(event, view) {
      if (!hasFiles(event)) return false
      event.preventDefault()
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head
      add(view, listFiles(event), at)
      return true
    },
  })
}

/** Files that are dropped outside the text are inserted at the caret: otherwise the browser would navigate to them. */
export function dropBeside(view: EditorView, form: HTMLElement, add: AddFiles): void {
  const mark = (isOver: boolean) => form.classList.toggle('dropping', isOver)
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    mark(true)
  })
  document.addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && mark(false))
  document.addEventListener('drop', (event) => {
    mark(false)
    if (event.defaultPrevented || !hasFiles(event)) return
    event.preventDefault()
    add(view, listFiles(event), view.state.selection.main.head)
  })
}

/** The buttons that choose files; on a phone or tablet one of them takes a picture. */
export function fileButtons(view: EditorView, add: AddFiles): HTMLElement[] {
  const pick = (label: string, name: string, attributes: Readonly<Record<string, string>>) => {
    const input = element('input', { type: 'file', hidden: '', ...attributes })
    input.addEventListener('change', () => {
      add(view, [...(input.files ?? [])], view.state.selection.main.head)
      // The same file can be chosen again.
      input.value = ''
      view.focus()
    })
    const open = button(label, 'button plain small', () => input.click())
    open.setAttribute('aria-label', name)
    open.title = name
    return [open, input]
  }
  const camera = matchMedia('(pointer: coarse)').matches
    ? pick('Camera', 'Camera: take a picture', { accept: 'image/*', capture: 'environment' })
    : []
  return [...pick('File', 'File: insert images and files', { multiple: '' }), ...camera]
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** The files of a drop, without folders: browsers represent those as files that cannot be read. */
function listFiles({ dataTransfer }: DragEvent): File[] {
  const items = [...(dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file')
  return items.flatMap((item) => (item.webkitGetAsEntry()?.isDirectory ? [] : (item.getAsFile() ?? [])))
}
