/** A lightbox: shows the images of a page in full size, one at a time, over the page. */

/** Opens the image of a link; the arrow keys and buttons show the others, and Escape returns to the link. */
export function showImages(links: readonly HTMLAnchorElement[], first: HTMLAnchorElement): void {
  let at = links.indexOf(first)
  const image = document.createElement('img')
  const caption = Object.assign(document.createElement('p'), { className: 'caption' })
  caption.setAttribute('role', 'status')
  const original = Object.assign(document.createElement('a'), {
    className: 'button',
    textContent: 'Open file',
  })
  const dialog = Object.assign(document.createElement('dialog'), { className: 'image-viewer' })
  dialog.setAttribute('aria-label', 'Image')

  const show = (to: number) => {
    at = (to + links.length) % links.length
    const link = links[at]
    if (!link) return
    const small = link.querySelector('img')
    image.src = link.href
    image.alt = small?.alt ?? ''
    // Set before the bytes are loaded, to avoid layout shifts.
    for (const side of ['width', 'height']) {
      const value = small?.getAttribute(side)
      if (value) image.setAttribute(side, value)
      else image.removeAttribute(side)
    }
    original.href = link.href
    const place = links.length > 1 ? `${at + 1} of ${links.length}` : ''
    caption.textContent = [image.alt, place].filter(Boolean).join(' · ')
  }
  const button = (text: string, act: () => void) => {
    const made = Object.assign(document.createElement('button'), { type: 'button', className: 'button' })
    made.textContent = text
    made.addEventListener('click', act)
    return made
  }
  const step = (by: number) => show(at + by)
  const tools = Object.assign(document.createElement('div'), { className: 'buttons' })
  if (links.length > 1) {
    tools.append(
      button('Previous', () => step(-1)),
      button('Next', () => step(1)),
    )
  }
  tools.append(
    original,
    button('Close', () => dialog.close()),
  )
  dialog.append(tools, image, caption)
  dialog.addEventListener('keydown', ({ key }) => {
    const back = document.dir === 'rtl' ? 'ArrowRight' : 'ArrowLeft'
    if (key === 'ArrowLeft' || key === 'ArrowRight') step(key === back ? -1 : 1)
  })
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  dialog.addEventListener('close', () => {
    dialog.remove()
    first.focus()
  })
  show(at)
  document.body.append(dialog)
  dialog.showModal()
}
