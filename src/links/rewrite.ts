import { type PageAddress, pageMarkdownUrl, pageUrl } from '../http/page-address.ts'
import type { MarkdownEngine } from '../markdown/engine.ts'
import type { BodyLink, PageFacts } from '../markdown/page.ts'
import { type LinkSource, resolve } from './resolve.ts'

/** The old and new address of a page, and the new addresses of the targets of its links. */
export interface Rewriting {
  readonly from: LinkSource
  readonly to: LinkSource
  target(address: PageAddress): PageAddress
}

export interface ChangedLink {
  readonly line: number
  readonly from: string
  readonly to: string
}

export interface RewrittenBody {
  readonly body: string
  /** The links of the new body. */
  readonly facts: PageFacts
  readonly changed: readonly ChangedLink[]
  /** Links that should change and could not be changed. */
  readonly left: readonly { readonly line: number; readonly href: string }[]
}

/** A place in the body where the target of a link may be written. */
interface Candidate {
  readonly start: number
  readonly end: number
  readonly href: string
}

/**
 * Changes the links of a body so that each leads to the new address of its target; every other byte stays, and so do
 * fragments, titles and, if possible, the form of each link. The result is checked by parsing the new body: it has
 * the same links except those that were to change.
 */
export async function rewriteBody(
  markdown: Pick<MarkdownEngine, 'analyse'>,
  body: string,
  at: Rewriting,
): Promise<RewrittenBody> {
  const facts = await markdown.analyse(body)
  const wanted = wantedTargets(facts.links, at)
  const asIs: RewrittenBody = { body, facts, changed: [], left: leftOf(facts.links, wanted) }
  if (![...wanted.values()].some((to) => to !== undefined)) return asIs
  const all = findCandidates(body, wanted)
  const count = facts.links.filter(({ href }) => wanted.get(href) !== undefined).length
  // Each link has its own place, except by reference. As many places as links: none is in code.
  const certain =
    all.length === count && !all.some(({ start }) => /\]:\s*<?$/.test(body.slice(0, start).slice(-80)))
  const places = certain ? all : await confirm(markdown, body, all, facts.links)
  const rewritten = replace(body, places, ({ href }, raw) => replacement(wanted.get(href) ?? href, href, raw))
  if (rewritten === body) return { ...asIs, left: allLeft(facts.links, wanted) }
  const after = await markdown.analyse(rewritten)
  const checked = compare(facts.links, after.links, wanted)
  return checked
    ? { body: rewritten, facts: after, ...checked }
    : { ...asIs, left: allLeft(facts.links, wanted) }
}

/** The new text of each target that changes; undefined if no text has this meaning. */
function wantedTargets(links: readonly BodyLink[], at: Rewriting): Map<string, string | undefined> {
  const wanted = new Map<string, string | undefined>()
  for (const { href } of links) {
    const before = resolve(href, at.from)
    if (!before || wanted.has(href)) continue
    const target = at.target(before)
    if (!means(href, at.to, target)) wanted.set(href, hrefTo(target, href, at.to))
  }
  return wanted
}

function means(href: string, from: LinkSource, target: PageAddress): boolean {
  const address = resolve(href, from)
  return address !== undefined && address.space === target.space && address.path === target.path
}

