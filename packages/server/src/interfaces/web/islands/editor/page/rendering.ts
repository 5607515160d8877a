import { send } from '../../parts/api.ts'
import { refill } from '../../parts/dom.ts'
import { enrich } from '../../parts/enrich.ts'

interface Request {
  readonly markdown: string
  readonly resolve: (nodes: readonly ChildNode[]) => void
}

/** A paragraph between the parts that are rendered together. */
const BETWEEN = 'recto-next-part'
const PAUSE_MS = 50

export type Renderer = ReturnType<typeof createRenderer>

/** Renders parts of the page as the service does, those that are asked for together in one request. */
export function createRenderer(toUrl: () => string) {
  const renderings = new Map<string, Promise<readonly ChildNode[]>>()
  let waiting: Request[] = []

  const load = async (parts: readonly string[]): Promise<ChildNode[][]> => {
    const body = parts.join(`\n\n${BETWEEN}\n\n`)
    const response = await send('POST', toUrl(), { json: { body } })
    if (!response.ok) return []
    const { html }: { html: string } = await response.json()
    const template = document.createElement('template')
    // The service sanitises what it renders.
    template.innerHTML = html
    const groups: ChildNode[][] = [[]]
    for (const node of template.content.childNodes) {
      if (node.textContent === BETWEEN) groups.push([])
      else groups.at(-1)?.push(node)
    }
    return groups
  }
  const run = async () => {
    const requests = waiting
    waiting = []
    const groups = await load(requests.map(({ markdown }) => markdown)).catch(() => [])
    // One of them hides a separator, such as HTML that is not closed.
    const isWhole = groups.length === requests.length
    for (const [index, { markdown, resolve }] of requests.entries()) {
      if (isWhole) resolve(groups[index] ?? [])
      else if (requests.length > 1) resolve((await load([markdown]).catch(() => [])).flat())
      else resolve(groups.flat())
    }
  }
  const ask = (markdown: string) =>
    new Promise<readonly ChildNode[]>((resolve) => {
      if (waiting.length === 0) setTimeout(run, PAUSE_MS)
      waiting.push({ markdown, resolve })
    })

  /** Shows Markdown as it will be read in an element; `isInline` without the paragraph around it. */
  return async (target: HTMLElement, markdown: string, isInline: boolean): Promise<void> => {
    const asking = renderings.get(markdown) ?? ask(markdown)
    renderings.set(markdown, asking)
    const nodes = (await asking).map((node) => node.cloneNode(true))
    const [first] = nodes
    const isParagraph = isInline && nodes.length > 0 && first instanceof HTMLParagraphElement
    refill(target, isParagraph ? [...first.childNodes] : nodes)
    await enrich([...target.querySelectorAll<HTMLElement>('.math, .diagram')])
  }
}
