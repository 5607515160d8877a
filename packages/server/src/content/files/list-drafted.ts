import { compareText } from '@recto/lib/text/text-order.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { toShownColumns } from '../../access/overlay.ts'
import type { SpaceAccess } from '../../access/space.ts'
import { listDrafts } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { type FilesQuery, type ListedFile, listFiles, listShownFiles } from './store-lists.ts'

/** The files of a space as its change request shows them, in the order of their paths. */
export async function listDraftedFiles(ctx: OverlaidCtx, space: SpaceAccess, query: FilesQuery): Promise<ListedFile[]> {
  const subject = toAccessSubject(ctx.actor)
  const key = { spaceId: space.id, number: ctx.overlay.number ?? 0, resource: 'file' } as const
  const drafts = await listDrafts(ctx.db, subject, key)
  const changedIds = new Set(drafts.flatMap(({ file_id }) => file_id ?? []))
  const rows = await listFiles(ctx.db, subject, { ...query, limit: query.limit + changedIds.size })
  const changedRows = new Map(
    (await listShownFiles(ctx.db, space.id, [...changedIds])).map((row) => [row.file_id, row]),
  )
  const draftedRows = drafts.flatMap((draft) => {
    const row = draft.file_id === null ? undefined : changedRows.get(draft.file_id)
    if (draft.is_deleted || (draft.file_id !== null && !row)) return []
    return [{ ...row, ...toShownColumns(draft, row ?? { version: 0 }) } as ListedFile] // a new file has all columns
  })
  return [...rows.filter(({ file_id }) => !changedIds.has(file_id)), ...draftedRows.filter((row) => fits(row, query))]
    .sort((a, b) => compareText(a.path, b.path))
    .slice(0, query.limit)
}

/** Whether a list has a file, as the statement of `listFiles` decides it. */
function fits({ path, content_type: contentType }: ListedFile, { prefix, words, type, after }: FilesQuery): boolean {
  const isType = type.endsWith('/') ? contentType.startsWith(type) : type === '' || contentType.split(';')[0] === type
  const hasWords = path.toLowerCase().includes(words.toLowerCase())
  return isType && hasWords && path.startsWith(prefix) && (after === undefined || compareText(path, after) > 0)
}
