import type { Ctx } from '../../../access/ctx.ts'
import type { BundleThread } from '../bundle/bundle.ts'
import { listExportThreads, type ThreadSubject } from './store-export.ts'

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
