import { isOverlaid } from '../../../access/overlay.ts'
import type { SpaceAccess } from '../../../access/space.ts'
import { toAccessSubject } from '../../../access/visibility.ts'
import { streamBytes } from '../../files/blobs/download.ts'
import type { FilesCtx } from '../../files/ctx.ts'
import { listDraftedFiles } from '../../files/list-drafted.ts'
import { listFiles } from '../../files/store-lists.ts'

/** Few, so that none is purged between being listed and being read. */
const FILE_BATCH = 20

/** The latest version of an exported file. Its bytes must be consumed before the next file is requested. */
export interface ExportedFile {
  readonly path: string
  readonly updatedAt: Date
  readonly bytes: AsyncIterable<Buffer>
}

/** Streams the files of a space that the caller can read, by path, as the change request of the context shows them. */
export async function* exportFiles(ctx: FilesCtx, space: SpaceAccess): AsyncGenerator<ExportedFile> {
  const query = { spaceId: space.id, prefix: '', words: '', type: '', unused: false, limit: FILE_BATCH }
  let after: string | undefined
  for (;;) {
    const batch = { ...query, after }
    const rows = isOverlaid(ctx)
      ? await listDraftedFiles(ctx, space, batch)
      : await listFiles(ctx.db, toAccessSubject(ctx.actor), batch)
    for (const { path, updated_at: updatedAt, digest, size } of rows) {
      yield { path, updatedAt, bytes: streamBytes(ctx, digest, [{ start: 0, end: size - 1 }]) }
    }
    if (rows.length < FILE_BATCH) return
    after = rows.at(-1)?.path
  }
}
