import { readProblem, send } from './api.ts'
import { button, element, filled, placeMenu } from './dom.ts'
import { t } from './t.ts'
import { dragRows } from './tree-drag.ts'
import { movePages } from './tree-move.ts'
import { lastSegment, parentFolder, type TreeEditor, type TreePlace } from './tree-place.ts'

/** The menu of all rows; it is added again to a reloaded tree. */
let menu: HTMLElement | undefined

/** Makes the rows of a tree movable: by a menu, by Alt with the arrow keys, and by drag and drop. */
export function editTree(nav: HTMLElement, load: (openedPath?: string) => Promise<void>): void {
  if (menu) {
    nav.append(menu)
    return
  }
  const editor: TreeEditor = {
    nav,
    space: nav.dataset.tree?.split('/').at(-1) ?? '',
    say(message, undo) {
      const place = nav.querySelector<HTMLElement>('[role="status"]')
      if (!place) return
      place.textContent = message
      place.className = 'said'
      if (undo) place.append(' ', button(t('Undo'), 'link', undo))
    },
    readTitle: (path) => findRow(nav, path)?.querySelector('a')?.textContent ?? lastSegment(path),
    async reload(path) {
      await load(parentFolder(path))
      findRow(nav, path)?.querySelector<HTMLElement>('a')?.focus()
      document.dispatchEvent(new Event('recto:tree'))
    },
  }
  const actionMenu = actionsMenu(editor)
  menu = actionMenu
  nav.append(actionMenu)
  nav.addEventListener('click', ({ target }) => {
    const opener = target instanceof Element ? target.closest<HTMLElement>('.act') : null
    const item = opener?.closest<HTMLElement>('li')
    if (opener && item) openMenu(actionMenu, nav, opener, item)
  })
  nav.addEventListener('keydown', (event) => {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('li[data-path]') : null
    if (!event.altKey || !item || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    void step(editor, item, event.key === 'ArrowUp')
  })
  dragRows(nav, (path, place) => void put(editor, path, place))
}

function findRow(nav: HTMLElement, path: string): HTMLElement | null {
  return nav.querySelector<HTMLElement>(`li[data-path="${CSS.escape(path)}"] > .row`)
}

/** Puts a page or folder at a place: moves it to the folder if that is another one, and orders it after the sibling. */
async function put(editor: TreeEditor, path: string, place: TreePlace): Promise<void> {
  const moves = parentFolder(path) !== place.folder
  const to = place.folder === '' ? lastSegment(path) : `${place.folder}/${lastSegment(path)}`
  const isFolder = findRow(editor.nav, path)?.parentElement?.dataset.folderOnly !== undefined
  if (moves && !(await movePages(editor, { path, to, isFolder }))) return
  if (place.after !== undefined) await order(editor, to, place.after)
}

async function order(editor: TreeEditor, path: string, after: string | null): Promise<void> {
  const { space, say, reload, readTitle } = editor
  try {
    const response = await send('POST', `/spaces/${space}/order`, { json: { path, after } })
    if (!response.ok) return say((await readProblem(response)).detail)
    await reload(path)
    const title = readTitle(path)
    const other = readTitle(path.slice(0, path.length - lastSegment(path).length) + after)
    say(
      after === null
        ? t('{title} now comes first.', { title })
        : t('{title} now comes after {other}.', { title, other }),
    )
  } catch {
    say(t('The service cannot be reached. Nothing was changed.'))
  }
}

/** Moves a row one place up or down. */
async function step(editor: TreeEditor, item: HTMLElement, up: boolean): Promise<void> {
  const { path = '' } = item.dataset
  const other = (up ? item.previousElementSibling : item.nextElementSibling) as HTMLElement | null // of a list
  if (!other) return editor.say(up ? t('It is the first one.') : t('It is the last one.'))
  const before = up ? (other.previousElementSibling as HTMLElement | null) : other
  if (other.dataset.path === undefined || (before && before.dataset.path === undefined)) {
    return editor.say(t('Show the other names first.'))
  }
  await order(editor, path, before ? lastSegment(before.dataset.path ?? '') : null)
}

function actionsMenu(editor: TreeEditor): HTMLElement {
  const menu = element('ul', { class: 'items tree-menu', popover: 'auto' })
  const item = (text: string, up: boolean) =>
    button(text, '', () => {
      const row = findRow(editor.nav, menu.dataset.path ?? '')?.closest<HTMLElement>('li')
      menu.hidePopover()
      if (row) void step(editor, row, up)
    })
  const controls = [
    item(t('Move up'), true),
    item(t('Move down'), false),
    element('a', { 'data-screen': 'move', 'data-move': '' }, t('Move')),
    element('a', { 'data-screen': 'move' }, t('Change path')),
    element('a', { 'data-screen': 'icon' }, t('Icon')),
    ...(editor.nav.querySelector('[data-readers]')
      ? [element('a', { 'data-screen': 'readers' }, t('Who can read this'))]
      : []),
    element('a', { 'data-screen': 'delete' }, t('Delete')),
  ]
  return filled(
    menu,
    controls.map((control) => element('li', {}, control)),
  )
}

function openMenu(menu: HTMLElement, nav: HTMLElement, button: HTMLElement, item: HTMLElement): void {
  const { path = '', folderOnly } = item.dataset
  menu.dataset.path = path
  const space = nav.dataset.tree?.split('/').at(-1)
  const encodedPath = path.split('/').map(encodeURIComponent).join('/')
  for (const link of menu.querySelectorAll('a')) {
    const { screen } = link.dataset
    if (screen === 'icon') link.hidden = folderOnly !== undefined
    const suffix = folderOnly === undefined || screen === 'readers' ? '' : '-folder'
    link.href = `/${screen}${suffix}/${space}/${encodedPath}`
  }
  menu.showPopover()
  placeMenu(menu, button)
  menu.querySelector('button')?.focus()
}
