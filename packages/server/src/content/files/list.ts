import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Static } from 'typebox'
import type { Ctx } from '../../access/ctx.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { requireSpace } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { type File, toFile } from './file.ts'
import { findFile } from './find.ts'
import { listDraftedFiles } from './list-drafted.ts'
import type { fileVersionSchema } from './schema.ts'
import { lastScanned, listFiles, listVersions } from './store-lists.ts'
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
    version: row.version,
    size: row.size,
    contentType: row.content_type,
    digest: row.digest.toString('hex'),
    width: row.width,
    height: row.height,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
    isLatest: row.version === file.version,
  }))
}
