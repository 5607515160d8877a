import { toAccessSubject } from '../../../access/visibility.ts'
import { streamBytes } from '../../files/blobs/download.ts'
import type { FilesCtx } from '../../files/ctx.ts'
import { listExportFiles } from './store-export.ts'

/** Few, so that none is purged between being listed and being read. */
const FILE_BATCH = 20

/** The latest version of an exported file. Its bytes must be consumed before the next file is requested. */
export interface ExportedFile {
  readonly path: string
  readonly updatedAt: Date
  readonly bytes: AsyncIterable<Buffer>
}

/** Streams the files of a space that the caller can read, by path. */
export async function* exportFiles(ctx: FilesCtx, spaceId: number): AsyncGenerator<ExportedFile> {
  let after = ''
  for (;;) {
    const rows = await listExportFiles(ctx.db, toAccessSubject(ctx.actor), { spaceId, after, limit: FILE_BATCH })
    for (const { path, updated_at: updatedAt, digest, size } of rows) {
      yield { path, updatedAt, bytes: streamBytes(ctx, digest, [{ start: 0, end: size - 1 }]) }
    }
    const last = rows.at(-1)
    if (!last || rows.length < FILE_BATCH) return
    after = last.path
  }
}
