import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Language } from '@recto/lib/languages.ts'
import type { PrincipalKind } from '../../../access/caller.ts'
import type { PageLinks } from '../../links/targets.ts'
import type { Operation } from '../../metadata/patch.ts'
import { firstMetadata, type IndexedText } from '../../search/index-text.ts'
import type { BulkCtx } from '../ctx.ts'
import { toBuffer } from '../writing/buffers.ts'
import { deriveBody } from '../writing/derive-body.ts'
import { runInBulk } from './bulk.ts'
import * as derived from './derive-page-data.ts'
import type { PackedRevision } from './pack-history.ts'

/** A revision of a page to be created; author and time if they are not the caller and now. */
export interface NewRevision {
  readonly body: string
  readonly note?: string | undefined
  readonly authorId?: string
  /** The author, if it is to be looked up in the transaction, and the app by which they wrote. */
  readonly author?: { readonly name: string; readonly kind: PrincipalKind; readonly via?: string | undefined }
  /** The connection of that app. */
  readonly via?: string | null
  readonly at?: Date
  /** The version with the same body. */
  readonly restoredFrom?: number
}

/** A page to be created with its revisions, oldest first. */
export interface NewPage {
  readonly path: string
  readonly revisions: readonly [NewRevision, ...NewRevision[]]
  /** The number of the first revision, if the address allows it. */
  readonly firstVersion?: number
  /** Operations that were checked against the limits of a page. */
  readonly metadata?: readonly Operation[]
}

interface RevisionDraft extends Omit<NewRevision, 'body'>, PackedRevision {
  readonly id: string
  readonly title: string
  readonly size: number
}

/** A page with everything that is derived from its bodies, ready to be written. */
export interface PageDraft {
  readonly path: string
  readonly firstVersion: number
  readonly revisions: readonly RevisionDraft[]
  /** Index of the last revision that is stored in full. */
  readonly keyframe: number
  readonly head: Buffer | undefined
  readonly latest: RevisionDraft
  readonly frontmatter: string
  readonly links: PageLinks
  readonly text: IndexedText
  readonly metadata: readonly Operation[]
}

/**
 * Derives and packs the data of pages, in a worker and outside any transaction; in their order. The slug of the
 * space is the one by which their links name it. Revision ids are generated here, once.
 */
export async function draftPages(
  ctx: BulkCtx,
  space: { readonly slug: string; readonly language: Language },
  pages: readonly NewPage[],
): Promise<PageDraft[]> {
  const done = await deriveAll(
    ctx,
    pages.map(({ path, revisions, metadata }) => ({
      from: { space: space.slug, path, publicOrigin: ctx.config.publicUrl },
      language: space.language,
      metadata: metadata && firstMetadata(metadata),
      bodies: revisions.map(({ body }) => body),
    })),
  )
  return pages.map((page, index) => {
    const derivedPage = done[index]
    if (!derivedPage) throw new RangeError('a page has no derived data')
    return toDraft(page, derivedPage)
  })
}

function toDraft(
  page: NewPage,
  { packed, titles, sizes, frontmatter, links, text }: derived.DerivedPageData,
): PageDraft {
  const revisions = page.revisions.map(({ body: _, ...revision }, index): RevisionDraft => {
    const packedRevision = packed.revisions[index]
    const title = titles[index]
    if (!packedRevision || title === undefined) throw new RangeError('every revision was packed')
    return { ...revision, ...packedRevision, id: uuid7(), title, size: sizes[index] ?? 0 }
  })
  const latest = revisions.at(-1)
  if (!latest) throw new RangeError('a page has a revision')
  return {
    path: page.path,
    firstVersion: page.firstVersion ?? 1,
    revisions,
    keyframe: packed.keyframe,
    head: packed.head,
    latest,
    frontmatter,
    links,
    text,
    metadata: page.metadata ?? [],
  }
}

/** Derives the data of pages in a worker, so that the main thread stays free; in the order of `pages`. */
async function deriveAll(
  ctx: Pick<BulkCtx, 'pages'>,
  pages: readonly derived.PageToDerive[],
): Promise<derived.DerivedPageData[]> {
  const derivedData = await runInBulk(ctx.pages.bulk, { kind: 'derive', items: pages }, ({ bodies }) =>
    bodies.reduce((sum, body) => sum + body.length, 0),
  )
  const { markdown } = ctx.pages
  const parser: derived.BodyParser = {
    analyse: (body) => markdown.analyse(body),
    derive: (page) => deriveBody(markdown, page),
  }
  const derivedPages: derived.DerivedPageData[] = []
  for (const [index, page] of pages.entries()) {
    const fromWorker = derivedData[index]
    // An expensive page is parsed like a single write: within its own limit of processor time.
    derivedPages.push(
      fromWorker ? derived.convertPageData(fromWorker, toBuffer) : await derived.derivePageData(parser, page),
    )
  }
  return derivedPages
}
