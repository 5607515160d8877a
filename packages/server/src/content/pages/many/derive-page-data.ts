import type { Language } from '@recto/lib/languages.ts'
import { type AnalysedPage, pageTitle } from '@recto/markdown/analyse.ts'
import type { LinkSource } from '../../links/resolve.ts'
import type { PageLinks } from '../../links/targets.ts'
import type { IndexedMetadata, IndexedText } from '../../search/index-text.ts'
import { type Convert, convertLinks } from '../writing/buffers.ts'
import type { BodyData, BodyToDerive } from '../writing/derive-body.ts'
import { type PackedHistory, packHistory } from './pack-history.ts'

/** Extracts title, links and front matter of a body. */
export type Analyse = (body: string) => Promise<AnalysedPage>

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

/** How bodies are parsed: in this thread, or by the engine. */
export interface BodyParser {
  readonly analyse: Analyse
  derive(page: BodyToDerive): Promise<BodyData>
}

/** Derives everything that is stored with the bodies of a page, on the main thread as well as in workers. */
export async function derivePageData(
  { analyse, derive }: BodyParser,
  { from, bodies, language, metadata }: PageToDerive,
): Promise<DerivedPageData> {
  const bytes = bodies.map((body) => Buffer.from(body))
  const packedHistory = await packHistory(bytes)
  const earlier = await Promise.all(bodies.slice(0, -1).map(analyse))
  const latest = await derive({ from, body: bodies.at(-1) ?? '', language, metadata })
  return {
    packed: packedHistory,
    titles: [...earlier.map(({ title }) => pageTitle(title, from.path)), latest.title],
    sizes: bytes.map(({ length }) => length),
    frontmatter: latest.frontmatter,
    links: latest.links,
    text: latest.text,
  }
}

export function convertPageData(page: DerivedPageData, convert: Convert): DerivedPageData {
  const { packed, links } = page
  return {
    ...page,
    packed: {
      ...packed,
      revisions: packed.revisions.map((revision) => ({ ...revision, data: convert(revision.data) })),
      head: packed.head && convert(packed.head),
    },
    links: convertLinks(links, convert),
  }
}
