import { byteSize } from '../../../lib/text/byte-size.ts'
import { button, element } from './dom.ts'

const MAX_ALT = 500

/** The states of a row in the list of uploads. */
export interface UploadRow {
  waits(cancel: () => void): void
  progress(share: number): void
  fails(message: string, retry: (() => void) | undefined): void
  /** Requests the alternative text of the inserted image. */
  asksAlt(kind: string, setAlt: (text: string) => void): void
  remove(): void
}

/** A row of the list of uploads. `onClose` is called when a row with the focus is removed. */
export function createUploadRow(list: HTMLElement, file: File, onClose: () => void): UploadRow {
  const name = element('bdi', {}, file.name)
  const what = element('span', { class: 'what' }, name, ' ', quiet(byteSize(file.size)))
  const bar = element('progress', { max: '1', value: '0', 'aria-label': `Upload of ${file.name}` })
  const row = element('li', {}, what)
  list.append(row)
  list.hidden = false

  /** Replaces all but the name; the focus stays in the row. */
  const show = (...parts: (HTMLElement | false)[]) => {
    const hadFocus = row.contains(document.activeElement)
    row.replaceChildren(what)
    for (const part of parts) if (part) row.append(part)
    if (hadFocus) row.querySelector<HTMLElement>('input, button')?.focus()
  }
  const remove = () => {
    const hadFocus = row.contains(document.activeElement)
    row.remove()
    list.hidden = list.childElementCount === 0
    if (hadFocus) onClose()
  }
  const act = (text: string, run: () => void) => {
    const made = button(text, run, 'button small')
    made.setAttribute('aria-label', `${text}: ${file.name}`)
    return made
  }
  return {
    waits(cancel) {
      bar.value = 0
      show(bar, act('Cancel', cancel))
    },
    progress(share) {
      bar.value = share
    },
    fails(message, retry) {
      const error = element('span', { class: 'error', role: 'alert' }, message)
      show(error, retry !== undefined && act('Retry', retry), act('Dismiss', remove))
    },
    asksAlt(kind, setAlt) {
      const input = element('input', { class: 'input', dir: 'auto', autocomplete: 'off' })
      input.maxLength = MAX_ALT
      input.addEventListener('input', () => setAlt(input.value))
      input.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        // Enter would submit the form of the page.
        event.preventDefault()
        remove()
      })
      const label = element('label', {}, `Describe the ${kind} for people who cannot see it`, input)
      show(label, act('Done', remove))
    },
    remove,
  }
}

function quiet(text: string): HTMLElement {
  return element('span', { class: 'quiet' }, text)
}
