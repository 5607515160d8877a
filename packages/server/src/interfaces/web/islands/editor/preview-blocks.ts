import { enrich } from '../parts/enrich.ts'

/** From this number of blocks on, the browser lays out only those near the visible part. */
const MANY_BLOCKS = 200

/**
 * Shows the HTML of a page in `prose`, which scrolls in `pane`. Its nodes at the top level are the blocks of the page.
 */
export function createBlocks(pane: HTMLElement, prose: HTMLElement): (html: string) => void {
  let sources: readonly string[] = []
  const near = new IntersectionObserver(
    (entries) => {
      const metEntries = entries.flatMap(({ isIntersecting, target }) =>
        isIntersecting && target instanceof HTMLElement ? [target] : [],
      )
      for (const element of metEntries) near.unobserve(element)
      if (metEntries.length > 0) void enrich(metEntries)
    },
    { root: pane, rootMargin: '100% 0px' },
  )
  return (html) => {
    sources = replaceChanged(prose, sources, html)
    prose.classList.toggle('many-blocks', sources.length > MANY_BLOCKS)
    near.disconnect()
    for (const element of prose.querySelectorAll<HTMLElement>('.math, .diagram')) {
      if (element.dataset.drawn === undefined) near.observe(element)
    }
  }
}

/**
 * Replaces the blocks between the unchanged ones at both ends; `before` and the result are the sources of the blocks.
 */
function replaceChanged(prose: HTMLElement, before: readonly string[], html: string): readonly string[] {
  const template = document.createElement('template')
  template.innerHTML = html
  const newNodes = [...template.content.childNodes]
  const after = newNodes.map((node) => (node instanceof Element ? node.outerHTML : (node.nodeValue ?? '')))
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const old = [...prose.childNodes]
  for (const node of old.slice(start, old.length - end)) node.remove()
  const following = old[old.length - end] ?? null
  for (const node of newNodes.slice(start, newNodes.length - end)) prose.insertBefore(node, following)
  return after
}
