import type { Ctx } from '../access/ctx.ts'
import { runInBulk, toBuffer } from './bulk.ts'
import type { PageToDerive } from './bulk-worker.ts'
import { type DerivedPageData, derivePageData } from './derive-page-data.ts'

/** Works out pages beside the main thread, so that others have it; in their order. */
export async function deriveAll(
  ctx: Pick<Ctx, 'bulk' | 'markdown'>,
  pages: readonly PageToDerive[],
): Promise<DerivedPageData[]> {
  const found = await runInBulk(ctx.bulk, { kind: 'workOut', items: pages }, ({ bodies }) =>
    bodies.reduce((sum, body) => sum + body.length, 0),
  )
  const done: DerivedPageData[] = []
  for (const [index, { from, bodies }] of pages.entries()) {
    const worked = found[index]
    // What is dear is read as if it were written alone: within its limit of time.
    done.push(
      worked ? withBuffers(worked) : await derivePageData((body) => ctx.markdown.analyse(body), from, bodies),
    )
  }
  return done
}

function withBuffers(done: DerivedPageData): DerivedPageData {
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
