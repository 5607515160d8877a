import { checkPreconditions, type Preconditions } from '../access/preconditions.ts'
import { requireSpace } from '../access/space.ts'
import { inTransaction } from '../database/transaction.ts'
import type { EventsCtx } from '../events/ctx.ts'
import { type PageAddress, parsePagePath } from '../http/page-address.ts'
import { type File, toFile } from './file.ts'
import { currentOf, findFile } from './find.ts'
import { applyFileMoves } from './move-files.ts'
import { fileExists } from './restore.ts'

export interface MoveFile extends PageAddress {
  readonly to: { readonly space?: string; readonly path: string }
  readonly preconditions: Preconditions
}

/**
 * Moves a file to another address, where `If-Match` names its current version: its id and versions stay, and the old address
 * redirects to the new one. Editors of both spaces may do it.
 */
export async function moveFile(ctx: EventsCtx, input: MoveFile): Promise<File> {
  const conditions = { ...input.preconditions, ifNoneMatch: undefined, required: true }
  const path = parsePagePath(input.to.path, 'file')
  for (;;) {
    const file = await findFile(ctx, input, 'editor')
    checkPreconditions(currentOf(file), conditions, 'file')
    const space = await requireSpace(ctx, input.to.space ?? input.space, 'editor')
    if (space.id === file.space_id && path === file.path) throw fileExists(path)
    const order = {
      from: { spaceId: file.space_id, space: file.space_slug },
      to: { spaceId: space.id, space: space.slug },
      pathOf: () => path,
    }
    const now = ctx.now()
    const moved = await inTransaction(ctx, async (tx) => {
      const done = await applyFileMoves(tx, order, [file], now)
      if (!done) return tx.noChange()
      if (!(done instanceof Map)) throw fileExists(path)
      const version = done.get(file.file_id) ?? file.version
      const result = toFile({ ...file, path, version }, space.slug, ctx.config.publicUrl)
      await tx.saveIdempotentResult(result)
      return result
    })
    if (moved) return moved
  }
}
