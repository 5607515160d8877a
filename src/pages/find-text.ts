import type { Role } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { requireSpace } from '../access/space.ts'
import { type List, windowOf } from '../http/paging.ts'
import { unpackBody } from '../lib/body-codec.ts'
import { listBodies } from './store-lists.ts'

interface FindText {
  readonly space: string
  readonly prefix: string
  /** Exact text. */
  readonly find: string
  readonly role: Role
  readonly cursor?: string
}

/** A page with the text in its latest body. */
export interface PageWithText {
  readonly space: string
  readonly path: string
  readonly version: number
  readonly body: string
}

/** Pages per call: their bodies are in memory. */
const MAX_FOUND = 50
const MAX_FOUND_BYTES = 4 * 1024 * 1024
const MAX_SCANNED = 2_000
const BATCH = 50

/** Finds the pages of a space whose body contains an exact text, in the order of their paths. Scans a bounded number. */
export async function findText(ctx: Ctx, input: FindText): Promise<List<PageWithText>> {
  const space = await requireSpace(ctx, input.space, input.role)
  const prefix = input.prefix.normalize('NFC')
  const name = `text/${space.id}/${JSON.stringify([prefix, input.find])}`
  const window = windowOf(ctx, name, input.cursor === undefined ? {} : { cursor: input.cursor }, ['text'])
  const items: PageWithText[] = []
  let after = window.after && String(window.after[0])
  let bytes = 0
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += BATCH) {
    const rows = await listBodies(ctx.db, { spaceId: space.id, prefix, after, limit: BATCH })
    for (const { path, version, data } of rows) {
      if (items.length >= MAX_FOUND || bytes >= MAX_FOUND_BYTES)
        return { items, nextCursor: window.seal([after ?? '']) }
      const unpacked = await unpackBody(data)
      after = path
      if (!unpacked.includes(input.find)) continue
      items.push({ space: input.space, path, version, body: unpacked.toString('utf8') })
      bytes += unpacked.length
    }
    if (rows.length < BATCH) return { items, nextCursor: null }
  }
  return { items, nextCursor: window.seal([after ?? '']) }
}
