import { lastSegment, parentFolder, type TreePlace } from './tree-place.ts'

type Zone = 'before' | 'after' | 'into'

/** Drag and drop of rows: onto a row into its folder, onto its upper or lower edge before or after it. */
export function dragRows(nav: HTMLElement, put: (path: string, place: TreePlace) => void): void {
  let draggedRow: HTMLElement | undefined
  const clear = () => {
    for (const row of nav.querySelectorAll<HTMLElement>('[data-drop]')) delete row.dataset.drop
  }
  nav.addEventListener('dragstart', ({ target, dataTransfer }) => {
    const item = target instanceof Element ? target.closest<HTMLElement>('li[data-path]') : null
    if (!item || !dataTransfer) return
    draggedRow = item
    dataTransfer.effectAllowed = 'move'
    dataTransfer.setData('text/plain', item.dataset.path ?? '')
  })
  nav.addEventListener('dragover', (event) => {
    const row = targetRow(event, draggedRow)
    clear()
    if (!row) return
    event.preventDefault()
    row.dataset.drop = findZone(row, event.clientY)
  })
  nav.addEventListener('dragend', () => {
    clear()
    draggedRow = undefined
  })
  nav.addEventListener('drop', (event) => {
    const row = targetRow(event, draggedRow)
    const path = draggedRow?.dataset.path
    clear()
    if (!row || path === undefined) return
    event.preventDefault()
    const place = findPlace(row, findZone(row, event.clientY), path)
    if (place) put(path, place)
  })
}

/** The row below the pointer, unless it is in the dragged row. */
function targetRow({ target }: DragEvent, draggedRow: HTMLElement | undefined): HTMLElement | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null
  const item = row?.parentElement
  return draggedRow && item?.dataset.path !== undefined && !draggedRow.contains(item) ? row : null
}

function findZone(row: HTMLElement, y: number): Zone {
  const { top, height } = row.getBoundingClientRect()
  const part = (y - top) / height
  return part < 0.25 ? 'before' : part > 0.75 ? 'after' : 'into'
}

/** The place of a row and a zone; undefined if the sibling before it is unknown. */
function findPlace(row: HTMLElement, zone: Zone, draggedPath: string): TreePlace | undefined {
  const item = row.parentElement
  const path = item?.dataset.path ?? ''
  if (zone === 'into') return { folder: path }
  const folder = parentFolder(path)
  if (zone === 'after') return { folder, after: lastSegment(path) }
  let before = item?.previousElementSibling as HTMLElement | null // of a list
  if (before?.dataset.path === draggedPath) before = before.previousElementSibling as HTMLElement | null
  if (before && before.dataset.path === undefined) return undefined
  return { folder, after: before ? lastSegment(before.dataset.path ?? '') : null }
}
