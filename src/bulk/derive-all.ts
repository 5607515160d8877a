import { toBuffer } from './buffers.ts'
import { runInBulk } from './bulk.ts'
import type { BulkCtx } from './ctx.ts'
import { deriveBody } from './derive-body.ts'
import {
  type BodyParser,
  convertPageData,
  type DerivedPageData,
  derivePageData,
  type PageToDerive,
} from './derive-page-data.ts'

/** Derives the data of pages in a worker, so that the main thread stays free; in the order of `pages`. */
export async function deriveAll(
  ctx: Pick<BulkCtx, 'pages'>,
  pages: readonly PageToDerive[],
): Promise<DerivedPageData[]> {
  const found = await runInBulk(ctx.pages.bulk, { kind: 'derive', items: pages }, ({ bodies }) =>
    bodies.reduce((sum, body) => sum + body.length, 0),
  )
  const { markdown } = ctx.pages
  const parser: BodyParser = {
    analyse: (body) => markdown.analyse(body),
    derive: (page) => deriveBody(markdown, page),
  }
  const derived: DerivedPageData[] = []
  for (const [index, page] of pages.entries()) {
    const fromWorker = found[index]
    // An expensive page is parsed like a single write: within its own limit of processor time.
    derived.push(fromWorker ? convertPageData(fromWorker, toBuffer) : await derivePageData(parser, page))
  }
  return derived
}
