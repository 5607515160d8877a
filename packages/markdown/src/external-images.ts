import { ownOrigins } from '@recto/lib/network/own-origins.ts'

/** The class of placeholders. The sanitiser removes it from bodies. */
const PLACEHOLDER = 'external-image'
/** In sanitised HTML, whose attribute values do not contain `<`, `>` or `"`. */
const LINK_OR_IMAGE = /<(\/?)a(?= |>)|<img([^<>]*)>/g

/**
 * Replaces images of other origins, so that reading a page sends no request to other hosts. The placeholder is the
 * alternative text and the host, as a link to the image unless it is in a link already.
 */
export function hideExternalImages(html: string, publicUrl: string): string {
  const own = ownOrigins(publicUrl)
  let inLink = false
  return html.replace(LINK_OR_IMAGE, (tag, slash: string | undefined, attributes: string | undefined) => {
    if (attributes === undefined) {
      inLink = slash === ''
      return tag
    }
    const src = / src="([^"]*)"/.exec(attributes)?.[1] ?? ''
    const url = URL.parse(src.replaceAll('&amp;', '&'), publicUrl)
    if (!url || own.includes(url.origin)) return tag
    const alt = / alt="([^"]*)"/.exec(attributes)?.[1] ?? ''
    const text = alt === '' ? `Image from ${url.host}` : `${alt} (image from ${url.host})`
    return inLink
      ? `<span class="${PLACEHOLDER}">${text}</span>`
      : `<a class="${PLACEHOLDER}" href="${src}" rel="nofollow noopener noreferrer">${text}</a>`
  })
}

/** Whether `html` has such a placeholder. */
export function hidesExternalImages(html: string): boolean {
  return html.includes(` class="${PLACEHOLDER}"`)
}
