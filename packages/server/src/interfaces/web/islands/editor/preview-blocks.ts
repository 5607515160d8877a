import { enrich } from '../parts/enrich.ts'

/** From this number of blocks on, the browser lays out only those near the visible part. */
const MANY_BLOCKS = 200

/** Shows the HTML of a page in `shown`, which scrolls in `pane`. Its nodes at the top level are the blocks of the page. */
export function createBlocks(pane: HTMLElement, shown: HTMLElement): (html: string) => void {
  let sources: readonly string[] = []
  const near = new IntersectionObserver(
    (entries) => {
      const met = entries.flatMap(({ isIntersecting, target }) =>
        isIntersecting && target instanceof HTMLElement ? [target] : [],
      )
      for (const element of met) near.unobserve(element)
      if (met.length > 0) void enrich(met)
    },
    { root: pane, rootMargin: '100% 0px' },
  )
  return (html) => {
    sources = replaceChanged(shown, sources, html)
    shown.classList.toggle('many-blocks', sources.length > MANY_BLOCKS)
    near.disconnect()
    for (const element of shown.querySelectorAll<HTMLElement>('.math, .diagram')) {
      if (element.dataset.drawn === undefined) near.observe(element)
    }
  }
}

/** Replaces the blocks between the unchanged ones at both ends; `before` and the result are the sources of the blocks. */
function replaceChanged(shown: HTMLElement, before: readonly string[], html: string): readonly string[] {
  const template = document.createElement('template')
  template.innerHTML = html
  const made = [...template.content.childNodes]
  const after = made.map((node) => (node instanceof Element ? node.outerHTML : (node.nodeValue ?? '')))
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const old = [...shown.childNodes]
  for (const node of old.slice(start, old.length - end)) node.remove()
  const following = old[old.length - end] ?? null
  for (const node of made.slice(start, made.length - end)) shown.insertBefore(node, following)
  return after
}
