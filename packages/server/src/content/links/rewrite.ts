import type { PageAddress } from '@recto/contract/page-address.ts'
import { fileUrl, pageMarkdownUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { MarkdownEngine } from '@recto/markdown/engine/engine.ts'
import type { AnalysedPage, BodyLink } from '@recto/markdown/page.ts'
import { type LinkSource, resolve, resolveFileTarget } from './resolve.ts'

/** The old and new address of a page, and the new addresses of the targets of its links and images. */
export interface Rewriting {
  readonly from: LinkSource
  readonly to: LinkSource
  target(address: PageAddress): PageAddress
  /** The same for a file; undefined for an address without a known file. */
  file?(address: PageAddress): PageAddress | undefined
  /** Whether an address is not written into the body: links that would need it are left. */
  readonly hides?: (target: PageAddress) => boolean
}

export interface ChangedLink {
  readonly line: number
  readonly from: string
  readonly to: string
}

export interface RewrittenBody {
  readonly body: string
  /** The links of the new body. */
  readonly facts: AnalysedPage
  readonly changed: readonly ChangedLink[]
  /** Links that should change and could not be changed. */
  readonly left: readonly { readonly line: number; readonly href: string }[]
}

interface Reference extends BodyLink {
  readonly by: 'link' | 'image'
}

/** What a target refers to: a page, or a file. */
interface Meaning extends PageAddress {
  readonly kind: 'page' | 'file'
}

/** A place in the body where the target of a link may be written. */
interface Candidate {
  readonly start: number
  readonly end: number
  readonly href: string
}

/**
 * Changes the links and images of a body so that each refers to the new address of its target; all other bytes stay,
 * and so do fragments, titles and, if possible, the form of each link. The result is checked by parsing the new body:
 * it has the same links except those that were to change.
 */
export async function rewriteBody(
  markdown: Pick<MarkdownEngine, 'analyse'>,
  body: string,
  at: Rewriting,
): Promise<RewrittenBody> {
  const facts = await markdown.analyse(body)
  const references = listReferences(facts)
  const wantedHrefs = wantedTargets(references, at)
  const asIs: RewrittenBody = { body, facts, changed: [], left: listLeftLinks(references, wantedHrefs) }
  if (![...wantedHrefs.values()].some((to) => to !== undefined)) return asIs
  const all = findCandidates(body, wantedHrefs)
  const count = references.filter((reference) => wantedHrefs.get(toReferenceKey(reference)) !== undefined).length
  // Each link has its own place, except by reference. As many places as links: none is in code.
  const certain =
    all.length === count &&
    !all.some(({ start }) => /\]:\s*<?$/.test(body.slice(0, start).slice(-80))) &&
    !isMixed(references, wantedHrefs)
  const places = certain
    ? all.map((place) => ({
        ...place,
        to: wantedHrefs.get(`link ${place.href}`) ?? wantedHrefs.get(`image ${place.href}`),
      }))
    : await confirm(markdown, body, all, references, wantedHrefs)
  const rewrittenBody = replace(body, places, ({ to, href }, raw) => replacement(to ?? href, href, raw))
  if (rewrittenBody === body) return { ...asIs, left: allLeft(references, wantedHrefs) }
  const after = await markdown.analyse(rewrittenBody)
  const checkedBody = compare(references, listReferences(after), wantedHrefs)
  return checkedBody
    ? { body: rewrittenBody, facts: after, ...checkedBody }
    : { ...asIs, left: allLeft(references, wantedHrefs) }
}

function listReferences({ links, images }: Pick<AnalysedPage, 'links' | 'images'>): Reference[] {
  return [
    ...links.map((link) => ({ ...link, by: 'link' as const })),
    ...images.map((image) => ({ ...image, by: 'image' as const })),
  ]
}

/** New texts of targets by `toReferenceKey`; undefined if no text refers to the target. */
type Wanted = ReadonlyMap<string, string | undefined>

function toReferenceKey({ by, href }: Pick<Reference, 'by' | 'href'>): string {
  return `${by} ${href}`
}

