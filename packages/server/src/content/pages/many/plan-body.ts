import type { PageAddress } from '@recto/contract/page-address.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { Language } from '@recto/lib/languages.ts'
import { pageTitle } from '@recto/markdown/analyse.ts'
import { type LinkSource, resolve, resolveFileTarget } from '../../links/resolve.ts'
import { type ChangedLink, rewriteBody } from '../../links/rewrite.ts'
import { type PageLinks, pageLinks } from '../../links/targets.ts'
import { type IndexedMetadata, type IndexedText, indexedText } from '../../search/index-text.ts'
import { type PackedBody, packAfter } from '../pack-revision.ts'
import { toBuffer } from '../writing/buffers.ts'
import type { Analyse } from './derive-page-data.ts'
import { type HiddenPlaces, isHiddenFrom } from './hidden-places.ts'

/** A page that moves, or links to one that does, with its bodies packed in full. */
export interface BodyToMove {
  /** The current space of the page. */
  readonly spaceId: number
  readonly from: PageAddress
  readonly to: PageAddress
  readonly title: string
  /** The search language of its current space; after a move to one with another language pages are indexed again. */
  readonly language: Language
  readonly metadata: IndexedMetadata | null
  readonly data: Uint8Array
  /** Whether that is not its present body, and is stored also where no link follows. */
  readonly isNew: boolean
  /** The body that the next revision may be a delta to. */
  readonly keyframe: Uint8Array | undefined
}

/** The part that is the same for all pages of a move. */
export interface MoveMap {
  /** The new address of a link target, for a page in the space `spaceId`. */
  readonly target: (address: PageAddress, spaceId: number) => PageAddress
  /** The same for a file; undefined where no file is known. */
  readonly file: (address: PageAddress, spaceId: number) => PageAddress | undefined
  readonly rewrite: boolean
  /** The addresses that are not written into bodies whose readers cannot all read them. */
  readonly hidden: HiddenPlaces
  readonly publicOrigin: string
  readonly maxBodyBytes: number
}

/** The data of a page after the move, as derived from its body. */
export interface PlannedBody {
  readonly title: string
  readonly links: PageLinks
  /** Absent if it does not change. */
  readonly text: IndexedText | undefined
  readonly left: readonly {
    readonly line: number
    readonly href: string
    readonly reason: 'hidden' | 'not_found_in_source' | 'too_large'
  }[]
  /** The new body; absent if it does not change. */
  readonly rewrite:
    | {
        readonly packed: PackedBody
        readonly size: number
        readonly frontmatter: string
        readonly changed: readonly ChangedLink[]
      }
    | undefined
}

/** Derives the data of one page after the move. */
export async function planBody(analyse: Analyse, page: BodyToMove, terms: MoveMap): Promise<PlannedBody> {
  const { publicOrigin, maxBodyBytes } = terms
  const target = (address: PageAddress) => terms.target(address, page.spaceId)
  const file = (address: PageAddress) => terms.file(address, page.spaceId)
  const bytes = await unpackBody(toBuffer(page.data))
  const old = bytes.toString('utf8')
  const from: LinkSource = { ...page.from, publicOrigin }
  const to: LinkSource = { ...page.to, publicOrigin }
  const rewrittenBody = terms.rewrite
    ? await rewriteBody({ analyse }, old, {
        from,
        to,
        target,
        file,
        hides: (at) => isHiddenFrom(terms.hidden, page.to, at),
      })
    : { body: old, facts: await analyse(old), changed: [], left: [] }
  const fits = Buffer.byteLength(rewrittenBody.body) <= Math.max(maxBodyBytes, bytes.length)
  const body = fits ? rewrittenBody.body : old
  const rewrites = page.isNew || body !== old
  const facts = fits ? rewrittenBody.facts : await analyse(old)
  const { path } = page.to
  const { language, metadata } = page
  const title = pageTitle(facts.title, path)
  const indexes = rewrites || title !== page.title || path !== page.from.path
  return {
    title,
    links: await pageLinks(facts, to),
    text: indexes ? await indexedText({ path, title, facts, language, metadata }) : undefined,
    left: [
      ...rewrittenBody.left.map((link) => ({ ...link, reason: findRewriteReason(link.href, page, terms) })),
      ...(fits ? [] : rewrittenBody.changed.map(tooLarge)),
    ],
    rewrite: rewrites
      ? {
          packed: await packRewritten(body, page.keyframe),
          size: Buffer.byteLength(body),
          frontmatter: JSON.stringify(facts.frontmatter),
          changed: fits ? rewrittenBody.changed : [],
        }
      : undefined,
  }
}

function findRewriteReason(
  href: string,
  { spaceId, from, to: page }: BodyToMove,
  { target, file, hidden, publicOrigin }: MoveMap,
): 'hidden' | 'not_found_in_source' {
  const source = { ...from, publicOrigin }
  const address = resolve(href, source) ?? resolveFileTarget(href, source, 'link')
  const to = address && (file(address, spaceId) ?? target(address, spaceId))
  return to && isHiddenFrom(hidden, page, to) ? 'hidden' : 'not_found_in_source'
}

function tooLarge({ line, from }: ChangedLink) {
  return { line, href: from, reason: 'too_large' as const }
}

async function packRewritten(body: string, keyframe: BodyToMove['keyframe']): Promise<PackedBody> {
  return packAfter(Buffer.from(body), keyframe && (await unpackBody(toBuffer(keyframe))))
}
