import { type PageAddress, pageUrl } from '../http/page-address.ts'
import type { RenderedPage } from '../markdown/page.ts'
import { type LinkSource, resolve } from './resolve.ts'

/** Where a link to a page leads. */
export type UrlOf = (address: PageAddress, isMissing: boolean) => string

const TITLE = 'There is no page here yet'

/**
 * The HTML of a page with its page links leading to the addresses that they mean, which a browser would not find in every
 * case: it resolves `./x` by the address of the page, where slashes may be encoded, and `x.md` asks for Markdown. Those
 * to `missing`, named as `space/path`, are marked by a class and a title. `urlOf` says where an address is shown, or
 * made where it is missing.
 */
export function markLinks(
  rendered: Pick<RenderedPage, 'html' | 'anchors' | 'links'>,
  from: LinkSource,
  missing: readonly string[],
  urlOf: UrlOf = ({ space, path }) => pageUrl(space, path),
): string {
  const gone = new Set(missing)
  const pieces: string[] = []
  let written = 0
  for (const { offset, link } of rendered.anchors) {
    const address = resolve(rendered.links[link]?.href ?? '', from)
    const end = rendered.html.indexOf('>', offset)
    if (!address || end === -1) continue
    const attributes = rendered.html.slice(offset, end)
    const isMissing = gone.has(`${address.space}/${address.path}`)
    pieces.push(
      rendered.html.slice(written, offset),
      marked(attributes, urlOf(address, isMissing), isMissing),
    )
    written = end
  }
  return pieces.length === 0 ? rendered.html : pieces.join('') + rendered.html.slice(written)
}

/** The attributes of the tag, whose values hold no `"` and no `>`: both are escaped. */
function marked(attributes: string, url: string, isMissing: boolean): string {
  const led = attributes.replace(/ href="([^"]*)"/, (_, href: string) => {
    // In escaped text `#` may be part of `&#39;`.
    const tail = url.includes('?') ? '' : (/(?:\?|(?<!&)#).*$/s.exec(href)?.[0] ?? '')
    return ` href="${url.replaceAll('&', '&amp;')}${tail}"`
  })
  if (!isMissing) return led
  return ` class="missing" title="${TITLE}"${led.replace(/ (?:class|title)="[^"]*"/g, '')}`
}
