/** The box of something in the window. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly bottom: number
}

const GAP = 6

/** Places an element in its scrolling parent above or below a box, within the parent: `--room` is the most height. */
export function placeBeside(element: HTMLElement, box: Box, side: 'above' | 'below'): void {
  const parent = element.offsetParent
  if (!parent) return
  const outer = parent.getBoundingClientRect()
  const above = box.top - outer.top - 2 * GAP
  const below = outer.top + parent.clientHeight - box.bottom - 2 * GAP
  element.style.setProperty('--room', `${Math.max(above, below)}px`)
  const { offsetWidth, offsetHeight } = element
  const isAbove = side === 'above' ? offsetHeight <= above || offsetHeight > below : offsetHeight > below
  const y = isAbove ? box.top - outer.top - offsetHeight - GAP : box.bottom - outer.top + GAP
  const x = Math.max(GAP, Math.min(box.left - outer.left, parent.clientWidth - offsetWidth - GAP))
  element.style.top = `${y + parent.scrollTop}px`
  element.style.left = `${x}px`
}
