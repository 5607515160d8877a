import type { EditorView } from '@codemirror/view'
import { send } from '../parts/api.ts'
import { withPlainMarkers } from './conflicts.ts'
import { createBlocks } from './preview-blocks.ts'

interface Place {
  readonly id: string
  readonly line: number
}

const PAUSE_MS = 250
/** The pause as a multiple of the time of the last rendering: a large page is not rendered all the time. */
const PAUSE_FACTOR = 2

/**
 * The preview, rendered by the service at the URL for the page while it is shown, and scrolled to the cursor. Returns
 * the functions that schedule an update of it, and end it.
 */
export function createPreview(view: EditorView, pane: HTMLElement, toUrl: () => string) {
  const prose = pane.querySelector<HTMLElement>('.prose') ?? pane
  const show = createBlocks(pane, prose)
  let timer: ReturnType<typeof setTimeout> | undefined
  let pending: AbortController | undefined
  let places: readonly Place[] = []
  let isStale = false
  let tookMs = 0

  const follow = () => {
    const { scrollDOM } = view
    const top = view.lineBlockAtHeight(scrollDOM.scrollTop)
    const line = view.state.doc.lineAt(top.from).number
    const range = scrollDOM.scrollHeight - scrollDOM.clientHeight
    // Both panes reach their ends together.
    if (scrollDOM.scrollTop <= 1) pane.scrollTop = 0
    else if (scrollDOM.scrollTop >= range - 1) pane.scrollTop = pane.scrollHeight
    else pane.scrollTop = findHeight(line, places, view.state.doc.lines, prose, pane)
  }

  const load = async () => {
    timer = undefined
    if (pane.clientHeight === 0) return
    isStale = false
    pending?.abort()
    pending = new AbortController()
    const startedAt = performance.now()
    try {
      const response = await send('POST', toUrl(), {
        json: { body: withPlainMarkers(view.state.doc.toString()) },
        signal: pending.signal,
      })
      if (!response.ok) return
      const { html, headings }: { html: string; headings: Place[] } = await response.json()
      // The service sanitises what it renders.
      show(html)
      places = headings
      follow()
      tookMs = performance.now() - startedAt
    } catch {
      // Aborted or failed: the old preview stays until the next change.
    }
  }

  let frame = 0
  view.scrollDOM.addEventListener(
    'scroll',
    () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(follow)
    },
    { passive: true },
  )
  // It was hidden, or is shown by another width of the window.
  const sizes = new ResizeObserver(() => {
    if (isStale && timer === undefined) void load()
  })
  sizes.observe(pane)
  return {
    update() {
      isStale = true
      clearTimeout(timer)
      timer = setTimeout(load, Math.max(PAUSE_MS, PAUSE_FACTOR * tookMs))
    },
    close() {
      sizes.disconnect()
      clearTimeout(timer)
      pending?.abort()
    },
  }
}

/** The offset of a line in the preview, interpolated between the headings around it. */
function findHeight(
  line: number,
  places: readonly Place[],
  lines: number,
  prose: HTMLElement,
  pane: HTMLElement,
): number {
  const next = places.findIndex((place) => place.line > line)
  const findTop = ({ id }: Place) => {
    // Within a block that is not laid out, the heading itself has no place.
    const heading = prose.querySelector(`[id="${CSS.escape(id)}"]`)?.closest('.prose > *')
    return heading ? heading.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop : undefined
  }
  const at = (place: Place | undefined, other: { readonly line: number; readonly top: number }) => {
    const top = place && findTop(place)
    return place && top !== undefined ? { line: place.line, top } : other
  }
  const before = at(next < 0 ? places.at(-1) : places[next - 1], { line: 1, top: 0 })
  const after = at(places[next], { line: lines + 1, top: prose.scrollHeight })
  return before.top + ((line - before.line) / Math.max(1, after.line - before.line)) * (after.top - before.top)
}
