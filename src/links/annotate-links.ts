import { setImmediate as turn } from 'node:timers/promises'
import { type PageAddress, pageUrl } from '../http/addresses/page-address.ts'
import type { RenderedPage } from '../markdown/page.ts'
import { ID_PREFIX } from '../markdown/urls.ts'
import { type LinkSource, resolve } from './resolve.ts'
import type { LinkState } from './store-states.ts'

/** The target of a link to a page. */
export type UrlOf = (address: PageAddress, isMissing: boolean) => string

/** A file that is the target of a link. */
export interface LinkedFile {
  readonly url: string
  /** What is said of a file that is missing. */
  readonly missing?: string
}

/** Yields to the event loop after this many links, which take a few milliseconds. */
const LINKS_A_TURN = 500
const MISSING_PAGE = 'There is no page here yet'

/**
 * Sets the URLs of the page links in the HTML of a page, because a browser would not always find their targets: it
 * resolves `./x` by the URL of the page, where slashes may be encoded, and `x.md` requests Markdown. `states` says
 * which links redirect, and which are missing: those are marked by a class and a title. `urlOf` returns where an
 * address is shown, or created where it is missing; `fileOf` returns the file that a target means: pages that exist take
 * precedence. It yields to the event loop in between.
 */
export async function annotateLinks(
  rendered: Pick<RenderedPage, 'html' | 'anchors' | 'links'>,
  from: LinkSource,
  states: readonly LinkState[],
  urlOf: UrlOf = ({ space, path }) => pageUrl(space, path),
  fileOf: (href: string) => LinkedFile | undefined = () => undefined,
): Promise<string> {
  const known = new Map(states.map((state) => [`${state[0]}/${state[1]}`, state]))
  // Pages link to the same addresses again and again.
  const targets = new Map<string, Target | undefined>()
  const pieces: string[] = []
  let html = ''
  let written = 0
  for (const [index, { offset, link }] of rendered.anchors.entries()) {
    if (index % LINKS_A_TURN === LINKS_A_TURN - 1) {
      html += pieces.join('')
      pieces.length = 0
      await turn()
    }
    const href = rendered.links[link]?.href ?? ''
    const target = targets.has(href) ? targets.get(href) : targetOf(href, { from, known, urlOf, fileOf })
    targets.set(href, target)
    const end = rendered.html.indexOf('>', offset)
    if (end === -1 || !target) continue
    const attributes = rendered.html.slice(offset, end)
    pieces.push(rendered.html.slice(written, offset), marked(attributes, target))
    written = end
  }
  return html + pieces.join('') + rendered.html.slice(written)
}

interface Known {
  readonly from: LinkSource
  readonly known: ReadonlyMap<string, LinkState>
  readonly urlOf: UrlOf
  readonly fileOf: (href: string) => LinkedFile | undefined
}

/** A page or a file. */
interface Target extends LinkedFile {
  readonly isFile?: true
}

/** Where a link goes; undefined if it is a link neither to a page nor to a file. */
function targetOf(href: string, { from, known, urlOf, fileOf }: Known): Target | undefined {
  const address = resolve(href, from)
  const [, , space, path, missing] = (address && known.get(`${address.space}/${address.path}`)) ?? []
  const isMissing = missing === true
  const file = address && !isMissing ? undefined : fileOf(href)
  if (file) return { ...file, isFile: true }
  if (!address) return undefined
  return {
    url: urlOf(space === undefined || path === undefined ? address : { space, path }, isMissing),
    ...(isMissing && { missing: MISSING_PAGE }),
  }
}

/** The attributes of the tag, whose values contain no `"` and no `>`: both are escaped. */
function marked(attributes: string, { url, missing, isFile }: Target): string {
  const linked = attributes.replace(/ href="([^"]*)"/, (_, href: string) => {
    // In escaped text `#` may be part of `&#39;`.
    const tail = url.includes('?') ? '' : (/(?:\?|(?<!&)#).*$/s.exec(href)?.[0] ?? '')
    // Only the ids of pages have the prefix: `#page=2` of a document is no id.
    const own = isFile ? tail.replace(`#${ID_PREFIX}`, '#') : tail
    return ` href="${url.replaceAll('&', '&amp;')}${own}"`
  })
  if (missing === undefined) return linked
  return ` class="missing" title="${missing}"${linked.replace(/ (?:class|title)="[^"]*"/g, '')}`
}
