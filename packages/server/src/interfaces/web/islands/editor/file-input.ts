import type { IconName } from '../../icon-paths.ts'
import { button, element } from '../parts/dom.ts'
import { showIcon } from '../parts/icon.ts'
import { t } from '../parts/t.ts'
import type { Point } from './surface.ts'

type AddFiles = (files: readonly File[], point?: Point) => void

/**
 * Handles files that are pasted at the caret, or dropped: before the editor does, which would insert their names. Files
 * that are dropped outside the text are inserted at the caret: otherwise the browser would navigate to them.
 */
export function pasteAndDrop(form: HTMLElement, text: HTMLElement, add: AddFiles): void {
  const mark = (isOver: boolean) => form.classList.toggle('dropping', isOver)
  const handle = (event: Event, files: readonly File[], point?: Point) => {
    event.preventDefault()
    event.stopPropagation()
    add(files, point)
  }
  text.addEventListener(
    'paste',
    (event) => {
      const { clipboardData } = event
      // Spreadsheets and word processors put an image of the text on the clipboard along with the text.
      if (!clipboardData || clipboardData.types.includes('text/plain')) return
      const files = [...clipboardData.files]
      if (files.length > 0) handle(event, files)
    },
    true,
  )
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    mark(true)
  })
  document.addEventListener('dragleave', ({ relatedTarget }) => relatedTarget === null && mark(false))
  document.addEventListener(
    'drop',
    (event) => {
      mark(false)
      if (!hasFiles(event)) return
      const isInText = event.target instanceof Node && text.contains(event.target)
      handle(event, listFiles(event), isInText ? { x: event.clientX, y: event.clientY } : undefined)
    },
    true,
  )
}

/** The buttons that choose files; on a phone or tablet one of them takes a picture. */
export function fileButtons(add: AddFiles, focus: () => void): HTMLElement[] {
  const pick = (icon: IconName, name: string, attributes: Readonly<Record<string, string>>) => {
    const input = element('input', { type: 'file', hidden: '', ...attributes })
    input.addEventListener('change', () => {
      add([...(input.files ?? [])])
      // The same file can be chosen again.
      input.value = ''
      focus()
    })
    const open = button('', 'button plain small', () => input.click())
    return [showIcon(open, icon, name), input]
  }
  const camera = matchMedia('(pointer: coarse)').matches
    ? pick('camera', t('Take a picture'), { accept: 'image/*', capture: 'environment' })
    : []
  return [...pick('clip', t('Insert images and files'), { multiple: '' }), ...camera]
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** The files of a drop, without folders: browsers represent those as files that cannot be read. */
function listFiles({ dataTransfer }: DragEvent): File[] {
  const items = [...(dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file')
  return items.flatMap((item) => (item.webkitGetAsEntry()?.isDirectory ? [] : (item.getAsFile() ?? [])))
}
