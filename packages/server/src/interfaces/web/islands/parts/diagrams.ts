import { button, element } from './dom.ts'
import { t } from './t.ts'

/** After this time the source of a diagram stays, and an error says so. */
const RENDER_TIMEOUT_MS = 20_000

interface Drawn {
  readonly id: number
  readonly svg?: string
  readonly error?: string
  readonly width?: number
  readonly height?: number
}

/**
 * Renders diagrams. The library needs inline styles, which the Content Security Policy of our documents forbids: it
 * runs in a frame that allows them, and the result is shown as an image, in which no script runs. Each image has the
 * size of its source.
 */
export async function drawDiagrams(elements: Iterable<HTMLElement>): Promise<void> {
  const open = [...elements].filter((diagram) => diagram.dataset.drawn === undefined)
  if (open.length === 0) return
  const frame = await openFrame()
  if (!frame) return
  try {
    for (const [id, diagram] of open.entries()) {
      const isDark = appearsDark()
      diagram.dataset.drawn = isDark ? 'dark' : 'light'
      const drawnDiagram = await draw(frame, { id, isDark }, diagram.querySelector('code')?.textContent ?? '')
      if (drawnDiagram?.svg !== undefined) show(diagram, drawnDiagram)
      else
        showError(
          diagram,
          drawnDiagram?.error ?? t('It takes more than {seconds} seconds.', { seconds: RENDER_TIMEOUT_MS / 1000 }),
        )
    }
  } finally {
    frame.remove()
  }
}

function openFrame(): Promise<HTMLIFrameElement | undefined> {
  const frame = element('iframe', { src: '/diagram-frame', title: '', 'aria-hidden': 'true', tabindex: '-1' })
  // Invisible, but with a size, to measure text.
  Object.assign(frame.style, {
    position: 'fixed',
    inset: '0 auto auto -4000px',
    width: '1200px',
    height: '800px',
    visibility: 'hidden',
    border: '0',
  })
  document.body.append(frame)
  return waitForAnswer<HTMLIFrameElement>(frame, (data) => (data === 'ready' ? frame : undefined))
}

function appearsDark(): boolean {
  const { appearance } = document.documentElement.dataset
  return appearance ? appearance === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}

function draw(
  frame: HTMLIFrameElement,
  { id, isDark }: { readonly id: number; readonly isDark: boolean },
  source: string,
): Promise<Drawn | undefined> {
  const answer = waitForAnswer<Drawn>(frame, (data) =>
    typeof data === 'object' && data !== null && (data as Drawn).id === id ? (data as Drawn) : undefined,
  )
  frame.contentWindow?.postMessage({ id, source, isDark }, location.origin)
  return answer
}

/** The first valid message of the frame; undefined on timeout. */
function waitForAnswer<T>(frame: HTMLIFrameElement, pick: (data: unknown) => T | undefined): Promise<T | undefined> {
  return new Promise((resolve) => {
    const done = (value: T | undefined) => {
      clearTimeout(timer)
      removeEventListener('message', onMessage)
      resolve(value)
    }
    const onMessage = (event: MessageEvent) => {
      if (event.source !== frame.contentWindow || event.origin !== location.origin) return
      const value = pick(event.data)
      if (value !== undefined) done(value)
    }
    const timer = setTimeout(() => done(undefined), RENDER_TIMEOUT_MS)
    addEventListener('message', onMessage)
  })
}

function show(diagram: HTMLElement, { svg = '', width = 0, height = 0 }: Drawn): void {
  const source = diagram.querySelector('pre')
  const src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  const image = element('img', { src, alt: '' })
  diagram.style.height = `${diagram.offsetHeight}px`
  source?.classList.add('visually-hidden')
  source?.removeAttribute('tabindex')
  const open = button('', 'diagram-open', () => showLarge(image, width, height))
  open.ariaLabel = t('Show the diagram large')
  open.append(image)
  diagram.append(open)
}

/** The source stays below the error, and both have the height of the source, so that the text below does not move. */
function showError(diagram: HTMLElement, message: string): void {
  diagram.style.height = `${diagram.offsetHeight}px`
  const label = t('Error of this diagram')
  const error = element('pre', { class: 'diagram-error', role: 'group', 'aria-label': label, tabindex: '0' })
  error.textContent = `${t('This diagram cannot be drawn.')}\n${message}`
  diagram.classList.add('broken')
  diagram.prepend(error)
}

function showLarge(image: HTMLImageElement, width: number, height: number): void {
  const size = { width: String(width), height: String(height) }
  const large = element('div', {}, element('img', { ...size, src: image.src, alt: '' }))
  const dialog = element('dialog', { class: 'diagram-large', 'aria-label': t('Diagram') })
  dialog.append(
    button(t('Close'), 'button', () => dialog.close()),
    large,
  )
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
