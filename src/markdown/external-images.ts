/** The class of what stands for an image that is not loaded; the sanitiser lets no body use it. */
const PLACEHOLDER = 'external-image'
/** Of sanitised HTML, whose attribute values hold no `<`, `>` and `"`. */
const LINK_OR_IMAGE = /<(\/?)a(?= |>)|<img([^<>]*)>/g

/**
 * The HTML of a page with a placeholder for each image of another origin, so that reading the page tells nobody else: its
 * alternative text and host, as a link to the image where it does not stand in a link already.
 */
export function hideExternalImages(html: string, publicUrl: string): string {
  const { origin } = new URL(publicUrl)
  let inLink = false
  return html.replace(LINK_OR_IMAGE, (tag, slash: string | undefined, attributes: string | undefined) => {
    if (attributes === undefined) {
      inLink = slash === ''
      return tag
    }
    const src = / src="([^"]*)"/.exec(attributes)?.[1] ?? ''
    const url = URL.parse(src.replaceAll('&amp;', '&'), publicUrl)
    if (!url || url.origin === origin) return tag
    const alt = / alt="([^"]*)"/.exec(attributes)?.[1] ?? ''
    const text = alt === '' ? `Image from ${url.host}` : `${alt} (image from ${url.host})`
    return inLink
      ? `<span class="${PLACEHOLDER}">${text}</span>`
      : `<a class="${PLACEHOLDER}" href="${src}" rel="nofollow noopener noreferrer">${text}</a>`
  })
}

/** Whether `html` has a placeholder of `hideExternalImages`. */
export function hidesExternalImages(html: string): boolean {
  return html.includes(` class="${PLACEHOLDER}"`)
}
