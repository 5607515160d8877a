import { t } from '../html.ts'

const ANCHOR = /<a ([^<>]*)>|<\/a>/g
const MISSING_FILE = /<span class="missing-file"[^<>]*>[^<>]*<\/span>/g
/** What may follow an address: a fragment, or a query and a fragment. */
const ENDS = [/#.*$/s, /[?#].*$/s]
const EMBEDDED = /<(img|audio|video|iframe|source)\b([^<>]*)>/g

/**
 * The HTML of a page for readers of a share link. A link stays if it leads to a part of the page, to one of their
 * addresses, or to another site; every other one becomes its text, without its target and its title. So do images,
 * sound and video. An allowlist: what the renderer may add later is left out.
 */
export function limitLinks(html: string, addresses: ReadonlySet<string>, origin: string): string {
  let isText = false
  const isAllowed = (escapedUrl: string) => {
    const url = escapedUrl.replaceAll('&amp;', '&')
    if (url.startsWith('#') || ENDS.some((end) => addresses.has(url.replace(end, '')))) return true
    return /^(?:https?:|mailto:|tel:)/i.test(url) && URL.parse(url)?.origin !== origin
  }
  return html
    .replace(ANCHOR, (tag, attributes: string | undefined) => {
      if (attributes === undefined) {
        const end = isText ? '</span>' : tag
        isText = false
        return end
      }
      const href = / href="([^"]*)"/.exec(` ${attributes}`)?.[1]
      isText = href !== undefined && !isAllowed(href)
      return isText ? '<span>' : tag
    })
    .replace(MISSING_FILE, `<span class="missing-file">${t('Not part of this page')}</span>`)
    .replace(EMBEDDED, (tag, _name: string, attributes: string) => {
      const source = / src="([^"]*)"/.exec(attributes)?.[1]
      if (source !== undefined && !isAllowed(source)) return ''
      // Smaller variants have other addresses.
      return tag.replace(/ (?:srcset|sizes|poster)="[^"]*"/g, '')
    })
}
