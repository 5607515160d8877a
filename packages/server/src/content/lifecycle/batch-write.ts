import { type PageAddress, parseSlug, parseWrittenPath } from '@recto/contract/page-address.ts'
import type { BodyChange } from '@recto/markdown/edits/edit-changes.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { parsePreconditions } from '../../access/preconditions.ts'
import { withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withResultMapped } from '../../platform/database/transaction.ts'
import { type FailedItem, runItem } from '../../platform/http/batch.ts'
import { readContent } from '../pages/content.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { editPage } from '../pages/edit.ts'
import type { BatchWrite, PageAfterWrite } from '../pages/schema.ts'
import { writePage } from '../pages/write.ts'
import { moveToTrash, purge } from './delete.ts'
import { proposeDeletion } from './propose-deletion.ts'

interface Written {
  readonly status: number
  readonly page?: PageAfterWrite
  readonly changes?: BodyChange[]
}

/** The address as requested, with what a request for it alone would get. */
export type WrittenItem = PageAddress & (Written | FailedItem)

/** Writes, edits and deletes pages in order, each in a transaction of its own and with its own preconditions. */
export async function batchWrite(
  ctx: PagesCtx,
  writes: readonly BatchWrite[],
  requestId: string,
): Promise<WrittenItem[]> {
  // The response is that of all items: one of them is none.
  const itemCtx = withNeededRoles(
    withResultMapped(ctx, () => undefined),
    [],
  )
  const items: WrittenItem[] = []
  for (const write of writes) {
    const { space, path } = write
    const item = await runItem({ requestId, origin: ctx.config.publicUrl }, () => writeItem(itemCtx, write))
    items.push({ space, path, ...item })
  }
  return items
}

async function writeItem(ctx: PagesCtx, write: BatchWrite): Promise<Written> {
  const address = { space: parseSlug(write.space), path: parseWrittenPath(write.path) }
  const preconditions = parsePreconditions({
    'if-match': write.ifMatch,
    'if-none-match': write.op === 'put' ? write.ifNoneMatch : undefined,
  })
  const draftStatus = ctx.overlay && 202
  switch (write.op) {
    case 'put': {
      const { note } = write
      const content = await readContent(ctx, address, write)
      const { page, created } = await writePage(ctx, { ...address, ...content, note, preconditions })
      return { status: draftStatus ?? (created ? 201 : 200), page }
    }
    case 'patch': {
      const { edits, note } = write
      const { page, changes } = await editPage(ctx, { ...address, edits, note, preconditions })
      return { status: draftStatus ?? 200, page, changes: [...changes] }
    }
    case 'delete': {
      if (isOverlaid(ctx)) {
        await proposeDeletion(ctx, 'page', { ...address, preconditions, purge: write.purge })
        return { status: 202 }
      }
      const remove = write.purge ? purge : moveToTrash
      await remove(ctx, 'page', { ...address, preconditions })
      return { status: 204 }
    }
  }
}
