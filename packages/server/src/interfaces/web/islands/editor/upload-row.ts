import { byteSize } from '@recto/lib/text/byte-size.ts'
import { button, element } from '../parts/dom.ts'
import { locale, t } from '../parts/t.ts'

const MAX_ALT = 500

/** A row of the list of uploads. `onClose` is called when a row with the focus is removed. */
export class UploadRow {
  readonly #list: HTMLElement
  readonly #file: File
  readonly #onClose: () => void
  readonly #what: HTMLElement
  readonly #bar: HTMLProgressElement
  readonly #row: HTMLElement

  constructor(list: HTMLElement, file: File, onClose: () => void) {
    this.#list = list
    this.#file = file
    this.#onClose = onClose
    const name = element('bdi', {}, file.name)
    this.#what = element('span', { class: 'what' }, name, ' ', quiet(byteSize(file.size, locale())))
    this.#bar = element('progress', { max: '1', value: '0', 'aria-label': t('Upload of {name}', { name: file.name }) })
    this.#row = element('li', {}, this.#what)
    list.append(this.#row)
    list.hidden = false
  }

  waits(cancel: () => void): void {
    this.#bar.value = 0
    this.#show(this.#bar, this.#button(t('Cancel'), cancel))
  }

  progress(share: number): void {
    this.#bar.value = share
  }

  fails(message: string, retry: (() => void) | undefined): void {
    const error = element('span', { class: 'error', role: 'alert' }, message)
    const buttons = [this.#button(t('Dismiss'), () => this.remove())]
    if (retry) buttons.unshift(this.#button(t('Retry'), retry))
    // Together in a line of their own where the row is narrow.
    this.#show(error, element('span', { class: 'buttons' }, ...buttons))
  }

  /** Requests the alternative text of the inserted image. */
  asksAlt(question: string, setAlt: (text: string) => void): void {
    const input = element('input', { class: 'input', dir: 'auto', autocomplete: 'off' })
    input.maxLength = MAX_ALT
    input.addEventListener('input', () => setAlt(input.value))
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return
      // Enter would submit the form of the page.
      event.preventDefault()
      this.remove()
    })
    const label = element('label', {}, question, input)
    this.#show(
      label,
      this.#button(t('Done'), () => this.remove()),
    )
  }

  remove(): void {
    const hadFocus = this.#row.contains(document.activeElement)
    this.#row.remove()
    this.#list.hidden = this.#list.childElementCount === 0
    if (hadFocus) this.#onClose()
  }

  /** Replaces all but the name; the focus stays in the row. */
  #show(...parts: HTMLElement[]): void {
    const hadFocus = this.#row.contains(document.activeElement)
    this.#row.replaceChildren(this.#what)
    for (const part of parts) this.#row.append(part)
    if (hadFocus) this.#row.querySelector<HTMLElement>('input, button')?.focus()
  }

  #button(text: string, run: () => void): HTMLElement {
    const rowButton = button(text, 'button small', run)
    rowButton.setAttribute('aria-label', `${text}: ${this.#file.name}`)
    return rowButton
  }
}

function quiet(text: string): HTMLElement {
  return element('span', { class: 'quiet' }, text)
}
