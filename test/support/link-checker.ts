/**
 * The links of a space as they should be, by commonmark.js and the rules of docs/api.md written once more: nothing of
 * the program is used but its table of file types, which is data. What our Markdown adds to CommonMark is left out and
 * counted.
 */
import { posix } from 'node:path'
import { Parser } from 'commonmark'
import { decodeHTML } from 'entities'
import { hasFileSuffix } from '../../packages/server/src/content/links/resolve.ts'

export interface ExpectedLinks {
  /** `path exists text` of the page links of each page, in order. */
  readonly outbound: ReadonlyMap<string, readonly string[]>
  /** `path exists` of the files that each page refers to, each once, in order. */
  readonly files: ReadonlyMap<string, readonly string[]>
  /** `kind source target`, each once. */
  readonly broken: ReadonlySet<string>
  /** How many pages link to each missing page. */
  readonly wanted: ReadonlyMap<string, number>
}

interface Reference {
  readonly by: 'image' | 'link'
  readonly href: string
  text: string
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/
const HTML = /<!--[\s\S]*?-->|<(a|img)\b([^>]*)>|<(\/)a\s*>/gi
const ATTRIBUTE = /\b(href|src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi

/** The links and images of a body, in order. */
function findReferences(body: string): Reference[] {
  const references: Reference[] = []
  let openLink: Reference | undefined
  let openImage: Reference | undefined
  let imageDepth = 0
  const say = (text: string) => {
    if (openLink) openLink.text += text
    if (openImage) openImage.text += text
  }
  const add = (by: 'image' | 'link', href: string) => {
    const reference = { by, href, text: '' }
    references.push(reference)
    return reference
  }
  const walker = new Parser().parse(body.replace(FRONT_MATTER, '')).walker()
  for (let event = walker.next(); event; event = walker.next()) {
    const { node, entering } = event
    if (node.type === 'image') {
      imageDepth += entering ? 1 : -1
      if (entering && imageDepth === 1) openImage = add('image', node.destination ?? '')
      else if (imageDepth === 0) openImage = undefined
    } else if (node.type === 'link') {
      // The alternative text of an image is text alone.
      if (imageDepth === 0) openLink = entering ? add('link', node.destination ?? '') : undefined
    } else if (node.type === 'softbreak' || node.type === 'linebreak') say(' ')
    else if (node.type === 'text' || node.type === 'code') say(node.literal ?? '')
    else if (node.type === 'html_inline' || node.type === 'html_block') {
      for (const { by, href, alt } of htmlElements(node.literal ?? '')) {
        if (by === 'end') openLink = undefined
        else if (by === 'image') {
          add('image', href).text = alt
          say(alt)
        } else openLink = add('link', href)
      }
    }
  }
  return references
}

interface HtmlElement {
  readonly by: 'image' | 'link' | 'end'
  readonly href: string
  readonly alt: string
}

function htmlElements(html: string): HtmlElement[] {
  return [...html.matchAll(HTML)].flatMap<HtmlElement>(([, tag, attributes = '', end]) => {
    if (end !== undefined) return [{ by: 'end', href: '', alt: '' }]
    if (tag === undefined) return []
    const values = new Map(
      [...attributes.matchAll(ATTRIBUTE)].map(([, name = '', a, b, c]) => [
        name.toLowerCase(),
        decodeHTML(a ?? b ?? c ?? ''),
      ]),
    )
    const by = tag.toLowerCase() === 'a' ? 'link' : 'image'
    const href = values.get(by === 'link' ? 'href' : 'src')
    return href === undefined ? [] : [{ by, href, alt: values.get('alt') ?? '' }]
  })
}

interface Target {
  /** `relative`: with `./` or `../`, a page or a file; `bare`: a file or nothing. */
  readonly kind: 'page' | 'file' | 'relative' | 'bare'
  readonly path: string
}

function toPath(text: string): string | undefined {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25')).normalize('NFC')
  } catch {
    return undefined
  }
  return decoded
}

function isPath(path: string): boolean {
  const segments = path.split('/')
  return (
    segments.length <= 32 &&
    Buffer.byteLength(path) <= 1024 &&
    segments.every(
      (segment) =>
        segment !== '' &&
        segment !== '.' &&
        segment !== '..' &&
        Buffer.byteLength(segment) <= 255 &&
        segment === segment.trim() &&
        !/[\p{Cc}\\]/u.test(segment),
    )
  )
}

/** What a target of a page means, whether or not it exists. */
function classify({ by, href }: Reference, page: string, space: string): Target | undefined {
  const raw = href.trim().replace(/[?#].*$/s, '')
  if (raw === '' || /^[a-z][a-z0-9+.-]*:/i.test(raw) || raw.startsWith('//')) return undefined
  if (raw.startsWith('/')) {
    const [, kind, slug, rest = ''] = /^\/(page|file)s\/([^/]+)\/(.+)$/s.exec(raw) ?? []
    const path = toPath(rest)
    if (slug !== space || !path || !isPath(path)) return undefined
    return { kind: kind === 'page' ? 'page' : 'file', path: kind === 'page' ? path.replace(/\.md$/, '') : path }
  }
  const decoded = toPath(raw)
  if (decoded === undefined || /\/\/|\/\.?\.?$/.test(decoded)) return undefined
  const joined = posix.join(posix.dirname(page), decoded)
  if (joined.startsWith('../') || joined === '..') return undefined
  const isPage = by === 'link' && decoded.endsWith('.md')
  const path = isPage ? joined.replace(/\.md$/, '') : joined
  if (!isPath(path)) return undefined
  if (isPage) return { kind: 'page', path }
  if (by === 'image') return { kind: 'file', path }
  return { kind: /^\.\.?\//.test(raw) ? 'relative' : 'bare', path }
}

/** The links of pages that are all of a space, beside files. */
export function expectLinks(
  space: string,
  pages: ReadonlyMap<string, string>,
  files: ReadonlySet<string>,
): ExpectedLinks {
  const outbound = new Map<string, string[]>()
  const referredFiles = new Map<string, string[]>()
  const broken = new Set<string>()
  const wanted = new Map<string, Set<string>>()
  for (const [page, body] of pages) {
    const links: string[] = []
    const referred = new Set<string>()
    for (const reference of findReferences(body)) {
      const target = classify(reference, page, space)
      if (!target) continue
      const { kind, path } = target
      const isPage = pages.has(path)
      const isFile = !(isPage && kind === 'relative') && (kind === 'file' || files.has(path) || hasFileSuffix(path))
      if (kind === 'page' || kind === 'relative') {
        links.push(`${path} ${isPage} ${reference.text.replace(/\s+/g, ' ').trim()}`)
      }
      if (kind !== 'page' && isFile) {
        referred.add(`${path} ${files.has(path)}`)
        if (!files.has(path)) broken.add(`file ${page} ${path}`)
      } else if (kind !== 'bare' && !isPage) {
        broken.add(`page ${page} ${path}`)
        wanted.set(path, (wanted.get(path) ?? new Set()).add(page))
      }
    }
    outbound.set(page, links)
    referredFiles.set(page, [...referred])
  }
  return {
    outbound,
    files: referredFiles,
    broken,
    wanted: new Map([...wanted].map(([path, sources]) => [path, sources.size])),
  }
}
