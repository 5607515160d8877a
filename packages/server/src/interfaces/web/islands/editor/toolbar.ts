import type { IconName } from '../../icon-paths.ts'
import { button, element } from '../parts/dom.ts'
import { showIcon } from '../parts/icon.ts'
import type { KeyRow } from '../parts/keys-dialog.ts'
import { msg, t } from '../parts/t.ts'
import type { Surface } from './surface.ts'

/** The keys of both modes. */
const KEYS: readonly KeyRow[] = [
  ['{ctrl} S', msg('Save and keep editing')],
  ['{ctrl} B · {ctrl} I · {ctrl} E', msg('Bold, italic, code')],
  ['[[', msg('Link to a page by its title')],
  [msg('{ctrl} V over a selection'), msg('Paste a URL over a selection to link it')],
  [msg('{ctrl} V, or drop'), msg('Upload images and files, and insert them here')],
  ['{ctrl} Z · {ctrl} Shift Z', msg('Undo, redo')],
  [msg('Escape, then Tab'), msg('Leave the editor with the keyboard')],
]

/** What a button of the toolbar does. */
export interface FormatAction {
  readonly name: string
  readonly icon: IconName
  readonly key?: string | undefined
  readonly run: () => void
}

/** The buttons of formats, with icons. */
export function formatButtons(actions: readonly FormatAction[]): HTMLButtonElement[] {
  return actions.map(({ name, icon, key, run }) => showIcon(button('', 'button plain small', run), icon, t(name), key))
}

interface Mode {
  readonly name: string
  readonly title: string
}

interface ToolbarParts {
  /** The buttons that insert files. */
  readonly files: readonly HTMLElement[]
  readonly modes: readonly Mode[]
  readonly choose: (name: string) => void
}

/** The toolbar of the editor: the tools of the mode, files, the modes and the keyboard help. */
export function createToolbar({ files, modes, choose }: ToolbarParts) {
  const tools = element('div', { class: 'tools' })
  let keys: readonly KeyRow[] = []
  document.addEventListener('recto:keys', ({ detail }) => detail.push(...keys))
  const help = showIcon(
    element('button', { type: 'button', class: 'button plain small', 'data-keys': '' }),
    'keys',
    t('Keys'),
  )
  const modeButtons = modes.map(({ name, title }) => {
    const modeButton = button(t(name), 'button small', () => choose(name))
    modeButton.title = t(title)
    return modeButton
  })
  const dom = element(
    'div',
    { class: 'editor-tools', role: 'toolbar', 'aria-label': t('Formatting') },
    tools,
    ...files,
    element('span', { class: 'spread' }),
    element('span', { class: 'modes', role: 'group', 'aria-label': t('Mode') }, ...modeButtons),
    help,
  )
  followKeyboard(dom)
  return {
    dom,
    /** Shows what a mode of the editor has. */
    show(name: string, surface: Surface) {
      tools.replaceChildren(...surface.tools)
      keys = [...KEYS, ...surface.keys]
      for (const [index, mode] of modes.entries())
        modeButtons[index]?.setAttribute('aria-pressed', String(mode.name === name))
    },
  }
}

/** Less is a bar of the browser. */
const MIN_KEYBOARD = 120

/** On a phone the toolbar is above the keyboard, which covers a part of the window. */
function followKeyboard(dom: HTMLElement): void {
  const { visualViewport: seen } = window
  const place = () => {
    const height = seen ? innerHeight - seen.height - seen.offsetTop : 0
    dom.classList.toggle('above-keyboard', height > MIN_KEYBOARD && seen?.scale === 1)
    dom.style.setProperty('--keyboard', `${height}px`)
  }
  for (const event of ['resize', 'scroll']) seen?.addEventListener(event, place)
}
