import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { findMaximum } from '@recto/lib/extremes.ts'
import { authorColumns } from '../../access/authors.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { toProposal } from '../../access/overlay.ts'
import { saveDraft, toDraftTarget } from '../../access/save-draft.ts'
import type { DraftIndex } from '../../access/store-drafts.ts'
import { unlessOvertaken } from '../../platform/database/transaction.ts'
import { binaryArray } from '../../platform/database/values.ts'
import { toRows } from '../links/targets.ts'
import { toDraftMetadata } from '../metadata/drafts.ts'
import { firstMetadata } from '../search/index-text.ts'
import type { PagesCtx } from './ctx.ts'
import type { LocatedPage } from './find.ts'
import { packAfter } from './pack-revision.ts'
import { toPage } from './page.ts'
import type { CheckedWrite, Draft, WritePage, WrittenPage } from './page-write.ts'
import type { WriterRow } from './store.ts'
import { deriveBody } from './writing/derive-body.ts'

/** Keeps a write of a page as a draft of the change request; undefined where the draft was changed meanwhile. */
export async function proposePage(
  ctx: OverlaidCtx<PagesCtx>,
  input: CheckedWrite,
  target: WriterRow,
  { revisionId, title, frontmatter, now, links, text }: Draft,
): Promise<WrittenPage | undefined> {
  const { data } = await packAfter(input.body, undefined)
  const body = { revision_id: revisionId, body: data, title, frontmatter, note: input.note ?? null }
  const index = toDraftIndex({ links, text })
  const metadata = input.metadata?.length ? toDraftMetadata(target.draft, input.metadata, {}) : undefined
  const draftTarget = { ...toDraftTarget(target, input.path), version: findBase(input, target) }
  const created = target.page_id === null
  return unlessOvertaken(ctx, async (tx) => {
    const savedDraft = await saveDraft(tx, draftTarget, {
      ...{ body, index, trashedVersion: input.trashedVersion },
      ...(metadata && { metadata }),
    })
    const authors = authorColumns(ctx.actor, created ? undefined : target)
    const pagePath = created ? null : (target.draft?.page_path ?? input.path)
    const draft = { page_id: draftTarget.id, page_path: pagePath, ...body, ...authors, ...savedDraft }
    const row = {
      ...target,
      ...body,
      ...authors,
      path: input.path,
      version: draftTarget.version,
      draft,
      updated_at: now,
      ...(created && { created_at: now }),
    }
    const page = { ...toPage(row, target.space_slug, ctx), ...toProposal(ctx, savedDraft.number) }
    const writtenPage = { page, created }
    await tx.saveIdempotentResult(writtenPage)
    return writtenPage
  })
}

/** Derives what is stored of a body. */
export async function makeDraft(
  ctx: PagesCtx,
  input: Pick<WritePage, 'path' | 'body' | 'metadata'>,
  target: WriterRow,
): Promise<Draft> {
  // The merge writes a page that the request moves where it is now, and then moves it with its links.
  const path = target.draft?.page_path ?? input.path
  const derivedData = await deriveBody(ctx.pages.markdown, {
    from: { space: target.space_slug, path, publicOrigin: ctx.config.publicUrl },
    body: input.body.toString('utf8'),
    language: target.space_language,
    metadata: input.metadata ? firstMetadata(input.metadata) : target.indexed_metadata,
  })
  return { ...derivedData, revisionId: uuid7(), now: ctx.now() }
}

/** What is looked up of the body of a draft, as it is stored. */
export function toDraftIndex({ links, text }: Pick<Draft, 'links' | 'text'>): DraftIndex {
  const texts = binaryArray('tsvector', [text.title, text.all])
  return { links: toRows(links.targets), fileLinks: toRows(links.files), texts }
}

/** The links of a page that the request creates, at another path; undefined for other pages. */
export async function indexAt(ctx: PagesCtx, row: LocatedPage, path: string): Promise<DraftIndex | undefined> {
  const { draft } = row
  if (draft?.page_id !== null || draft.body === null) return undefined
  return toDraftIndex(await makeDraft(ctx, { path, body: await unpackBody(draft.body) }, row))
}

/** The version that the text is based on: with the draft's tag, `If-Match` may name a later one of the page. */
function findBase({ preconditions: { ifMatch } }: CheckedWrite, { version, draft }: WriterRow): number {
  if (!draft || ifMatch === undefined || ifMatch === '*') return version
  return findMaximum([version, ...ifMatch.filter((tag) => typeof tag === 'number')])
}
