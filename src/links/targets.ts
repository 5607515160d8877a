import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { PageFacts } from '../markdown/page.ts'
import { type LinkSource, type LinkTarget, resolveFileTarget, resolveTarget } from './resolve.ts'

/** One of the links of a page: its position among those to pages, its line and its text. */
interface LinkOccurrence {
  readonly ord: number
  readonly line: number
  readonly text: string
}

/** An address that a page links to, with all positions of these links. */
export interface GroupedTarget extends LinkTarget {
  readonly places: readonly [LinkOccurrence, ...LinkOccurrence[]]
}

/** An address of a file that a page refers to by images or links, with the first of these places. */
export interface FileReference extends LinkTarget, LinkOccurrence {
  /** Whether one of them is a link that refers to a page if there is one at the address. */
  readonly maybePage: boolean
  /** Whether one of them can only refer to a file. */
  readonly surelyFile: boolean
}

/** The links of a page, with a digest that identifies an unchanged set; absent if there are none. */
export interface PageLinks {
  readonly targets: readonly GroupedTarget[]
  readonly files: readonly FileReference[]
  readonly digest: Buffer | undefined
}

/** Yields to the event loop after this many links and images, which take a few milliseconds. */
const REFERENCES_A_TURN = 2_000

/** The links of a body to pages and files: equal ones are one target. It yields to the event loop in between. */
export async function pageLinks(
  facts: Pick<PageFacts, 'links' | 'images'>,
  from: LinkSource,
): Promise<PageLinks> {
  const targets = new Map<string, OpenTarget>()
  const files = new Map<string, FileReference>()
  let ord = 0
  for (const [index, { by, href, line, text }] of referencesOf(facts).entries()) {
    if (index % REFERENCES_A_TURN === REFERENCES_A_TURN - 1) await turn()
    const page = by === 'link' ? resolveTarget(href, from) : undefined
    const file = resolveFileTarget(href, from, by)
    if (!page && !file) continue
    const place = { ord: ord++, line, text }
    if (page) addPage(targets, page, place)
    if (file) addFile(files, { ...file, ...place, maybePage: page !== undefined, surelyFile: !page })
  }
  const found = { targets: [...targets.values()], files: [...files.values()] }
  return { ...found, digest: ord === 0 ? undefined : digestOf(found) }
}

/** Links and images by line. Footnotes are rendered at the end, but count at the place where they are written. */
function referencesOf({ links, images }: Pick<PageFacts, 'links' | 'images'>) {
  const all = [
    ...links.map((link) => ({ ...link, by: 'link' as const })),
    ...images.map((image) => ({ ...image, by: 'image' as const })),
  ]
  return all.sort((a, b) => a.line - b.line)
}

/** A target to which places are added. */
type OpenTarget = LinkTarget & { readonly places: [LinkOccurrence, ...LinkOccurrence[]] }

function addPage(targets: Map<string, OpenTarget>, page: LinkTarget, place: LinkOccurrence): void {
  const key = `${page.slug}/${page.path}`
  const known = targets.get(key)
  if (known) known.places.push(place)
  else targets.set(key, { ...page, places: [place] })
}

function addFile(files: Map<string, FileReference>, file: FileReference): void {
  const key = `${file.slug}/${file.path}`
  const { maybePage, surelyFile, ...first } = files.get(key) ?? file
  files.set(key, {
    ...first,
    maybePage: maybePage || file.maybePage,
    surelyFile: surelyFile || file.surelyFile,
  })
}

function digestOf({ targets, files }: Omit<PageLinks, 'digest'>): Buffer {
  // Without the slug of its own space: that changes without a write of the page.
  const pages = targets.map(({ slug, path, places }) => [slug, path, places])
  // The digests that were stored of pages without files stay valid.
  const written =
    files.length === 0 ? pages : [pages, files.map(({ space: _, ...file }) => Object.values(file))]
  return createHash('sha256').update(JSON.stringify(written)).digest().subarray(0, 16)
}
