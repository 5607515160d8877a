import { element, filled } from './dom.ts'
import { nameControl } from './icon.ts'
import { hasSingleKeys, setSingleKeys } from './in-storage.ts'
import { msg, t } from './t.ts'

/** Keys and what they do, as messages; `{ctrl}` is the key that is Command on a Mac. */
export type KeyRow = readonly [keys: string, what: string]

declare global {
  interface DocumentEventMap {
    /** Scripts add their keys. */
    'recto:keys': CustomEvent<KeyRow[]>
  }
}

/** The keys of the screens that have an element. */
const SCREEN_KEYS: readonly (readonly [selector: string, ...row: KeyRow])[] = [
  ['.find .switch', '{ctrl} K', msg('Go to a page, or run a command')],
  ['.find', '/', msg('Search pages')],
  ['body', '?', msg('The keys of this screen')],
  ['[data-comments]', 'C', msg('Comment on the selected text')],
  ['.page-tree .row', '↑ · ↓ · ← · →', msg('Go through the page tree')],
  ['.page-tree [data-editable]', 'Alt ↑ · Alt ↓', msg('Move the page of the tree up or down')],
]

/** Shows the keys of the screen: its own, those that its links have, and those of scripts that hear `recto:keys`. */
export function showKeys(): void {
  // The key was pressed twice while this script was loaded.
  if (document.querySelector('dialog[open]')) return
  const rows: KeyRow[] = SCREEN_KEYS.filter(([selector]) => document.querySelector(selector)).map(([, ...row]) => row)
  document.dispatchEvent(new CustomEvent('recto:keys', { detail: rows }))
  // The menu of a page has some of the tabs, too.
  const controls = new Map(
    Array.from(
      document.querySelectorAll<HTMLElement>('[aria-keyshortcuts]:not([data-keys])'),
      (control) => [control.getAttribute('aria-keyshortcuts') ?? '', control] as const,
    ),
  )
  const list = filled(element('dl', { class: 'key-list' }), [
    ...rows.flatMap(([keys, what]) => keyRow(t(keys, { ctrl: nameControl() }), t(what))),
    ...[...controls].flatMap(([key, control]) => keyRow(key.toUpperCase(), control.ariaLabel ?? control.textContent)),
  ])
  const singleKeys = element('input', { type: 'checkbox' })
  singleKeys.checked = hasSingleKeys()
  singleKeys.addEventListener('change', () => setSingleKeys(singleKeys.checked))
  const dialog = element(
    'dialog',
    { 'aria-label': t('Keys') },
    element('h2', {}, t('Keys')),
    list,
    element('p', {}, element('label', {}, singleKeys, ' ', t('Use keys without Ctrl and Alt'))),
    element('form', { method: 'dialog' }, element('button', { class: 'button' }, t('Close'))),
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

function keyRow(keys: string, what: string): HTMLElement[] {
  return [element('dt', {}, element('kbd', {}, keys)), element('dd', {}, what)]
}
