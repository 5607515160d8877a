import type { Ctx } from '../../../access/ctx.ts'
import { isOverlaid } from '../../../access/overlay.ts'
import type { SpaceAccess } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { streamBytes } from '../../files/blobs/download.ts'
import type { FilesCtx } from '../../files/ctx.ts'
import { listDraftedFiles } from '../../files/list.ts'
import { listFiles } from '../../files/store-lists.ts'
import type { BundleThread } from '../bundle/bundle.ts'
import { listExportThreads, listFilesWithThreads, type ThreadSubject } from './store-export.ts'

/** Few, so that none is purged between being listed and being read. */
const FILE_BATCH = 20

/** The latest version of an exported file. Its bytes must be consumed before the next file is requested. */
export interface ExportedFile {
  readonly path: string
  readonly updatedAt: Date
  readonly bytes: AsyncIterable<Buffer>
  /** Must be consumed before its bytes. */
  readonly threads?: AsyncIterable<BundleThread>
}

/** Streams the files of a space that the caller can read, as the change request shows them, perhaps with threads. */
export async function* exportFiles(
  ctx: FilesCtx,
  space: SpaceAccess,
  withThreads: boolean,
): AsyncGenerator<ExportedFile> {
  const query = { spaceId: space.id, prefix: '', words: '', type: '', unused: false, limit: FILE_BATCH }
  let after: string | undefined
  for (;;) {
    const batch = { ...query, after }
    const rows = isOverlaid(ctx)
      ? await listDraftedFiles(ctx, space, batch)
      : await listFiles(ctx.db, toAccessSubject(ctx.actor), batch)
    const ids = withThreads ? rows.map((row) => row.file_id) : []
    const withOwn = ids.length > 0 ? await listFilesWithThreads(ctx.db, space.id, ids) : new Set()
    for (const { path, updated_at: updatedAt, digest, size, file_id: fileId } of rows) {
      const threads = withOwn.has(fileId) && { threads: exportThreads(ctx, space.id, { fileId }) }
      yield { path, updatedAt, bytes: streamBytes(ctx, digest, [{ start: 0, end: size - 1 }]), ...threads }
    }
    if (rows.length < FILE_BATCH) return
    after = rows.at(-1)?.path
  }
}

const THREAD_BATCH = 20

/** Streams the threads of a page or file, the first one first. */
export async function* exportThreads(ctx: Ctx, spaceId: number, subject: ThreadSubject): AsyncGenerator<BundleThread> {
  let after: string | undefined
  for (;;) {
    const rows = await listExportThreads(ctx.db, { spaceId, ...subject, after, limit: THREAD_BATCH })
    for (const { thread } of rows) yield thread
    if (rows.length < THREAD_BATCH) return
    after = rows.at(-1)?.id
  }
}
