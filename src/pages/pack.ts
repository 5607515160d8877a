import type { Ctx } from '../access/ctx.ts'
import { packBody, unpackBody } from './body-codec.ts'
import { readKeyframe, type WriterRow } from './store.ts'

/** What packing has to know of the page. */
export type PackTarget = Pick<WriterRow, 'space_id' | 'page_id' | 'version' | 'keyframe' | 'keyframe_id'>

/** How a revision is stored: as the difference to version `base`, with its whole `body` on the page; or whole. */
export interface Packed {
  readonly data: Buffer
  readonly base: number | null
  readonly body: Buffer | null
}

/** Revisions share one dictionary for so many versions; then one is held whole again. */
export const KEYFRAME_EVERY = 10

/** Packs a body as the next revision of the page. Where the difference saves little, the revision is held whole. */
export async function packRevision(ctx: Ctx, body: Buffer, target: PackTarget): Promise<Packed> {
  const whole = await packBody(body)
  const keyframe = await keyframeOf(ctx, target)
  if (keyframe) {
    const difference = await packBody(body, keyframe)
    if (difference.length * 2 < whole.length) return { data: difference, base: target.keyframe, body: whole }
  }
  return { data: whole, base: null, body: null }
}

async function keyframeOf(ctx: Ctx, target: PackTarget): Promise<Buffer | undefined> {
  if (target.page_id === null || target.version + 1 - target.keyframe >= KEYFRAME_EVERY) return undefined
  const known = ctx.contents.get(target.keyframe_id)
  if (known) return known.body
  const at = { spaceId: target.space_id, pageId: target.page_id, version: target.keyframe }
  const row = await readKeyframe.first(ctx.db, at)
  return row && ctx.contents.put(target.keyframe_id, await unpackBody(row.data)).body
}
