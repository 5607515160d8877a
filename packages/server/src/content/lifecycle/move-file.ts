import { retryLater } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath } from '@recto/contract/page-address.ts'
import { checkPreconditions, toCurrent } from '../../access/preconditions.ts'
import { requirePlace } from '../../access/space.ts'
import { withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/connections/request-scope.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { type File, toFile } from '../files/file.ts'
import { fileExists, findFile, type LocatedFile } from '../files/find.ts'
import { usersOfFile } from '../files/users.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { type MovePage, neededRoles, outcome, rejectMove } from './move.ts'
import { applyMove } from './move-apply.ts'
import type { MoveOrder, MoveOutcome } from './move-order.ts'
import { planMove } from './move-plan.ts'

export type MoveFile = Omit<MovePage, 'withChildren' | 'progress'>

/** The file at its new address, and the changes of images and links that refer to it. */
export interface MovedFile
  extends File,
    Pick<MoveOutcome, 'dryRun' | 'rewritten' | 'left' | 'opens' | 'closes' | 'redirectsEnded'> {}

const MAX_ROUNDS = 8

/**
 * Moves a file to another address if `If-Match` names its version: it keeps its id and versions, the old address
 * redirects, and pages that the caller may edit get the new one. For editors of both spaces.
 */
export async function moveFile(ctx: PagesCtx, input: MoveFile): Promise<MovedFile> {
  const conditions = { ...input.preconditions, ifNoneMatch: undefined, required: true }
  const path = parsePagePath(input.to.path, 'file')
  checkNewPath(path, 'file')
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const file = await findFile(ctx, input, 'editor')
    checkPreconditions(toCurrent(file), conditions, 'file')
    const space = await requirePlace(ctx, { space: input.to.space ?? input.space, path }, 'editor')
    if (space.id === file.space_id && path === file.path) throw fileExists(path)
    const from = { spaceId: file.space_id, space: file.space_slug, path: file.path }
    const moving = { id: file.file_id, path: file.path, title: '', version: file.version }
    const order = { from, file: moving, to: { space, path }, children: false, rewrite: input.rewriteLinks }
    const movedFile = await planAndMove(ctx, order, file, input.dryRun)
    if (movedFile) return movedFile
  }
  const detail = 'The pages that refer to the file are being written all the time. Try again shortly.'
  throw retryLater('page_busy', detail, 1)
}

/** Undefined when the file or a page that refers to it was changed since it was read. */
async function planAndMove(
  ctx: PagesCtx,
  order: MoveOrder,
  file: LocatedFile,
  dryRun: boolean,
): Promise<MovedFile | undefined> {
  const plan = await planMove(ctx, order)
  rejectMove(plan.refusals)
  const { space, path } = order.to
  const origin = ctx.config.publicUrl
  if (dryRun) {
    const usedBy = await usersOfFile(ctx, file.space_id, file.file_id)
    return { ...toFile({ ...file, path }, space.slug, origin, usedBy), ...toReport(outcome(order, plan)) }
  }
  const now = ctx.now()
  return withLongStatements(() =>
    inTransaction(withNeededRoles(ctx, neededRoles(plan)), async (tx) => {
      const versions = await applyMove(tx, order, plan, now)
      if (!versions) return undefined
      const version = versions.files.get(file.file_id) ?? file.version
      const usedBy = await usersOfFile(tx, space.id, file.file_id)
      const report = toReport({ ...outcome(order, plan, versions), dryRun })
      const result = { ...toFile({ ...file, path, version }, space.slug, origin, usedBy), ...report }
      await tx.saveIdempotentResult(result)
      return result
    }),
  )
}

function toReport({ dryRun, rewritten, left, opens, closes, redirectsEnded }: MoveOutcome) {
  return { dryRun, rewritten, left, opens, closes, ...(redirectsEnded && { redirectsEnded }) }
}
