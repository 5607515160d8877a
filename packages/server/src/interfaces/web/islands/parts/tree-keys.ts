/** The keys of the page tree (WAI-ARIA APG, tree view): arrows, Home, End, `*` and the first letters of a title. */

const TYPING_MS = 500
const { compare } = new Intl.Collator(undefined, { usage: 'search', sensitivity: 'base' })

/** The handler of `keydown`. In the filter only the arrow down moves into the tree. */
export function treeKeys(nav: HTMLElement): (event: KeyboardEvent) => void {
  const typeLetter = letters()
  return (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLElement)) return
    const row = event.target.closest<HTMLElement>('.row')
    const isFilter = event.target.matches('input')
    if (!row && !(isFilter && event.key === 'ArrowDown')) return
    const links = [...nav.querySelectorAll<HTMLElement>('.row > a:not(.add, .lock)')].filter((link) =>
      link.checkVisibility(),
    )
    const at = links.findIndex((link) => link.parentElement === row)
    const isLetter = /^[\p{L}\p{N}]$/u.test(event.key)
    if (row && isLetter) found(links, at, typeLetter(event.key, event.timeStamp))?.focus()
    if ((row && isLetter) || goTo(links, at, event.key) || (row && inRow(nav, row, event.key))) event.preventDefault()
  }
}

/** Moves the focus to another row; returns whether the key does so. */
function goTo(links: readonly HTMLElement[], at: number, key: string): boolean {
  if (key === 'ArrowDown') return focus(links[at + 1])
  if (key === 'ArrowUp') return focus(links[at - 1])
  if (key === 'Home') return focus(links[0])
  return key === 'End' && focus(links.at(-1))
}

/** Always true: the key is for the tree, also where there is no further row. */
function focus(link: HTMLElement | undefined): true {
  link?.focus()
  return true
}

/** Opens or closes a folder, goes to its parent, or opens its sibling folders; false if the key is another one. */
function inRow(nav: HTMLElement, row: HTMLElement, key: string): boolean {
  const isRtl = getComputedStyle(nav).direction === 'rtl'
  if (key === (isRtl ? 'ArrowLeft' : 'ArrowRight')) return toggleRow(row, true)
  if (key === (isRtl ? 'ArrowRight' : 'ArrowLeft')) return toggleRow(row, false) || focus(parentLink(row))
  if (key !== '*') return false
  for (const each of row.closest('ul')?.querySelectorAll(':scope > li > .row') ?? []) toggleRow(each, true)
  return true
}

/** Returns whether there was anything to do. */
function toggleRow(row: Element, opens: boolean): boolean {
  const twist = row.querySelector<HTMLButtonElement>('.twist')
  if (!twist || (twist.ariaExpanded === 'true') === opens) return false
  twist.click()
  return true
}

function parentLink(row: Element): HTMLElement | undefined {
  return row.parentElement?.parentElement?.closest('li')?.querySelector<HTMLElement>('.row > a') ?? undefined
}

/** Letters in quick succession are the beginning of a title. */
function letters(): (key: string, now: number) => string {
  let text = ''
  let last = 0
  return (key, now) => {
    text = now - last > TYPING_MS ? key : text + key
    last = now
    return text
  }
}

/** The next title with this beginning, from the present row on; a first letter goes on to the next one. */
function found(links: readonly HTMLElement[], at: number, text: string): HTMLElement | undefined {
  const from = text.length === 1 ? at + 1 : at
  const order = [...links.slice(from), ...links.slice(0, from)]
  // Emoji before a title are no part of it.
  const readTitle = (link: HTMLElement) => link.textContent.replace(/^[^\p{L}\p{N}]+/u, '')
  return order.find((link) => compare(readTitle(link).slice(0, text.length), text) === 0)
}
