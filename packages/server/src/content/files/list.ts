import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import type { Static } from 'typebox'
import type { Ctx, OverlaidCtx } from '../../access/ctx.ts'
import { isOverlaid, toShownColumns } from '../../access/overlay.ts'
import { requireSpace, type SpaceAccess } from '../../access/space.ts'
import { listDrafts } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { toItem } from '../../platform/database/rows.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { type File, toFile } from './file.ts'
import { findFile } from './find.ts'
import type { fileVersionSchema } from './schema.ts'
import {
  type FilesQuery,
  type ListedFile,
  lastScanned,
  listFiles,
  listShownFiles,
  listVersions,
} from './store-lists.ts'
import { findUsers } from './users.ts'

export interface ListFiles extends PageQuery {
  readonly space: string
  readonly prefix?: string
  readonly q?: string
  readonly type?: string
  /** Only files to which no page refers that the caller can read. */
  readonly unused?: boolean
}

/** The files of a space in the order of their paths. */
export async function filesOfSpace(ctx: Ctx, input: ListFiles): Promise<List<File>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  const prefix = (input.prefix ?? '').normalize('NFC')
  const words = (input.q ?? '').normalize('NFC')
  const { type = '', unused = false } = input
  if (unused && ctx.overlay) {
    const detail = 'A list of unused files takes no `changeRequest`: the links of drafts are not known.'
    throw new AppError('change_request_not_supported', detail)
  }
  const window = parseWindow(
    ctx,
    JSON.stringify(['files', space.id, ctx.actor.id, prefix, words, type, unused]),
    input,
    ['text'],
  )
  const after = window.after === undefined ? undefined : String(window.after[0])
  const query = { spaceId: space.id, prefix, words, type, after, unused, limit: window.limit + 1 }
  const subject = toAccessSubject(ctx.actor)
  const rows = isOverlaid(ctx) ? await listDraftedFiles(ctx, space, query) : await listFiles(ctx.db, subject, query)
  const ids = unused ? [] : rows.map(({ file_id }) => file_id)
  const users = await findUsers(ctx, space.id, ids)
  const page = buildPage(window, rows, ['path'], (row) =>
    toFile(row, space.slug, ctx.config.publicUrl, users.get(row.file_id) ?? []),
  )
  if (!unused || page.nextCursor !== null) return page
  // The scan is bounded: if it ended early, the cursor continues after it.
  const last = await lastScanned(ctx.db, subject, query)
  return last === undefined ? page : { ...page, nextCursor: window.seal([last]) }
}

/** A version in the history of its file. */
export type FileVersion = Static<typeof fileVersionSchema>

/** The versions of a file, the newest first. */
export async function fileHistory(ctx: Ctx, input: PageAddress & PageQuery): Promise<List<FileVersion>> {
  const file = await findFile(ctx, input, 'viewer')
  const { space_id: spaceId, file_id: fileId } = file
  const window = parseWindow(ctx, `file-versions/${spaceId}/${fileId}`, input, ['integer'])
  const before = window.after === undefined ? undefined : Number(window.after[0])
  const rows = await listVersions(ctx.db, { spaceId, fileId, before, limit: window.limit + 1 })
  return buildPage(window, rows, ['version'], (row) => ({
    ...toItem(row),
    digest: row.digest.toString('hex'),
    isLatest: row.version === file.version,
  }))
}

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
