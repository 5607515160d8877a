/** The box of something in the window. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly bottom: number
}

const GAP = 6

/** Places an element in its scrolling parent above or below a box, within the width of the parent. */
export function placeBeside(element: HTMLElement, box: Box, side: 'above' | 'below'): void {
  const parent = element.offsetParent
  if (!parent) return
  const outer = parent.getBoundingClientRect()
  const { offsetWidth, offsetHeight } = element
  const above = box.top - outer.top - offsetHeight - GAP
  const below = box.bottom - outer.top + GAP
  const fits = side === 'above' ? above >= 0 : below + offsetHeight <= parent.clientHeight || above < 0
  const y = fits === (side === 'above') ? above : below
  const x = Math.max(GAP, Math.min(box.left - outer.left, parent.clientWidth - offsetWidth - GAP))
  element.style.top = `${y + parent.scrollTop}px`
  element.style.left = `${x}px`
}
