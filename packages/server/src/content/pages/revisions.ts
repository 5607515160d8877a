import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { toItem } from '../../platform/database/rows.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { PagesCtx } from './ctx.ts'
import { findPage } from './find.ts'
import { readPage } from './read.ts'
import type { PageAfterWrite, revisionSchema } from './schema.ts'
import { listRevisions } from './store-lists.ts'
import { writePage } from './write.ts'

/** A revision as in the history of its page. */
export type Revision = Static<typeof revisionSchema>

/** The revisions of a page, newest first. */
export async function pageHistory(ctx: Ctx, input: PageAddress & PageQuery): Promise<List<Revision>> {
  const page = await findPage(ctx, input, 'viewer')
  const window = parseWindow(ctx, `versions/${page.space_id}/${page.page_id}`, input, ['integer'])
  const before = window.after === undefined ? undefined : Number(window.after[0])
  const rows = await listRevisions(ctx.db, {
    spaceId: page.space_id,
    pageId: page.page_id,
    before,
    limit: window.limit + 1,
  })
  return buildPage(window, rows, ['version'], ({ merge, ...row }) => ({
    ...toItem(row),
    isLatest: row.version === page.version,
    ...merge,
  }))
}

/** Appends a revision with the body of `version`, not its note; of the latest nothing changes. Honours `If-Match`. */
export async function makeLatest(
  ctx: PagesCtx,
  input: PageAddress & { readonly version: number; readonly preconditions: Preconditions },
): Promise<PageAfterWrite> {
  const current = await findPage(ctx, input, 'editor')
  checkPreconditions(current.current, input.preconditions)
  const old = await readPage(ctx, input)
  // A proposal is kept as a draft even where it changes nothing, as every other write.
  if (!ctx.overlay && input.version === current.version)
    return (await readPage(ctx, { space: input.space, path: input.path })).page()
  const ifMatch = input.preconditions.ifMatch ?? '*'
  const writtenPage = await writePage(ctx, {
    space: input.space,
    path: input.path,
    body: old.content.body,
    note: undefined,
    preconditions: { ...input.preconditions, ifMatch },
    restoredFrom: input.version,
  })
  return writtenPage.page
}
