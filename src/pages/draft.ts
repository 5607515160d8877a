import type { PrincipalKind } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { type PageLinks, pageLinks } from '../links/targets.ts'
import type { Operation } from '../metadata/patch.ts'
import { type IndexedText, indexedText } from '../search/index-text.ts'
import { type PackedRevision, packHistory } from './pack-history.ts'
import { pageTitle } from './title.ts'

/** A revision of a page that is to be made; who and when, where it is not the caller now. */
export interface NewRevision {
  readonly body: Buffer
  readonly note?: string
  readonly authorId?: string
  /** Who wrote it, where that is to be looked up in the transaction. */
  readonly author?: { readonly name: string; readonly kind: PrincipalKind }
  readonly at?: Date
  /** The version whose body this is. */
  readonly restoredFrom?: number
}

/** A page that is to be made with its revisions, the oldest first. */
export interface NewPage {
  readonly path: string
  readonly revisions: readonly [NewRevision, ...NewRevision[]]
  /** The number of the first revision, where the address allows it. */
  readonly firstVersion?: number
  /** Operations that were checked to fit a page. */
  readonly metadata?: readonly Operation[]
}

export interface RevisionDraft extends Omit<NewRevision, 'body'>, PackedRevision {
  readonly id: string
  readonly title: string
  readonly size: number
}

/** A page with everything that is worked out of its bodies, ready to be written. */
export interface PageDraft {
  readonly path: string
  readonly firstVersion: number
  readonly revisions: readonly RevisionDraft[]
  /** Index of the last revision that is held whole. */
  readonly keyframe: number
  readonly head: Buffer | undefined
  readonly latest: RevisionDraft
  readonly frontmatter: string
  readonly links: PageLinks
  readonly text: IndexedText
  readonly metadata: readonly Operation[]
}

/**
 * Reads and packs the bodies of a page, outside any transaction. `space` is the slug that its links name its space by.
 * Revision ids are made here, once.
 */
export async function draftPage(ctx: Ctx, space: string, page: NewPage): Promise<PageDraft> {
  const bodies = page.revisions.map(({ body }) => body)
  const packed = await packHistory(bodies)
  const facts = await Promise.all(bodies.map((body) => ctx.markdown.analyse(body.toString('utf8'))))
  const revisions = page.revisions.map(({ body, ...revision }, index): RevisionDraft => {
    const stored = packed.revisions[index]
    if (!stored) throw new RangeError('every revision was packed')
    return {
      ...revision,
      ...stored,
      id: uuid7(),
      title: pageTitle(facts[index]?.title, page.path),
      size: body.length,
    }
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
    frontmatter: JSON.stringify(facts.at(-1)?.frontmatter ?? {}),
    links: pageLinks(facts.at(-1)?.links ?? [], { space, path: page.path, publicOrigin: ctx.publicUrl }),
    text: await indexedText(latest.title, (bodies.at(-1) ?? Buffer.alloc(0)).toString('utf8')),
    metadata: page.metadata ?? [],
  }
}