/** The new text of each target that changes. */
function wantedTargets(references: readonly Reference[], at: Rewriting): Wanted {
  const wantedHrefs = new Map<string, string | undefined>()
  for (const { href, by } of references) {
    const target = wantedHrefs.has(toReferenceKey({ by, href })) ? undefined : meaningAfter(href, by, at)
    if (target && !refersTo(href, by, at.to, target)) {
      const isHidden = at.hides?.(target)
      wantedHrefs.set(toReferenceKey({ by, href }), isHidden ? undefined : hrefTo(target, href, by, at.to))
    }
  }
  return wantedHrefs
}

/** Whether a target that changes is written for links as well as for images. */
function isMixed(references: readonly Reference[], wantedHrefs: Wanted): boolean {
  const links = new Set(references.flatMap(({ by, href }) => (by === 'link' ? [href] : [])))
  return references.some(
    ({ by, href }) =>
      by === 'image' && links.has(href) && (wantedHrefs.has(`link ${href}`) || wantedHrefs.has(`image ${href}`)),
  )
}

/** What a target should refer to in the new body. What may be a page or a file is a file if one has its address. */
function meaningAfter(href: string, by: Reference['by'], at: Rewriting): Meaning | undefined {
  const page = by === 'link' ? resolve(href, at.from) : undefined
  const target = page && at.target(page)
  if (page && target && !isSame(page, target)) return { ...target, kind: 'page' }
  const file = resolveFileTarget(href, at.from, by)
  const fileMeaning = file && at.file?.({ space: file.space, path: file.path })
  if (fileMeaning) return { ...fileMeaning, kind: 'file' }
  if (target) return { ...target, kind: 'page' }
  // What cannot be a page is a file, also where none is there.
  return file && { space: file.space, path: file.path, kind: 'file' }
}

function isSame(one: PageAddress, other: PageAddress): boolean {
  return one.space === other.space && one.path === other.path
}

function refersTo(href: string, by: Reference['by'], from: LinkSource, target: Meaning): boolean {
  const address = target.kind === 'page' ? resolve(href, from) : resolveFileTarget(href, from, by)
  return address !== undefined && isSame(address, target)
}

