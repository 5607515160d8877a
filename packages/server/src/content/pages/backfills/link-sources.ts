import { AppError } from '@recto/contract/errors.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { LinkReader, PageWithLinks } from '../../links/rebuilder.ts'
import type { LinkSource } from '../../links/resolve.ts'
import { type PageLinks, pageLinks } from '../../links/targets.ts'
import type { BulkCtx } from '../ctx.ts'
import { runInBulk } from '../many/bulk.ts'
import { type HeadBodyRow, listHeads, listHeadsAfter } from '../store-lists.ts'
import { convertLinks, toBuffer } from '../writing/buffers.ts'

type Host = Pick<BulkCtx, 'db' | 'pages' | 'config' | 'log'>

/** Reads pages with the links of their latest bodies, for background jobs that read all of them. */
export function createLinkReader(host: Host): LinkReader {
  return {
    after: async (position) => toHeads(host, await listHeadsAfter(host.db, position)),
    of: async (spaceId, pageIds) => toHeads(host, await listHeads(host.db, spaceId, pageIds)),
  }
}

async function toHeads(host: Host, rows: readonly HeadBodyRow[]): Promise<PageWithLinks[]> {
  const toSource = ({ space, path }: HeadBodyRow) => ({ space, path, publicOrigin: host.config.publicUrl })
  // A copy: structured clone would otherwise transfer the complete memory that the buffer is a view of.
  const items = rows.map((row) => ({ from: toSource(row), data: new Uint8Array(row.data) }))
  const headResults = await runInBulk(host.pages.bulk, { kind: 'links', items }, ({ data }) => data.length)
  const heads: PageWithLinks[] = []
  for (const [index, row] of rows.entries()) {
    const links = headResults[index]
    heads.push({
      spaceId: row.space_id,
      space: row.space,
      pageId: row.page_id,
      path: row.path,
      version: row.version,
      links: links ? convertLinks(links, toBuffer) : await findLinks(host, toSource(row), row.data),
    })
  }
  return heads
}

/** A page that takes too long to parse keeps its stored links. */
async function findLinks(host: Host, from: LinkSource, data: Buffer): Promise<PageLinks | undefined> {
  try {
    const body = (await unpackBody(data)).toString('utf8')
    return await pageLinks(await host.pages.markdown.analyse(body), from)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    host.log.warn({ err: error, space: from.space, path: from.path }, 'the links of a page were left as they are')
    return undefined
  }
}
