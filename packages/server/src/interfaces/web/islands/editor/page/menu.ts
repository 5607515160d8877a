import type { Command } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import type { IconName } from '../../../icon-paths.ts'
import { button, element, filled } from '../../parts/dom.ts'
import { drawIcon, showIcon } from '../../parts/icon.ts'
import { t } from '../../parts/t.ts'

interface MenuParts {
  readonly name: string
  readonly icon: IconName
  readonly title: string
  readonly items: readonly (readonly [name: string, command: Command])[]
}

/** A menu of the toolbar, in which the commands are disabled that are not possible at the caret. */
export function commandMenu(view: EditorView, { name: menuName, icon, title, items }: MenuParts): HTMLElement {
  const rows = items.map(([name, command]) => {
    const control = button(t(name), '', () => {
      menu.open = false
      command(view.state, view.dispatch)
      view.focus()
    })
    return { command, control }
  })
  const summary = showIcon(element('summary', { class: 'button plain small' }), icon, t(menuName))
  summary.title = t(title)
  summary.append(drawIcon('chevron'))
  const menu = element(
    'details',
    { class: 'menu' },
    summary,
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