/** The target in the form of `href`, if a link of that form can express it. */
function hrefTo(target: Meaning, href: string, by: Reference['by'], from: LinkSource): string | undefined {
  const raw = stripFragment(href)
  const tail = href.slice(raw.length)
  const isPage = target.kind === 'page'
  const toUrl = !isPage ? fileUrl : raw.trimEnd().endsWith('.md') ? pageMarkdownUrl : pageUrl
  const absolute = plain(toUrl(target.space, target.path))
  const origin = /^\s*(?:[a-z][a-z0-9+.-]*:)?\/\/[^/?#\\]*/i.exec(raw)?.[0]
  const forms =
    origin !== undefined
      ? [origin + absolute]
      : raw.startsWith('/')
        ? [absolute]
        : relativeForms(target, raw, from, absolute)
  return forms.map((form) => form + tail).find((form) => refersTo(form, by, from, target))
}

function relativeForms(target: Meaning, raw: string, from: LinkSource, absolute: string): string[] {
  if (target.space !== from.space) return [absolute]
  const isPage = target.kind === 'page'
  const folder = from.path.split('/').slice(0, -1)
  const segments = target.path.split('/')
  let common = 0
  while (common < folder.length && common < segments.length - 1 && folder[common] === segments[common]) common++
  const up = '../'.repeat(folder.length - common)
  const keepsLetters = /[^\0-\x7f]/.test(raw)
  const encode = (segment: string) => (keepsLetters ? encodeAscii(segment) : plain(encodeURIComponent(segment)))
  const down = segments.slice(common).map(encode).join('/') + (isPage && raw.trimEnd().endsWith('.md') ? '.md' : '')
  const bare = up === '' && !/^\s*\.\.?\//.test(raw)
  return [
    bare ? down : up === '' ? `./${down}` : up + down,
    `${up === '' ? './' : up}${down}`,
    ...(isPage ? [`${up === '' ? './' : up}${down}.md`] : []),
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

function stripFragment(href: string): string {
  return href.replace(/[?#].*$/s, '')
}

/** Every place where a target is written as it could be in a link, escaped or not. */
function findCandidates(body: string, wantedHrefs: Wanted): Candidate[] {
  const keys = [...wantedHrefs].flatMap(([key, to]) => (to === undefined ? [] : [key]))
  const hrefs = new Set(keys.map((key) => key.slice(key.indexOf(' ') + 1)))
  const candidates: Candidate[] = []
  for (let start = 0; start < body.length; start++) {
    if (start > 0 && !BEFORE.test(body[start - 1] ?? '')) continue
    for (const href of hrefs) {
      const end = writtenEnd(body, start, href)
      if (end !== undefined && !GOES_ON.test(characterAt(body, end))) candidates.push({ start, end, href })
    }
  }
  candidates.sort((a, b) => a.start - b.start || b.end - a.end)
  let end = -1
  return candidates.filter((candidate) => {
    if (candidate.start < end) return false
    end = candidate.end
    return true
  })
}

/** A target is not part of a longer word or path: which characters may precede it, and which may not follow. */
const BEFORE = /[\s(<"'=:>]/
const GOES_ON = /[\p{L}\p{N}/%_-]/u
const LITERAL = /[\p{L}\p{N}\s]/u

/** The end of the target that begins here, if any. By hand: compiling expressions would take longest. */
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

/** A place with the new text of its target. */
interface ConfirmedPlace extends Candidate {
  readonly to: string | undefined
}

/** The places that are targets of links and images: each is marked, and the parser returns the marks it sees there. */
async function confirm(
  markdown: Pick<MarkdownEngine, 'analyse'>,
  body: string,
  places: readonly Candidate[],
  references: readonly Reference[],
  wantedHrefs: Wanted,
): Promise<ConfirmedPlace[]> {
  let word = 'mark'
  while (body.includes(word)) word += 'x'
  const numbers = new Map(places.map((place, index) => [place, index]))
  const findMark = (place: Candidate) => {
    const origin = /^(?:[a-z]+:)?\/\/[^/]*/i.exec(place.href)?.[0] ?? '.'
    return `${origin}/${word}${numbers.get(place)}x`
  }
  const markedBody = replace(body, places, (place) => findMark(place))
  const foundReferences = listReferences(await markdown.analyse(markedBody))
  if (foundReferences.length !== references.length) return []
  const keys = new Map(
    foundReferences.map(({ href }, index) => [href, toReferenceKey(references[index] ?? { by: 'link', href })]),
  )
  return places.flatMap((place) => {
    const to = wantedHrefs.get(keys.get(findMark(place)) ?? '')
    return to === undefined ? [] : [{ ...place, to }]
  })
}

/** The query and the fragment stay as they are written. */
function replacement(to: string, href: string, raw: string): string {
  const tail = href.length - stripFragment(href).length
  const at = raw.search(/[?#]/)
  return to.slice(0, to.length - tail) + (tail === 0 || at === -1 ? '' : raw.slice(at))
}

function replace<Place extends Candidate>(
  body: string,
  places: readonly Place[],
  by: (place: Place, raw: string) => string,
): string {
  const pieces: string[] = []
  let copiedEnd = 0
  for (const place of places) {
    pieces.push(body.slice(copiedEnd, place.start), by(place, body.slice(place.start, place.end)))
    copiedEnd = place.end
  }
  return pieces.join('') + body.slice(copiedEnd)
}

/** Undefined if anything but the intended targets differs. */
function compare(
  before: readonly Reference[],
  after: readonly Reference[],
  wantedHrefs: Wanted,
): Pick<RewrittenBody, 'changed' | 'left'> | undefined {
  if (before.length !== after.length) return undefined
  const changedLinks: ChangedLink[] = []
  const leftLinks: { line: number; href: string }[] = []
  for (const [index, reference] of before.entries()) {
    const { href, line, text } = reference
    const now = after[index]
    // The text of a bare URL is the URL.
    if (now?.line !== line || (now.text !== text && text !== href)) return undefined
    if (now.href === href) {
      if (wantedHrefs.has(toReferenceKey(reference))) leftLinks.push({ line, href })
    } else if (now.href === wantedHrefs.get(toReferenceKey(reference)))
      changedLinks.push({ line, from: href, to: now.href })
    else return undefined
  }
  return { changed: changedLinks, left: leftLinks }
}

function listLeftLinks(references: readonly Reference[], wantedHrefs: Wanted) {
  return allLeft(
    references.filter((reference) => wantedHrefs.get(toReferenceKey(reference)) === undefined),
    wantedHrefs,
  )
}

function allLeft(references: readonly Reference[], wantedHrefs: Wanted) {
  return references
    .filter((reference) => wantedHrefs.has(toReferenceKey(reference)))
    .map(({ line, href }) => ({ line, href }))
}
