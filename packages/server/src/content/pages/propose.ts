import type { PageAddress } from '@recto/contract/page-address.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { authorColumns } from '../../access/authors.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { type ProposalReference, toProposal } from '../../access/overlay.ts'
import { checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { checkRounds, saveDraft, toDraftTarget } from '../../access/save-draft.ts'
import type { DraftIndex } from '../../access/store-drafts.ts'
import { binaryArray } from '../../platform/database/binary-array.ts'
import { unlessOvertaken } from '../../platform/database/transaction.ts'
import { toRows } from '../links/targets.ts'
import { toDraftMetadata } from '../metadata/drafts.ts'
import type { PagesCtx } from './ctx.ts'
import { findPage, type LocatedPage } from './find.ts'
import { toPage } from './page.ts'
import type { CheckedWrite, Draft, WrittenPage } from './page-write.ts'
import type { WriterRow } from './store.ts'
import { type BodyData, deriveBody } from './writing/derive-body.ts'
import { packAfter } from './writing/pack.ts'

/** Keeps a write of a page as a draft of the change request; undefined where the draft was changed meanwhile. */
export async function proposePage(
  ctx: OverlaidCtx<PagesCtx>,
  input: CheckedWrite,
  target: WriterRow,
  { revisionId, title, frontmatter, now, ...derivedData }: Draft,
): Promise<WrittenPage | undefined> {
  const { data } = await packAfter(input.body, undefined)
  const body = { revision_id: revisionId, body: data, title, frontmatter, note: input.note ?? null }
  const index = toDraftIndex(derivedData)
  const metadata = input.metadata?.length ? toDraftMetadata(target.draft, input.metadata, {}) : undefined
  const draftTarget = toDraftTarget(target, input.path)
  const created = target.page_id === null
  return unlessOvertaken(ctx, async (tx) => {
    const savedDraft = await saveDraft(tx, draftTarget, { body: { ...body, index }, ...(metadata && { metadata }) })
    const authors = authorColumns(ctx.actor, created ? undefined : target)
    const pagePath = created ? null : (target.draft?.page_path ?? input.path)
    const draft = { page_id: draftTarget.pageId, page_path: pagePath, ...body, ...authors, ...savedDraft }
    const row = {
      ...target,
      ...body,
      ...authors,
      path: input.path,
      draft,
      updated_at: now,
      ...(created && { created_at: now }),
    }
    const page = { ...toPage(row, target.space_slug, ctx.config.publicUrl), ...toProposal(ctx, savedDraft.number) }
    const writtenPage = { page, created }
    await tx.saveIdempotentResult(writtenPage)
    return writtenPage
  })
}

function toDraftIndex({ links, text }: Pick<BodyData, 'links' | 'text'>): DraftIndex {
  const words = binaryArray('tsvector', [text.title, text.all])
  return { links: toRows(links.targets), fileLinks: toRows(links.files), words }
}

/** What is looked up of a page that the request creates, at another path; undefined for other pages. */
export async function indexAt(
  ctx: PagesCtx,
  { draft, ...row }: LocatedPage,
  path: string,
): Promise<DraftIndex | undefined> {
  if (!draft || draft.page_id !== null || draft.body === null) return undefined
  const derivedData = await deriveBody(ctx.pages.markdown, {
    from: { space: row.space_slug, path, publicOrigin: ctx.config.publicUrl },
    body: (await unpackBody(draft.body)).toString('utf8'),
    language: row.space_language,
    metadata: undefined,
    ...(draft.title !== null && { title: draft.title }),
  })
  return toDraftIndex(derivedData)
}

/** Keeps the deletion of a page as a draft of the change request. */
export async function proposeDeletion(
  ctx: OverlaidCtx<PagesCtx>,
  { preconditions, ...address }: PageAddress & { readonly preconditions: Preconditions },
): Promise<{ readonly changeRequest: ProposalReference }> {
  for (let round = 1; ; round++) {
    const page = await findPage(ctx, address, 'viewer')
    checkPreconditions(page.current, { ...preconditions, ifNoneMatch: undefined, required: true })
    const savedDraft = await unlessOvertaken(ctx, (tx) =>
      saveDraft(tx, toDraftTarget(page, address.path), { isDeleted: true }),
    )
    if (savedDraft) return toProposal(ctx, savedDraft.number)
    checkRounds(round)
  }
}
