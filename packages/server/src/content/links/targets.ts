import { createHash, type Hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { PageFacts } from '@recto/markdown/page.ts'
import { type FileTarget, type LinkSource, type LinkTarget, resolveFileTarget, resolveTarget } from './resolve.ts'

/** One of the links of a page: its position among those to pages, its line and its text. */
interface LinkOccurrence {
  readonly ord: number
  readonly line: number
  readonly text: string
}

/** An address that a page links to, with all positions of these links. */
interface GroupedTarget extends LinkTarget {
  readonly places: readonly [LinkOccurrence, ...LinkOccurrence[]]
}

/**
 * An address of a file that a page refers to by images or links, with the first of these places. If neither member is
 * true, all are links that refer to the file only if there is one.
 */
interface FileReference extends LinkTarget, LinkOccurrence {
  /** Whether one of them is a link that refers to a page if there is one at the address. */
  readonly maybePage: boolean
  /** Whether one of them can only refer to a file, and is broken without it. */
  readonly surelyFile: boolean
}

/** The links of a page as they are stored: rows are JSON texts, which no thread has to look at one by one. */
export interface PageLinks {
  readonly count: number
  /** The addresses of the targets: the members of a JSON object on each line. */
  readonly addresses: string
  /** The same of the rows of the targets, and of those of files, without their page. */
  readonly targets: string
  readonly files: string
  /** The ids of the people to whom links lead. */
  readonly mentions: readonly string[]
  /** Identifies an unchanged set; absent if there are none. */
  readonly digest: Buffer | undefined
}

/** Yields to the event loop after this many links and images, which take a few milliseconds. */
const REFERENCES_A_TURN = 2_000

/** The rows of `targets` or `files` as a JSON array. */
export function toRows(lines: string): string {
  return lines === '' ? '[]' : `[{${lines.replaceAll('\n', '},{')}}]`
}

/** The addresses of pages that a body links to, each once. It yields to the event loop in between. */
export async function linkedPages(
  facts: Pick<PageFacts, 'links' | 'images'>,
  from: LinkSource,
): Promise<readonly LinkTarget[]> {
  return (await findTargets(facts, from)).targets
}

/** The links of a body to pages and files: equal ones are one target. It yields to the event loop in between. */
export async function pageLinks(facts: Pick<PageFacts, 'links' | 'images'>, from: LinkSource): Promise<PageLinks> {
  const { targets, files } = await findTargets(facts, from)
  return {
    count: targets.length,
    addresses: await formatLines(targets, ({ slug, path }) => ({ slug, path })),
    targets: await formatLines(targets, targetRow),
    files: await formatLines(files, fileRow),
    mentions: listMentions(facts.links, from.publicOrigin),
    digest: await digestTargets(targets, files),
  }
}

async function findTargets(facts: Pick<PageFacts, 'links' | 'images'>, from: LinkSource) {
  const targets = new Map<string, OpenTarget>()
  const files = new Map<string, FileReference>()
  // Pages link to the same addresses again and again.
  const resolvedTargets = { link: new Map<string, Resolved>(), image: new Map<string, Resolved>() }
  let ord = 0
  for (const [index, { by, href, line, text }] of listReferences(facts).entries()) {
    if (isTurn(index)) await turn()
    const resolvedTarget = resolvedTargets[by].get(href) ?? resolveBoth(href, from, by)
    resolvedTargets[by].set(href, resolvedTarget)
    const { page, file } = resolvedTarget
    if (!page && !file) continue
    const place = { ord: ord++, line, text }
    if (page) addPage(targets, page, place)
    // A link that means a page is stored as such: whether there is a file instead is looked up by its address.
    if (!file || (page && file.optional)) continue
    const { optional, ...address } = file
    addFile(files, { ...address, ...place, maybePage: page !== undefined, surelyFile: !page && !optional })
  }
  return { targets: [...targets.values()], files: [...files.values()] }
}

/** What a link or an image may refer to. */
interface Resolved {
  readonly page: LinkTarget | undefined
  readonly file: FileTarget | undefined
}

function resolveBoth(href: string, from: LinkSource, by: 'link' | 'image'): Resolved {
  const page = by === 'link' ? resolveTarget(href, from) : undefined
  return { page, file: resolveFileTarget(href, from, by) }
}

function isTurn(index: number): boolean {
  return index % REFERENCES_A_TURN === REFERENCES_A_TURN - 1
}

/** Links and images in the order of the body. Footnotes count where they are written. */
function listReferences({ links, images }: Pick<PageFacts, 'links' | 'images'>) {
  const all = [
    ...links.map((link, index) => ({ ...link, by: 'link' as const, at: index })),
    ...images.map((image) => ({ ...image, by: 'image' as const, at: image.linksBefore - 0.5 })),
  ]
  return all.sort((a, b) => a.line - b.line || a.at - b.at)
}

/** A target to which places are added. */
type OpenTarget = LinkTarget & { readonly places: [LinkOccurrence, ...LinkOccurrence[]] }

function addPage(targets: Map<string, OpenTarget>, page: LinkTarget, place: LinkOccurrence): void {
  const key = `${page.slug}/${page.path}`
  const openTarget = targets.get(key)
  if (openTarget) openTarget.places.push(place)
  else targets.set(key, { ...page, places: [place] })
}

function addFile(files: Map<string, FileReference>, file: FileReference): void {
  const key = `${file.slug}/${file.path}`
  const { maybePage, surelyFile, ...first } = files.get(key) ?? file
  files.set(key, { ...first, maybePage: maybePage || file.maybePage, surelyFile: surelyFile || file.surelyFile })
}

function targetRow({ slug, path, places }: GroupedTarget) {
  const [first, ...more] = places
  return { slug, path, ...first, more: more.length === 0 ? null : more.map(({ ord, line, text }) => [ord, line, text]) }
}

function fileRow({ maybePage, surelyFile, space: _, ...written }: FileReference) {
  return { ...written, maybe_page: maybePage, surely_file: surelyFile }
}

/** The members of each row on a line: JSON has no line break in a text. */
async function formatLines<Item>(items: readonly Item[], rowOf: (item: Item) => object): Promise<string> {
  const lines: string[] = []
  for (const [index, item] of items.entries()) {
    if (isTurn(index)) await turn()
    lines.push(JSON.stringify(rowOf(item)).slice(1, -1))
  }
  return lines.join('\n')
}

async function digestTargets(
  targets: readonly GroupedTarget[],
  files: readonly FileReference[],
): Promise<Buffer | undefined> {
  if (targets.length === 0 && files.length === 0) return undefined
  const hash = createHash('sha256')
  // The digests that were stored of pages without files stay valid.
  if (files.length > 0) hash.update('[')
  // Without the slug of its own space: that changes without a write of the page.
  await updateList(hash, targets, ({ slug, path, places }) => [slug, path, places])
  if (files.length > 0) {
    hash.update(',')
    await updateList(hash, files, ({ space: _, ...file }) => Object.values(file))
    hash.update(']')
  }
  return hash.digest().subarray(0, 16)
}

/** Hashes a list as JSON. */
async function updateList<Item>(hash: Hash, items: readonly Item[], toJson: (item: Item) => unknown) {
  for (const [index, item] of items.entries()) {
    if (isTurn(index)) await turn()
    hash.update(`${index === 0 ? '[' : ','}${JSON.stringify(toJson(item))}`)
  }
  hash.update(items.length === 0 ? '[]' : ']')
}

const MAX_MENTIONS = 50
const PERSON = /^\/people\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** The ids in the links to people of a text (`/people/<id>`), each once. */
export function listMentions(links: readonly { readonly href: string }[], publicOrigin: string): string[] {
  const ids = links.flatMap(({ href }) => {
    const path = href.startsWith(publicOrigin) ? href.slice(publicOrigin.length) : href
    return PERSON.exec(path)?.[1] ?? []
  })
  return [...new Set(ids)].slice(0, MAX_MENTIONS)
}
