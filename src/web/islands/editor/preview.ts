import type { EditorView } from '@codemirror/view'
import { send } from '../parts/api.ts'
import { enrich } from '../parts/enrich.ts'

interface Place {
  readonly id: string
  readonly line: number
}

const PAUSE_MS = 250

export interface Preview {
  /** Schedules an update of the preview. */
  refresh(): void
}

/** The preview, rendered by the service at the URL for the page, and scrolled to the cursor. */
export function createPreview(view: EditorView, pane: HTMLElement, urlOf: () => string): Preview {
  const shown = pane.querySelector<HTMLElement>('.prose') ?? pane
  let timer: ReturnType<typeof setTimeout> | undefined
  let pending: AbortController | undefined
  let places: readonly Place[] = []

  const follow = () => {
    const { scrollDOM } = view
    const top = view.lineBlockAtHeight(scrollDOM.scrollTop)
    const line = view.state.doc.lineAt(top.from).number
    const range = scrollDOM.scrollHeight - scrollDOM.clientHeight
    // Both panes reach their ends together.
    if (scrollDOM.scrollTop <= 1) pane.scrollTop = 0
    else if (scrollDOM.scrollTop >= range - 1) pane.scrollTop = pane.scrollHeight
    else pane.scrollTop = heightOf(line, places, view.state.doc.lines, shown, pane)
  }

  const load = async () => {
    pending?.abort()
    pending = new AbortController()
    try {
      const response = await send('POST', urlOf(), {
        json: { body: view.state.doc.toString() },
        signal: pending.signal,
      })
      if (!response.ok) return
      const { html, headings }: { html: string; headings: Place[] } = await response.json()
      // The service sanitises what it renders.
      shown.innerHTML = html
      places = headings
      follow()
      await enrich(shown)
    } catch {
      // Aborted or failed: the old preview stays until the next change.
    }
  }

  view.scrollDOM.addEventListener('scroll', () => requestAnimationFrame(follow), { passive: true })
  return {
    refresh() {
      clearTimeout(timer)
      timer = setTimeout(load, PAUSE_MS)
    },
  }
}

/** The offset of a line in the preview, interpolated between the headings around it. */
function heightOf(
  line: number,
  places: readonly Place[],
  lines: number,
  shown: HTMLElement,
  pane: HTMLElement,
): number {
  const known = [
    { line: 1, top: 0 },
    ...places.flatMap((place) => {
      const heading = shown.querySelector<HTMLElement>(`[id="${CSS.escape(place.id)}"]`)
      if (!heading) return []
      const top = heading.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop
      return [{ line: place.line, top }]
    }),
    { line: lines + 1, top: shown.scrollHeight },
  ]
  const next = known.findIndex((place) => place.line > line)
  const [a, b] = [known[next - 1], known[next]]
  if (!a || !b) return 0
  return a.top + ((line - a.line) / Math.max(1, b.line - a.line)) * (b.top - a.top)
}
