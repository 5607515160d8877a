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

  const step = (by: number) => {
    at = (at + by + links.length) % links.length
    const link = links[at]
    if (!link) return
    showImage(image, link)
    original.href = link.href
    const place = links.length > 1 ? `${at + 1} of ${links.length}` : ''
    caption.textContent = [image.alt, place].filter(Boolean).join(' · ')
  }
  const tools = Object.assign(document.createElement('div'), { className: 'buttons' })
  if (links.length > 1)
    tools.append(
      button('Previous', () => step(-1)),
      button('Next', () => step(1)),
    )
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
  step(0)
  document.body.append(dialog)
  dialog.showModal()
}

/** Shows the image of a link, with the proportions of its preview: set before the bytes are loaded, to avoid layout shifts. */
function showImage(image: HTMLImageElement, link: HTMLAnchorElement): void {
  const preview = link.querySelector('img')
  image.src = link.href
  image.alt = preview?.alt ?? ''
  for (const side of ['width', 'height']) {
    const value = preview?.getAttribute(side)
    if (value) image.setAttribute(side, value)
    else image.removeAttribute(side)
  }
}

function button(text: string, act: () => void): HTMLButtonElement {
  const made = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'button',
    textContent: text,
  })
  made.addEventListener('click', act)
  return made
}
