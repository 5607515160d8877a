/** A heading this close to the top of the window, in pixels, is the present one. */
const TOP = 120

interface Section {
  readonly link: HTMLAnchorElement
  readonly heading: HTMLElement
}

/** Marks the section that is being read in the table of contents (scroll spy). */
export function markPresentSection(contents: HTMLElement): void {
  const sections = [...contents.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')].flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    return heading ? [{ link, heading }] : []
  })
  let markedLink: HTMLAnchorElement | undefined
  let isDue = false
  const mark = () => {
    isDue = false
    const present = sections[presentIndex(sections)]?.link
    if (present === markedLink) return
    markedLink?.removeAttribute('aria-current')
    markedLink = present
    markedLink?.setAttribute('aria-current', 'location')
    if (markedLink) keepInView(markedLink)
  }
  addEventListener(
    'scroll',
    () => {
      if (!isDue) requestAnimationFrame(mark)
      isDue = true
    },
    { passive: true },
  )
  mark()
}

/** The last heading above the line, found by bisection; the last of all at the end of the page; -1 before the first. */
function presentIndex(sections: readonly Section[]): number {
  const { scrollHeight } = document.documentElement
  if (scrollY > 0 && scrollY + innerHeight >= scrollHeight - 2) return sections.length - 1
  let low = 0
  let high = sections.length
  while (low < high) {
    const middle = (low + high) >> 1
    const top = sections[middle]?.heading.getBoundingClientRect().top ?? 0
    if (top <= TOP) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Scrolls the column of the contents only: `scrollIntoView` could scroll the page. */
function keepInView(link: HTMLElement): void {
  const column = link.closest<HTMLElement>('.beside')
  if (!column) return
  const [place, frame] = [link.getBoundingClientRect(), column.getBoundingClientRect()]
  if (place.top < frame.top) column.scrollTop -= frame.top - place.top
  else if (place.bottom > frame.bottom) column.scrollTop += place.bottom - frame.bottom
}