/** The target in the form of `href`, if a link of that form can express it. */
function hrefTo(target: PageAddress, href: string, from: LinkSource): string | undefined {
  const raw = pathOf(href)
  const tail = href.slice(raw.length)
  const markdown = raw.trimEnd().endsWith('.md')
  const absolute = plain((markdown ? pageMarkdownUrl : pageUrl)(target.space, target.path))
  const origin = /^\s*(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i.exec(raw)?.[0]
  const forms =
    origin !== undefined
      ? [origin + absolute]
      : raw.startsWith('/')
        ? [absolute]
        : relativeForms(target, raw, from, absolute)
  return forms.map((form) => form + tail).find((form) => means(form, from, target))
}

function relativeForms(target: PageAddress, raw: string, from: LinkSource, absolute: string): string[] {
  if (target.space !== from.space) return [absolute]
  const folder = from.path.split('/').slice(0, -1)
  const segments = target.path.split('/')
  let common = 0
  while (common < folder.length && common < segments.length - 1 && folder[common] === segments[common])
    common++
  const up = '../'.repeat(folder.length - common)
  const keepsLetters = /[^\0-\x7f]/.test(raw)
  const encode = (segment: string) =>
    keepsLetters ? encodeAscii(segment) : plain(encodeURIComponent(segment))
  const down = segments.slice(common).map(encode).join('/') + (raw.trimEnd().endsWith('.md') ? '.md' : '')
  const bare = up === '' && !/^\s*\.\.?\//.test(raw)
  return [
    bare ? down : up === '' ? `./${down}` : up + down,
    `${up === '' ? './' : up}${down}`,
    `${up === '' ? './' : up}${down}.md`,
    absolute,
  ]
}

/** Without characters that could end the target of a link in Markdown or in an attribute. */
function plain(url: string): string {
  return url.replace(/[()'*&]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

function encodeAscii(segment: string): string {
  return segment
    .replace(/[\0-\x7f]/g, (character) => plain(encodeURIComponent(character)))
    .replace(/\s/g, encodeURIComponent)
}

function pathOf(href: string): string {
  return href.replace(/[?#].*$/s, '')
}

/** Every place where a target is written as it could be in a link, escaped or not. */
function findCandidates(body: string, wanted: ReadonlyMap<string, string | undefined>): Candidate[] {
  const hrefs = [...wanted].flatMap(([href, to]) => (to === undefined ? [] : [href]))
  const found: Candidate[] = []
  for (let start = 0; start < body.length; start++) {
    if (start > 0 && !BEFORE.test(body[start - 1] ?? '')) continue
    for (const href of hrefs) {
      const end = writtenEnd(body, start, href)
      if (end !== undefined && !GOES_ON.test(characterAt(body, end))) found.push({ start, end, href })
    }
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  let end = -1
  return found.filter((candidate) => {
    if (candidate.start < end) return false
    end = candidate.end
    return true
  })
}

/** A target is not part of a longer word or path: which characters may precede it, and which may not follow. */
const BEFORE = /[\s(<"'=:>]/
const GOES_ON = /[\p{L}\p{N}/%_-]/u
const LITERAL = /[\p{L}\p{N}\s]/u

/**
 * The end of the target that begins here; undefined if there is another text. Compared by hand: compiling a regular
 * expression for each target would take longer than everything else.
 */
function writtenEnd(body: string, start: number, href: string, from = 0): number | undefined {
  let at = start
  for (let next = from; next < href.length; ) {
    const character = characterAt(href, next)
    next += character.length
    if (character === '&' && body.startsWith('&amp;', at)) {
      const end = writtenEnd(body, at + '&amp;'.length, href, next)
      // A target may also contain these five characters themselves.
      if (end !== undefined) return end
    }
    if (body.startsWith(character, at)) at += character.length
    else if (body[at] === '\\' && body.startsWith(character, at + 1) && !LITERAL.test(character)) {
      at += 1 + character.length
    } else return undefined
  }
  return at
}

function characterAt(body: string, at: number): string {
  const code = body.codePointAt(at)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** The places that are targets of links: each is marked, and the parser returns which marks it sees there. */
async function confirm(
  markdown: Pick<MarkdownEngine, 'analyse'>,
  body: string,
  places: readonly Candidate[],
  links: readonly BodyLink[],
): Promise<Candidate[]> {
  let word = 'mark'
  while (body.includes(word)) word += 'x'
  const numbers = new Map(places.map((place, index) => [place, index]))
  const markOf = (place: Candidate) => {
    const origin = /^(?:[a-z]+:)?\/\/[^/]*/i.exec(place.href)?.[0] ?? '.'
    return `${origin}/${word}${numbers.get(place)}x`
  }
  const marked = replace(body, places, (place) => markOf(place))
  const seen = await markdown.analyse(marked)
  if (seen.links.length !== links.length) return []
  const hrefs = new Set(seen.links.map(({ href }) => href))
  return places.filter((place) => hrefs.has(markOf(place)))
}

/** The query and the fragment stay as they are written. */
function replacement(to: string, href: string, raw: string): string {
  const tail = href.length - pathOf(href).length
  const at = raw.search(/[?#]/)
  return to.slice(0, to.length - tail) + (tail === 0 || at === -1 ? '' : raw.slice(at))
}

function replace(
  body: string,
  places: readonly Candidate[],
  by: (place: Candidate, raw: string) => string,
): string {
  const pieces: string[] = []
  let written = 0
  for (const place of places) {
    pieces.push(body.slice(written, place.start), by(place, body.slice(place.start, place.end)))
    written = place.end
  }
  return pieces.join('') + body.slice(written)
}

/** Undefined if anything but the intended targets differs. */
function compare(
  before: readonly BodyLink[],
  after: readonly BodyLink[],
  wanted: ReadonlyMap<string, string | undefined>,
): Pick<RewrittenBody, 'changed' | 'left'> | undefined {
  if (before.length !== after.length) return undefined
  const changed: ChangedLink[] = []
  const left: { line: number; href: string }[] = []
  for (const [index, { href, line, text }] of before.entries()) {
    const now = after[index]
    // The text of a bare URL is the URL.
    if (now?.line !== line || (now.text !== text && text !== href)) return undefined
    if (now.href === href) {
      if (wanted.has(href)) left.push({ line, href })
    } else if (now.href === wanted.get(href)) changed.push({ line, from: href, to: now.href })
    else return undefined
  }
  return { changed, left }
}

function leftOf(links: readonly BodyLink[], wanted: ReadonlyMap<string, string | undefined>) {
  return links
    .filter(({ href }) => wanted.has(href) && wanted.get(href) === undefined)
    .map(({ line, href }) => ({ line, href }))
}

function allLeft(links: readonly BodyLink[], wanted: ReadonlyMap<string, string | undefined>) {
  return links.filter(({ href }) => wanted.has(href)).map(({ line, href }) => ({ line, href }))
}
