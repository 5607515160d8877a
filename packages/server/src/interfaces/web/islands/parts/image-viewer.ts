/** A lightbox: shows the images of a page in full size, one at a time, over the page. */
import { button, element } from './dom.ts'
import { t } from './t.ts'

/** Opens the image of a link; the arrow keys and buttons show the others, and Escape returns to the link. */
export function showImages(links: readonly HTMLAnchorElement[], first: HTMLAnchorElement): void {
  let at = links.indexOf(first)
  const image = element('img')
  const caption = element('p', { class: 'caption', role: 'status' })
  const original = element('a', { class: 'button' }, t('Open file'))
  const dialog = element('dialog', { class: 'image-viewer', 'aria-label': t('Image') })

  const step = (by: number) => {
    at = (at + by + links.length) % links.length
    const link = links[at]
    if (!link) return
    showImage(image, link)
    original.href = link.href
    const place = links.length > 1 ? t('{number} of {count}', { number: at + 1, count: links.length }) : ''
    caption.textContent = [image.alt, place].filter(Boolean).join(' · ')
  }
  const tools = element('div', { class: 'buttons' })
  if (links.length > 1)
    tools.append(
      button(t('Previous'), 'button', () => step(-1)),
      button(t('Next'), 'button', () => step(1)),
    )
  tools.append(
    original,
    button(t('Close'), 'button', () => dialog.close()),
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

/**
 * Shows the image of a link, with the proportions of its preview: set before the bytes are loaded, to avoid layout
 * shifts.
 */
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
