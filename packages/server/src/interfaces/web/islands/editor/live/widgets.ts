import { type EditorView, WidgetType } from '@codemirror/view'
import { element } from '../../parts/dom.ts'

/** A sign in place of its source, such as the bullet of a list. */
export class Sign extends WidgetType {
  readonly text: string
  readonly className: string
  constructor(className: string, text = '') {
    super()
    this.className = className
    this.text = text
  }

  override eq(other: Sign): boolean {
    return other.className === this.className && other.text === this.text
  }

  override toDOM(): HTMLElement {
    return element('span', { class: this.className }, this.text)
  }

  /** A click places the caret. */
  override ignoreEvent(): boolean {
    return false
  }
}

/** The check box of a task; a click changes one character of its source. */
export class TaskBox extends WidgetType {
  readonly isDone: boolean
  readonly name: string
  constructor(isDone: boolean, name: string) {
    super()
    this.isDone = isDone
    this.name = name
  }

  override eq(other: TaskBox): boolean {
    return other.isDone === this.isDone && other.name === this.name
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = element('input', { type: 'checkbox', class: 'live-task', 'aria-label': this.name || 'Task' })
    box.checked = this.isDone
    // A click leaves the focus in the text.
    box.addEventListener('mousedown', (event) => event.preventDefault())
    box.addEventListener('change', () => {
      const line = view.state.doc.lineAt(view.posAtDOM(box))
      const at = line.text.indexOf('[', view.posAtDOM(box) - line.from)
      if (at < 0) return
      const from = line.from + at + 1
      const insert = box.checked ? 'x' : ' '
      view.dispatch({ changes: { from, to: from + 1, insert }, userEvent: 'input' })
    })
    return box
  }

  /** The same box stays, with the focus that it may have. */
  override updateDOM(dom: HTMLElement): boolean {
    if (!(dom instanceof HTMLInputElement)) return false
    dom.checked = this.isDone
    dom.ariaLabel = this.name || 'Task'
    return true
  }

  override ignoreEvent(): boolean {
    return true
  }
}

/** The sizes of images in pixels, by URL: a known image takes its place before it is loaded. */
const sizes = new Map<string, readonly [width: number, height: number]>()

export function rememberImageSize(url: string, width: number, height: number): void {
  if (width > 0 && height > 0) sizes.set(toKey(url), [width, height])
}

/** URLs of a file may be encoded differently. */
function toKey(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

/** As in the style sheet. */
const MAX_IMAGE_HEIGHT_REM = 24

/** An image in place of its source. */
export class Picture extends WidgetType {
  readonly url: string
  readonly alt: string
  constructor(url: string, alt: string) {
    super()
    this.url = url
    this.alt = alt
  }

  override eq(other: Picture): boolean {
    return other.url === this.url && other.alt === this.alt
  }

  override toDOM(view: EditorView): HTMLElement {
    const image = element('img', { class: 'live-image', alt: this.alt })
    const [width, height] = sizes.get(toKey(this.url)) ?? []
    if (width !== undefined && height !== undefined) {
      image.style.aspectRatio = `${width} / ${height}`
      image.style.width = `min(${width}px, ${(MAX_IMAGE_HEIGHT_REM * width) / height}rem)`
    }
    image.addEventListener('load', () => {
      rememberImageSize(this.url, image.naturalWidth, image.naturalHeight)
      view.requestMeasure()
    })
    let wasOnline = true
    const load = () => {
      wasOnline = navigator.onLine
      image.src = this.url
    }
    image.addEventListener('error', () => {
      if (!navigator.onLine) addEventListener('online', load, { once: true })
      // The connection came back before the error was told.
      else if (!wasOnline) load()
      else {
        image.replaceWith(element('span', { class: 'live-missing' }, this.alt || 'There is no image here yet'))
        view.requestMeasure()
      }
    })
    load()
    return element('span', { class: 'live-picture' }, image)
  }

  override ignoreEvent(): boolean {
    return false
  }
}
