import { setImmediate as turn } from 'node:timers/promises'
import { DEFAULT_LANGUAGE } from '@recto/lib/languages.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/connections/request-scope.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { fileEventData } from '../files/file.ts'
import { checkQuota } from '../files/quota.ts'
import { rewriteBody } from '../links/rewrite.ts'
import { checkInitial } from '../metadata/metadata.ts'
import { parseInitial } from '../metadata/parse-patch.ts'
import type { Operation } from '../metadata/patch.ts'
import type { BulkCtx, PagesCtx } from '../pages/ctx.ts'
import { createPages, type Destination } from '../pages/many/create-many.ts'
import { draftPages, type PageDraft } from '../pages/many/draft.ts'
import { START_PAGES } from '../pages/tree/order.ts'
import { putOrder } from '../pages/tree/store-children.ts'
import type { CreateSpace } from '../spaces/schema.ts'
import { withSlugConflictsAudited } from '../spaces/slug-conflicts.ts'
import { addSpace, checkNewSpace, readOwn } from '../spaces/space.ts'
import { readSpaceTemplate, toTemplateItem } from './gallery.ts'
import type { createdSpaceSchema } from './schema.ts'
import type { SpaceTemplate, TemplatePage, TemplateSource } from './space-template.ts'
import { insertFiles, lockTemplateFiles } from './store-template-files.ts'

export interface SpaceFromTemplate {
  readonly source: TemplateSource
  readonly id: string
  readonly space: CreateSpace
}

export type CreatedSpace = Static<typeof createdSpaceSchema>

/** Pages inserted by one set of statements. */
const BATCH = 200

/** Creates a space with all pages and files of a template, by default with its name, description and language. */
export async function createSpaceFromTemplate(ctx: PagesCtx, input: SpaceFromTemplate): Promise<CreatedSpace> {
  checkNewSpace(ctx, input.space.slug)
  const template = await readSpaceTemplate(ctx, input.source, input.id)
  const space: CreateSpace = { ...template.space, ...input.space }
  const batches = await draftBatches(ctx, space, await pagesOfCopy(ctx, template, space.slug))
  const now = ctx.now()
  const create = () =>
    inTransaction(withNeededRoles(ctx, []), async (tx) => {
      const { id: spaceId, isNew } = await addSpace(tx, space, now)
      const to = { spaceId, space: space.slug, now }
      // Else an earlier run has committed it, whose connection was lost before the response.
      if (isNew) {
        await createFiles(tx, template, to)
        for (const drafts of batches) {
          await tx.reauthorization?.enqueue(tx.db)
          await createPages(tx, to, drafts)
        }
        const first = START_PAGES.find((start) => template.pages.some(({ path }) => path === start))
        if (first !== undefined) await putOrder.all(tx.db, { spaceId, folder: '', names: [first] })
      }
      return readOwn(tx, spaceId)
    })
  return {
    space: await withSlugConflictsAudited(ctx, space.slug, () => withLongStatements(create)),
    template: toTemplateItem(template),
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

/** Creates the files of a template in a new space; their bytes are those that the template has. */
async function createFiles(
  tx: EventsCtx & Tx,
  { source, id }: SpaceTemplate,
  { spaceId, now }: Destination,
): Promise<void> {
  const files = source === 'builtin' ? [] : await lockTemplateFiles(tx, { source, id })
  if (files.length === 0) return
  const ids = await insertFiles(tx, files, { spaceId, actorId: tx.actor.id, now })
  await checkQuota(tx, spaceId)
  await recordEvents(
    tx,
    files.flatMap((file) => {
      const fileId = ids.get(file.path)
      if (fileId === undefined) return []
      const data = fileEventData({ ...file, version: 1 })
      return [{ kind: 'file.created' as const, spaceId, fileId, actor: tx.actor, at: now, data }]
    }),
  )
}

/**
 * The pages of a template for a space with another slug: absolute links to pages and files of it are rewritten to the
 * copies. Relative links need no rewriting, and an import rewrites nothing.
 */
async function pagesOfCopy(
  ctx: Pick<BulkCtx, 'pages' | 'config'>,
  { createdFrom, pages, files }: Pick<SpaceTemplate, 'createdFrom' | 'pages' | 'files'>,
  slug: string,
): Promise<TemplatePage[]> {
  const paths = new Set(pages.map(({ path }) => path))
  const filePaths = new Set(files.map(({ path }) => path))
  const copies: TemplatePage[] = []
  for (const page of pages) {
    if (createdFrom === undefined || createdFrom === slug || !mentions(page.body, createdFrom)) {
      copies.push(page)
      continue
    }
    // Resolved from the path of the copy, so that relative links keep their meaning.
    const at = { space: slug, path: page.path, publicOrigin: ctx.config.publicUrl }
    const { body } = await rewriteBody(ctx.pages.markdown, page.body, {
      from: at,
      to: at,
      target: ({ space, path }) => ({ space: space === createdFrom && paths.has(path) ? slug : space, path }),
      file: ({ space, path }) => (space === createdFrom && filePaths.has(path) ? { space: slug, path } : undefined),
    })
    copies.push(Buffer.byteLength(body) <= ctx.config.maxBodyBytes ? { ...page, body } : page)
    await turn()
  }
  return copies
}

function mentions(body: string, slug: string): boolean {
  return ['pages', 'files'].some((kind) => body.includes(`/${kind}/${slug}/`))
}
