import type { Command } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { button, element, filled } from '../../parts/dom.ts'
import { t } from '../../parts/t.ts'

interface MenuParts {
  readonly label: string
  readonly title: string
  readonly items: readonly (readonly [name: string, command: Command])[]
}

/** A menu of the toolbar, in which the commands are disabled that are not possible at the caret. */
export function commandMenu(view: EditorView, { label, title, items }: MenuParts): HTMLElement {
  const rows = items.map(([name, command]) => {
    const control = button(t(name), '', () => {
      menu.open = false
      command(view.state, view.dispatch)
      view.focus()
    })
    return { command, control }
  })
  const menu = element(
    'details',
    { class: 'menu' },
    element('summary', { class: 'button plain small', title: t(title) }, t(label)),
    filled(
      element('ul', { class: 'items' }),
      rows.map(({ control }) => element('li', {}, control)),
    ),
  )
  menu.addEventListener('toggle', () => {
    for (const { command, control } of rows) control.disabled = !command(view.state)
  })
  return menu
}
