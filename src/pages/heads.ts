import type { Db } from '../database/database.ts'
import type { Head, Heads } from '../links/rebuilder.ts'
import { unpackBody } from './body-codec.ts'
import { type HeadBodyRow, listHeads, listHeadsAfter } from './store-lists.ts'

/** Reads pages with their latest bodies, for those who go through all of them. */
export function createHeads(db: Db): Heads {
  return {
    after: async (position) => Promise.all((await listHeadsAfter(db, position)).map(toHead)),
    of: async (spaceId, pageIds) => Promise.all((await listHeads(db, spaceId, pageIds)).map(toHead)),
  }
}

async function toHead(row: HeadBodyRow): Promise<Head> {
  return {
    spaceId: row.space_id,
    space: row.space,
    pageId: row.page_id,
    path: row.path,
    version: row.version,
    body: (await unpackBody(row.data)).toString('utf8'),
  }
}
