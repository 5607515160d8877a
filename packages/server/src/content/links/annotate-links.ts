import { setImmediate as turn } from 'node:timers/promises'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { escapeHtml } from '@recto/lib/text/escape-html.ts'
import { type Anchor, findId, ID_PREFIX } from '@recto/lib/text/fragment.ts'
import type { RenderedPage } from '@recto/markdown/page.ts'
import { msg, t } from '../../platform/language/t.ts'
import { type LinkSource, resolve } from './resolve.ts'
import type { LinkState } from './store-states.ts'

/** The target of a link to a page. */
export type ToUrl = (address: PageAddress, isMissing: boolean) => string

/** A file that is the target of a link. */
export interface LinkedFile {
  readonly url: string
  /** What is said of a file that is missing. */
  readonly missing?: string
}

/** Yields to the event loop after this many links, which take a few milliseconds. */
const LINKS_A_TURN = 500
const FRAGMENT = /^[^#]*#(.*)$/s
const MISSING_PAGE = msg('There is no page here yet')
/** Said of a target that does not exist or that the reader cannot see: it must be the same. */
export const NO_SPACE = msg('No such space, or no access')

/**
 * Sets the URLs of the page links in the HTML of a page, because a browser would not always find their targets: it
 * resolves `./x` by the URL of the page, where slashes may be encoded, and `x.md` requests Markdown. `states` says
 * which links redirect, and which are missing: those are marked by a class and a title. `toUrl` returns where an
 * address is shown, or created where it is missing; `findFile` returns the file that a target means: pages that exist
 * take precedence. The fragments of links to the page itself are those of its ids. It yields to the event loop in
 * between.
 */
export async function annotateLinks(
  renderedPage: Pick<RenderedPage, 'html' | 'anchors' | 'links' | 'headings'>,
  from: LinkSource,
  states: readonly LinkState[],
  toUrl: ToUrl = ({ space, path }) => pageUrl(space, path),
  findFile: (href: string) => LinkedFile | undefined = () => undefined,
): Promise<string> {
  const statesByTarget = new Map(states.map((state) => [`${state[0]}/${state[1]}`, state]))
  // Pages link to the same addresses again and again.
  const targets = new Map<string, Target | undefined>()
  const pieces: string[] = []
  let anchors: readonly Anchor[] | undefined
  const idFor = (fragment: string) => {
    anchors ??= anchorsIn(renderedPage)
    return findId(fragment, anchors)
  }
  let html = ''
  let writtenEnd = 0
  for (const [index, { offset, link }] of renderedPage.anchors.entries()) {
    if (index % LINKS_A_TURN === LINKS_A_TURN - 1) {
      html += pieces.join('')
      pieces.length = 0
      await turn()
    }
    const href = renderedPage.links[link]?.href ?? ''
    const target = targets.has(href)
      ? targets.get(href)
      : findTarget(href, { from, known: statesByTarget, toUrl, findFile, idFor })
    targets.set(href, target)
    const end = renderedPage.html.indexOf('>', offset)
    if (end === -1 || !target) continue
    const attributes = renderedPage.html.slice(offset, end)
    pieces.push(renderedPage.html.slice(writtenEnd, offset), marked(attributes, target))
    writtenEnd = end
  }
  return html + pieces.join('') + renderedPage.html.slice(writtenEnd)
}

interface Known {
  readonly from: LinkSource
  readonly known: ReadonlyMap<string, LinkState>
  readonly toUrl: ToUrl
  readonly findFile: (href: string) => LinkedFile | undefined
  /** The id of the page that a fragment means. */
  readonly idFor: (fragment: string) => string | undefined
}

/** A page or a file. */
interface Target extends LinkedFile {
  readonly isFile?: true
  /** With its `#`, where the link is to a part of the page itself. */
  readonly fragment?: string
}

/** Where a link goes; undefined if it is a link neither to a page nor to a file. */
function findTarget(href: string, { from, known, toUrl, findFile, idFor }: Known): Target | undefined {
  const address = resolve(href, from)
  const fragment = ownFragment(href, address, { from, idFor })
  if (fragment !== undefined && !address) return { url: '', fragment }
  const [, , space, path, missing] = (address && known.get(`${address.space}/${address.path}`)) ?? []
  const isMissing = missing === true
  const file = address && !isMissing ? undefined : findFile(href)
  if (file) return { ...file, isFile: true }
  if (!address) return undefined
  return {
    url: toUrl(space === undefined || path === undefined ? address : { space, path }, isMissing),
    ...(fragment !== undefined && { fragment }),
    ...((isMissing || missing === null) && { missing: isMissing ? MISSING_PAGE : NO_SPACE }),
  }
}

/** The end of a URL, from its query on, with the fragment of an id. */
function withId(tail: string, fragment: string | undefined): string {
  return fragment === undefined
    ? tail.replace(/(?<!&)#(?!user-content-|:~:|$)/i, `#${ID_PREFIX}`)
    : tail.replace(/(?<!&)#.*$/s, '') + fragment
}

function anchorsIn({ html, headings }: Pick<RenderedPage, 'html' | 'headings'>): Anchor[] {
  const ids = html.matchAll(/<[a-z][^<>]* (?:id|name)="(user-content-[^"]*)"/g)
  const unescapeId = (id: string) => id.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"')
  return [...headings, ...Array.from(ids, ([, id = '']) => ({ id: unescapeId(id).replaceAll('&amp;', '&') }))]
}

/** The fragment of a link to a part of the page itself, with the id that it means; undefined for other links. */
function ownFragment(
  href: string,
  address: PageAddress | undefined,
  { from, idFor }: Pick<Known, 'from' | 'idFor'>,
): string | undefined {
  const writtenFragment = FRAGMENT.exec(href)?.[1] ?? ''
  const isOwn = href.startsWith('#') || (address?.space === from.space && address.path === from.path)
  const id = !isOwn || writtenFragment === '' || writtenFragment.startsWith(':~:') ? undefined : idFor(writtenFragment)
  return id === undefined ? undefined : `#${encodeURIComponent(id)}`
}

/** The attributes of the tag, whose values contain no `"` and no `>`: both are escaped. */
function marked(attributes: string, { url, missing, isFile, fragment }: Target): string {
  const linkedAttributes = attributes.replace(/ href="([^"]*)"/, (_, href: string) => {
    // In escaped text `#` may be part of `&#39;`.
    const tail = url.includes('?') ? '' : (/(?:\?|(?<!&)#).*$/s.exec(href)?.[0] ?? '')
    // Only the ids of pages have the prefix: `#page=2` of a document is no id.
    const own = isFile ? tail.replace(`#${ID_PREFIX}`, '#') : withId(tail, fragment)
    return ` href="${url.replaceAll('&', '&amp;')}${own}"`
  })
  if (missing === undefined) return linkedAttributes
  const otherAttributes = linkedAttributes.replace(/ (?:class|title)="[^"]*"/g, '')
  return ` class="missing" title="${escapeHtml(t(missing))}"${otherAttributes}`
}
