import type { Language } from '../lib/languages.ts'
import type { LinkSource } from '../links/resolve.ts'
import { type PageLinks, pageLinks } from '../links/targets.ts'
import type { PageFacts } from '../markdown/analyse.ts'
import { pageTitle } from '../markdown/page-title.ts'
import { type IndexedMetadata, type IndexedText, indexedText } from '../search/index-text.ts'
import { type PackedHistory, packHistory } from './pack-history.ts'

/** Extracts title, links and front matter of a body. */
export type Analyse = (body: string) => Promise<PageFacts>

/** The bodies of a page to be created, oldest first. */
export interface PageToDerive {
  readonly from: LinkSource
  readonly bodies: readonly string[]
  /** That of the space. */
  readonly language: Language
  /** The metadata that the page is created with. */
  readonly metadata: IndexedMetadata | undefined
}

/** The stored bodies of a page with what is derived from them, oldest first. */
export interface DerivedPageData {
  readonly packed: PackedHistory
  readonly titles: readonly string[]
  /** Bytes of each body. */
  readonly sizes: readonly number[]
  readonly frontmatter: string
  readonly links: PageLinks
  readonly text: IndexedText
}

/** Derives everything that is stored beside the bodies of a page, on the main thread as well as in workers. */
export async function derivePageData(
  analyse: Analyse,
  { from, bodies, language, metadata }: PageToDerive,
): Promise<DerivedPageData> {
  const bytes = bodies.map((body) => Buffer.from(body))
  const packed = await packHistory(bytes)
  const facts = await Promise.all(bodies.map(analyse))
  const titles = facts.map(({ title }) => pageTitle(title, from.path))
  const latest = facts.at(-1)
  const text = { path: from.path, title: titles.at(-1) ?? '', body: bodies.at(-1) ?? '', language, metadata }
  return {
    packed,
    titles,
    sizes: bytes.map(({ length }) => length),
    frontmatter: JSON.stringify(latest?.frontmatter ?? {}),
    links: await pageLinks(latest ?? { links: [], images: [] }, from),
    text: await indexedText({ ...text, facts: latest ?? { frontmatter: {}, headings: [] } }),
  }
}
