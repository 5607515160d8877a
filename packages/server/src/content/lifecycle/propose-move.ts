import { AppError } from '@recto/contract/errors.ts'
import { checkNewPath, parseWrittenPath } from '@recto/contract/page-address.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { type ProposalReference, toProposal, withDraft } from '../../access/overlay.ts'
import { checkPreconditions } from '../../access/preconditions.ts'
import { checkRounds, type SavedDraft, saveDraft, toDraftTarget } from '../../access/save-draft.ts'
import { requirePaths, requireSpace } from '../../access/space.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import { unlessOvertaken } from '../../platform/database/transaction.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findPage, type LocatedPage } from '../pages/find.ts'
import { listDraftedPages } from '../pages/list-drafted.ts'
import { toPage } from '../pages/page.ts'
import { indexAt } from '../pages/propose.ts'
import { readTarget } from '../pages/store.ts'
import type { MovePage } from './move.ts'
import type { MoveOutcome } from './move-order.ts'
import { listFolder } from './store-folder.ts'

/** Pages of one proposed move: as many as a change request has changes. */
const MAX_PAGES = 500

/** Keeps a move of a page, and of the pages below it, as drafts of the change request: links follow with the merge. */
export async function proposeMove(
  ctx: OverlaidCtx<PagesCtx>,
  input: MovePage,
): Promise<MoveOutcome & { readonly changeRequest: ProposalReference }> {
  const path = parseWrittenPath(input.to.path)
  checkNewPath(path)
  if (input.dryRun) throw notSupported('A dry run of a move is not proposed')
  if ((input.to.space ?? input.space) !== input.space) throw notSupported('A move to another space is not proposed')
  const space = await requireSpace(ctx, input.space, 'viewer')
  for (let round = 1; ; round++) {
    const page = await findPage(ctx, input, 'editor')
    checkPreconditions(page.current, { ...input.preconditions, ifNoneMatch: undefined, required: true })
    const moving = input.withChildren ? [page, ...(await listBelow(ctx, input))] : [page]
    const toPath = (row: LocatedPage) => path + row.path.slice(page.path.length)
    const moves = await Promise.all(
      moving.map(async (row) => ({ row, to: toPath(row), index: await indexAt(ctx, row, toPath(row)) })),
    )
    const targets = moves.map(({ to }) => to)
    await requirePaths(ctx, space, targets, 'viewer')
    for (const to of targets) await requireFree(ctx, input.space, to, moving)
    const lastDraft = await unlessOvertaken(ctx, async (tx) => {
      let lastSaved: SavedDraft | undefined
      for (const { row, to, index } of moves) {
        const next = { ...tx, overlay: { ...ctx.overlay, ...(lastSaved && { number: lastSaved.number }) } }
        lastSaved = await saveDraft(next, toDraftTarget(row, row.path), { path: to, index })
      }
      return lastSaved
    })
    if (!lastDraft) {
      checkRounds(round)
      continue
    }
    const at = { ...ctx, overlay: { ...ctx.overlay, number: lastDraft.number } }
    const movedPage = await findPage(at, { space: input.space, path }, 'editor')
    return {
      dryRun: false,
      page: toPage(movedPage, space.slug, ctx.config.publicUrl),
      moved: moves.map(({ row, to }) => ({
        from: { space: space.slug, path: row.path },
        to: { space: space.slug, path: to },
        title: row.title,
        version: row.version,
      })),
      files: [],
      rewritten: [],
      left: [],
      opens: null,
      closes: null,
      refusals: [],
      ...toProposal(ctx, lastDraft.number),
    }
  }
}

/** The pages below the page, as the change request shows them. Files are not part of one yet. */
async function listBelow(ctx: OverlaidCtx<PagesCtx>, { space: slug, path }: MovePage): Promise<LocatedPage[]> {
  const space = await requireSpace(ctx, slug, 'viewer')
  const folder = { spaceId: space.id, path }
  const files = await listFolder(ctx.db, toAccessSubject(ctx.actor), 'file', folder)
  if (files.length > 0) throw notSupported(`The folder \`${path}\` has files, whose move is not proposed`)
  const query = { spaceId: space.id, prefix: `${path}/`, after: undefined, limit: MAX_PAGES }
  const rows = await listDraftedPages(ctx, space, query)
  if (rows.length === MAX_PAGES) {
    throw new AppError('change_request_full', `A change request has at most ${MAX_PAGES} changes: move fewer pages.`)
  }
  const pages: LocatedPage[] = []
  for (const row of rows) pages.push(await findPage(ctx, { space: slug, path: row.path }, 'editor'))
  return pages
}

/** Throws if there is a page at a path of the change request, unless it moves away, too. */
async function requireFree(
  ctx: OverlaidCtx<PagesCtx>,
  space: string,
  path: string,
  moving: readonly LocatedPage[],
): Promise<void> {
  const args = { ...toAccessSubject(ctx.actor), slug: space }
  const row = await withDraft(ctx, { space, path }, (at) =>
    readTarget[toSpaceAddress(space)].first(ctx.db, { ...args, path: at }),
  )
  if (!row || row.page_id === null || moving.some(({ page_id }) => page_id === row.page_id)) return
  throw new AppError('page_exists', `There is a page at \`${path}\` in the change request.`)
}

function notSupported(what: string): AppError {
  return new AppError('change_request_not_supported', `${what}: nothing was changed.`)
}
