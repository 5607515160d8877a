import type { Ctx } from '../access/ctx.ts'
import { createPages } from '../bulk/create-many.ts'
import { draftPages, type PageDraft } from '../bulk/draft.ts'
import { withLongStatements } from '../database/limits.ts'
import { inTransaction } from '../database/transaction.ts'
import { DEFAULT_LANGUAGE } from '../lib/languages.ts'
import { checkInitial } from '../metadata/metadata.ts'
import { parseInitial } from '../metadata/parse-patch.ts'
import type { Operation } from '../metadata/patch.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import type { CreateSpace, Space } from '../spaces/schema.ts'
import { withSlugConflictsAudited } from '../spaces/slug-conflicts.ts'
import { addSpace, checkNewSpace, readSpace } from '../spaces/space.ts'
import { createFiles } from './create-files.ts'
import { itemOf, readSpaceTemplate } from './gallery.ts'
import { pagesOfCopy } from './own-links.ts'
import type { TemplateItem, TemplatePage, TemplateSource } from './space-template.ts'

export interface SpaceFromTemplate {
  readonly source: TemplateSource
  readonly id: string
  readonly space: CreateSpace
}

export interface CreatedSpace {
  readonly space: Space
  readonly template: TemplateItem
  readonly pagesCreated: number
  readonly filesCreated: number
}

/** Pages inserted by one set of statements. */
const BATCH = 200

/**
 * Creates a space with all pages and files of a template, in one transaction. Name, description and language default to
 * those of the template.
 */
export async function createSpaceFromTemplate(
  ctx: PagesCtx,
  input: SpaceFromTemplate,
): Promise<CreatedSpace> {
  checkNewSpace(ctx, input.space.slug)
  const template = await readSpaceTemplate(ctx, input.source, input.id)
  const space: CreateSpace = { ...template.space, ...input.space }
  const batches = await draftBatches(ctx, space, await pagesOfCopy(ctx, template, space.slug))
  const now = ctx.now()
  const create = () =>
    inTransaction(ctx, async (tx) => {
      const spaceId = await addSpace(tx, space, now)
      // Committed by an earlier run, whose connection was lost before the response.
      if (spaceId === undefined) return
      const to = { spaceId, space: space.slug, now }
      await createFiles(tx, template, to)
      for (const drafts of batches) await createPages(tx, to, drafts)
    })
  await withSlugConflictsAudited(ctx, space.slug, () => withLongStatements(create))
  return {
    space: await readSpace(ctx, space.slug),
    template: itemOf(template),
    pagesCreated: template.pages.length,
    filesCreated: template.files.length,
  }
}

/** CPU-bound work is done before the transaction starts. */
async function draftBatches(
  ctx: PagesCtx,
  { slug, language = DEFAULT_LANGUAGE }: CreateSpace,
  pages: readonly TemplatePage[],
): Promise<PageDraft[][]> {
  const batches: PageDraft[][] = []
  for (let from = 0; from < pages.length; from += BATCH) {
    const batch = pages.slice(from, from + BATCH)
    batches.push(
      await draftPages(
        ctx,
        { slug, language },
        batch.map(({ path, body, metadata }) => ({
          path,
          revisions: [{ body }],
          ...(metadata && { metadata: checkedMetadata(ctx, metadata) }),
        })),
      ),
    )
  }
  return batches
}

function checkedMetadata(ctx: Ctx, metadata: Readonly<Record<string, unknown>>): readonly Operation[] {
  const operations = parseInitial(metadata, '/metadata')
  checkInitial(ctx, operations)
  return operations
}
