import { AppError } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath, parseWrittenPath } from '@recto/contract/page-address.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { type ProposalReference, toProposal } from '../../access/overlay.ts'
import { checkPreconditions, toCurrent } from '../../access/preconditions.ts'
import type { ItemIds, Resource } from '../../access/resource.ts'
import { checkRounds, type SavedDraft, saveDraft, toDraftTarget } from '../../access/save-draft.ts'
import { requirePaths, requireSpace, type SpaceAccess } from '../../access/space.ts'
import { unlessOvertaken } from '../../platform/database/transaction.ts'
import { toFile } from '../files/file.ts'
import { findFile, readShownFile } from '../files/find.ts'
import { listDraftedFiles } from '../files/list.ts'
import { usersOfFile } from '../files/users.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findPage, type LocatedPage, readShownPage } from '../pages/find.ts'
import { listDraftedPages } from '../pages/list.ts'
import { toPage } from '../pages/page.ts'
import { indexAt } from '../pages/propose.ts'
import type { MovePage } from './move.ts'
import type { MovedFile, MoveFile } from './move-file.ts'
import type { MoveOutcome } from './move-order.ts'

/** Pages, and files, of one proposed move: as many as a change request has changes. */
const MAX_ITEMS = 500

/** What a proposed move reports of links: they follow with the merge. */
const NO_LINKS = { rewritten: [], left: [], opens: null, closes: null }

type MovingFile = Parameters<typeof toDraftTarget>[0] & { readonly path: string; readonly title?: string }

/** A page or file that is to be moved. */
type Item =
  | { readonly resource: 'page'; readonly row: LocatedPage }
  | { readonly resource: 'file'; readonly row: MovingFile }
type MovingItem = Item & { readonly to: string }

/** Keeps a move of a page, with what is below it now, as drafts of the change request; a dry run keeps nothing. */
export async function proposeMove(
  ctx: OverlaidCtx<PagesCtx>,
  input: MovePage,
): Promise<MoveOutcome & { readonly changeRequest?: ProposalReference }> {
  const path = parseWrittenPath(input.to.path)
  checkNewPath(path)
  const { space, items, movedCtx, proposal } = await keepMoves(ctx, 'page', { ...input, to: { ...input.to, path } })
  const list = (resource: Resource) =>
    items
      .filter((item) => item.resource === resource)
      .map(({ row: { path: from, title = '', version }, to }) => ({
        from: { space, path: from },
        to: { space, path: to },
        title,
        version,
      }))
  const row = movedCtx && (await findPage(movedCtx, { space: input.space, path }, 'viewer'))
  const page = row ? toPage(row, space, ctx) : null
  return { ...NO_LINKS, dryRun: !movedCtx, page, moved: list('page'), files: list('file'), refusals: [], ...proposal }
}

/** Keeps a move of a file as a draft of the change request. */
export async function proposeFileMove(
  ctx: OverlaidCtx<PagesCtx>,
  input: MoveFile,
): Promise<MovedFile & { readonly changeRequest?: ProposalReference }> {
  const path = parsePagePath(input.to.path, 'file')
  checkNewPath(path, 'file')
  const { space, movedCtx, proposal } = await keepMoves(ctx, 'file', { ...input, to: { ...input.to, path } })
  const file = await findFile(movedCtx ?? ctx, movedCtx ? { space: input.space, path } : input, 'viewer')
  const usedBy = await usersOfFile(ctx, file.space_id, file.file_id)
  return { ...toFile(file, space, ctx.config.publicUrl, usedBy), ...NO_LINKS, dryRun: !movedCtx, ...proposal }
}

/** Keeps moves to free paths as drafts. Returns what moves, and unless it is a dry run the context that shows it. */
async function keepMoves(
  ctx: OverlaidCtx<PagesCtx>,
  resource: Resource,
  { to, dryRun, preconditions, withChildren = false, ...from }: MoveFile & { readonly withChildren?: boolean },
) {
  if ((to.space ?? from.space) !== from.space) {
    const detail = 'A move to another space is not proposed: nothing was changed.'
    throw new AppError('change_request_not_supported', detail)
  }
  const space = await requireSpace(ctx, from.space, 'viewer')
  for (let round = 1; ; round++) {
    const find = { page: findPage, file: findFile }[resource]
    const row = await find(ctx, from, 'viewer')
    checkPreconditions(toCurrent(row), { ...preconditions, ifNoneMatch: undefined, required: true }, resource)
    // as found
    const foundItems = [{ resource, row } as Item, ...(withChildren ? await listBelow(ctx, space, from.path) : [])]
    const items = foundItems.map(
      (item): MovingItem => ({ ...item, to: to.path + item.row.path.slice(row.path.length) }),
    )
    const indexes = await Promise.all(
      items.map((item) => (item.resource === 'page' ? indexAt(ctx, item.row, item.to) : undefined)),
    )
    await requirePaths(
      ctx,
      space,
      items.map((item) => item.to),
      'viewer',
    )
    for (const item of items) await requireFree(ctx, space.slug, item, items)
    if (dryRun) return { space: space.slug, items }
    const lastDraft = await unlessOvertaken(ctx, async (tx) => {
      let lastSaved: SavedDraft | undefined
      for (const [n, { row, resource, to: path }] of items.entries()) {
        const next = lastSaved ? { ...tx, overlay: { ...ctx.overlay, number: lastSaved.number } } : tx
        lastSaved = await saveDraft(next, toDraftTarget(row, row.path, resource), { path, index: indexes[n] })
      }
      return lastSaved
    })
    if (lastDraft) {
      const { number } = lastDraft
      const movedCtx = { ...ctx, overlay: { ...ctx.overlay, number } }
      return { space: space.slug, items, movedCtx, proposal: toProposal(ctx, number) }
    }
    checkRounds(round)
  }
}

/** The pages and files below a path, as the change request shows them. */
async function listBelow(ctx: OverlaidCtx<PagesCtx>, space: SpaceAccess, path: string): Promise<Item[]> {
  const query = { spaceId: space.id, prefix: `${path}/`, after: undefined, limit: MAX_ITEMS }
  const rows = await listDraftedPages(ctx, space, query)
  const files = await listDraftedFiles(ctx, space, { ...query, words: '', type: '', unused: false })
  if (rows.length + files.length >= MAX_ITEMS) {
    const detail = `A change request has at most ${MAX_ITEMS} changes: move fewer pages and files.`
    throw new AppError('change_request_full', detail)
  }
  const items: Item[] = files.map((row) => ({
    resource: 'file',
    row: { ...row, space_id: space.id, space_slug: space.slug },
  }))
  for (const row of rows) {
    items.push({ resource: 'page', row: await findPage(ctx, { space: space.slug, path: row.path }, 'viewer') })
  }
  return items
}

/** Throws if there is a page or file at a path of the change request, unless it moves away, too. */
async function requireFree(
  ctx: OverlaidCtx<PagesCtx>,
  space: string,
  { resource, to: path }: MovingItem,
  items: readonly MovingItem[],
): Promise<void> {
  const row: ItemIds | undefined = await (resource === 'page' ? readShownPage : readShownFile)(ctx, { space, path })
  const id = row?.[`${resource}_id`] ?? null
  const isItself = ({ row: ids, ...item }: { resource: Resource; row: ItemIds }) =>
    item.resource === resource && ids[`${resource}_id`] === id
  if (id === null || items.some(isItself)) return
  throw new AppError(`${resource}_exists`, `There is a ${resource} at \`${path}\` in the change request.`)
}
