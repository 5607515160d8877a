/** After this time the source of a diagram stays. */
const RENDER_TIMEOUT_MS = 20_000

interface Drawn {
  readonly id: number
  readonly svg?: string
  readonly width?: number
  readonly height?: number
}

/**
 * Renders diagrams. The library needs inline styles, which the Content Security Policy of our documents forbids: it runs in a
 * frame that allows them, and the result is shown as an image, in which no script runs. Each image has the size of its source.
 */
export async function drawDiagrams(elements: Iterable<HTMLElement>): Promise<void> {
  const open = [...elements].filter((element) => element.dataset.drawn === undefined)
  if (open.length === 0) return
  const frame = await openFrame()
  if (!frame) return
  try {
    for (const [id, element] of open.entries()) {
      const isDark = appearsDark()
      element.dataset.drawn = isDark ? 'dark' : 'light'
      const drawn = await draw(frame, { id, isDark }, element.querySelector('code')?.textContent ?? '')
      if (drawn?.svg !== undefined) show(element, drawn)
    }
  } finally {
    frame.remove()
  }
}

function openFrame(): Promise<HTMLIFrameElement | undefined> {
  const frame = document.createElement('iframe')
  frame.src = '/diagram-frame'
  frame.title = ''
  frame.setAttribute('aria-hidden', 'true')
  frame.tabIndex = -1
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
  return answerOf<HTMLIFrameElement>(frame, (data) => (data === 'ready' ? frame : undefined))
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
  const answer = answerOf<Drawn>(frame, (data) =>
    typeof data === 'object' && data !== null && (data as Drawn).id === id ? (data as Drawn) : undefined,
  )
  frame.contentWindow?.postMessage({ id, source, isDark }, location.origin)
  return answer
}

/** The first valid message of the frame; undefined on timeout. */
function answerOf<T>(
  frame: HTMLIFrameElement,
  pick: (data: unknown) => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const done = (found: T | undefined) => {
      clearTimeout(timer)
      removeEventListener('message', onMessage)
      resolve(found)
    }
    const onMessage = (event: MessageEvent) => {
      if (event.source !== frame.contentWindow || event.origin !== location.origin) return
      const found = pick(event.data)
      if (found !== undefined) done(found)
    }
    const timer = setTimeout(() => done(undefined), RENDER_TIMEOUT_MS)
    addEventListener('message', onMessage)
  })
}

function show(element: HTMLElement, { svg = '', width = 0, height = 0 }: Drawn): void {
  const source = element.querySelector('pre')
  const image = document.createElement('img')
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  image.alt = ''
  element.style.height = `${element.offsetHeight}px`
  source?.classList.add('visually-hidden')
  source?.removeAttribute('tabindex')
  const open = document.createElement('button')
  open.type = 'button'
  open.className = 'diagram-open'
  open.setAttribute('aria-label', 'Show the diagram large')
  open.append(image)
  open.addEventListener('click', () => showLarge(image, width, height))
  element.append(open)
}

function showLarge(image: HTMLImageElement, width: number, height: number): void {
  const dialog = document.createElement('dialog')
  dialog.className = 'diagram-large'
  dialog.setAttribute('aria-label', 'Diagram')
  const large = new Image(width, height)
  large.src = image.src
  large.alt = ''
  const close = document.createElement('button')
  close.className = 'button'
  close.textContent = 'Close'
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  const scroll = document.createElement('div')
  scroll.append(large)
  dialog.append(close, scroll)
  document.body.append(dialog)
  dialog.showModal()
}
