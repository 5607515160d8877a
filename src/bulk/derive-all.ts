import type { Ctx } from '../access/ctx.ts'
import { inBulk, toBuffer } from './bulk.ts'
import type { Unread } from './bulk-worker.ts'
import { type WorkedOut, workOut } from './derive-page-data.ts'

/** Works out pages beside the main thread, so that others have it; in their order. */
export async function workOutAll(
  ctx: Pick<Ctx, 'bulk' | 'markdown'>,
  pages: readonly Unread[],
): Promise<WorkedOut[]> {
  const found = await inBulk(ctx.bulk, { kind: 'workOut', items: pages }, ({ bodies }) =>
    bodies.reduce((sum, body) => sum + body.length, 0),
  )
  const done: WorkedOut[] = []
  for (const [index, { from, bodies }] of pages.entries()) {
    const worked = found[index]
    // What is dear is read as if it were written alone: within its limit of time.
    done.push(
      worked ? withBuffers(worked) : await workOut((body) => ctx.markdown.analyse(body), from, bodies),
    )
  }
  return done
}

function withBuffers(done: WorkedOut): WorkedOut {
  const { packed, links } = done
  return {
    ...done,
    packed: {
      ...packed,
      revisions: packed.revisions.map((revision) => ({ ...revision, data: toBuffer(revision.data) })),
      head: packed.head && toBuffer(packed.head),
    },
    links: { ...links, digest: links.digest && toBuffer(links.digest) },
  }
}
