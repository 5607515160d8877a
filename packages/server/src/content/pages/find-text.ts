import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { type NeededRole, reaches } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { rankPaths, requireSpace, requireWriter } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { type List, parseWindow } from '../../platform/http/paging.ts'
import { listBodies } from './store-lists.ts'

interface FindText {
  readonly space: string
  readonly prefix: string
  /** Exact text. */
  readonly find: string
  readonly role: NeededRole
  readonly cursor?: string
}

/** A page with the text in its latest body. */
export interface PageWithText {
  readonly space: string
  readonly path: string
  readonly version: number
  readonly body: string
}

/** The pages that were found so far, and the path up to which bodies were read. */
interface Found {
  readonly items: PageWithText[]
  bytes: number
  after: string | undefined
}

/** Pages per call: their bodies are in memory. */
const MAX_FOUND = 50
const MAX_FOUND_BYTES = 4 * 1024 * 1024
const MAX_SCANNED = 2_000
const BATCH = 50

/** Finds the pages of a space, where the caller has the role, with an exact text, by path. The scan is bounded. */
export async function findText(ctx: Ctx, input: FindText): Promise<List<PageWithText>> {
  const { role } = input
  const space = role === 'viewer' ? await requireSpace(ctx, input.space, role) : await requireWriter(ctx, input.space)
  const prefix = input.prefix.normalize('NFC')
  const name = `text/${space.id}/${JSON.stringify([prefix, input.find])}`
  const window = parseWindow(ctx, name, input.cursor === undefined ? {} : { cursor: input.cursor }, ['text'])
  const foundLines: Found = { items: [], bytes: 0, after: window.after && String(window.after[0]) }
  for (let scannedBytes = 0; scannedBytes < MAX_SCANNED; scannedBytes += BATCH) {
    const rows = await listBodies(ctx.db, toAccessSubject(ctx.actor), {
      spaceId: space.id,
      prefix,
      after: foundLines.after,
      limit: BATCH,
    })
    const within = role === 'viewer' ? rows : await withRole(ctx, space.id, rows, role)
    if (await searchRows(within, input, foundLines)) break
    foundLines.after = rows.at(-1)?.path ?? foundLines.after
    if (rows.length < BATCH) return { items: foundLines.items, nextCursor: null }
  }
  return { items: foundLines.items, nextCursor: window.seal([foundLines.after ?? '']) }
}

type Body = Awaited<ReturnType<typeof listBodies>>[number]

async function withRole(ctx: Ctx, spaceId: number, rows: readonly Body[], role: NeededRole): Promise<Body[]> {
  const ranks = await rankPaths(
    ctx,
    spaceId,
    rows.map(({ path }) => path),
  )
  const paths = new Set(ranks.filter(({ rank }) => reaches(rank, role)).map(({ path }) => path))
  return rows.filter(({ path }) => paths.has(path))
}

/** Adds the pages with the text; returns whether there are as many as one call returns, and rows left. */
async function searchRows(rows: readonly Body[], { space, find }: FindText, foundLines: Found): Promise<boolean> {
  for (const { path, version, data } of rows) {
    if (foundLines.items.length >= MAX_FOUND || foundLines.bytes >= MAX_FOUND_BYTES) return true
    const body = await unpackBody(data)
    foundLines.after = path
    if (!body.includes(find)) continue
    foundLines.items.push({ space, path, version, body: body.toString('utf8') })
    foundLines.bytes += body.length
  }
  return false
}
