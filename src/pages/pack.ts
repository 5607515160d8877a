import type { Ctx } from '../access/ctx.ts'
import { packBody, unpackBody } from '../lib/body-codec.ts'
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

/** A body as the next revision of its page: a difference to the keyframe, with the whole `body` beside it, or whole. */
export interface PackedBody {
  readonly data: Buffer
  readonly body: Buffer | null
}

/** Packs a body as the next revision of the page. Where the difference saves little, the revision is held whole. */
export async function packRevision(ctx: Ctx, body: Buffer, target: PackTarget): Promise<Packed> {
  return basedOn(target, await packAfter(body, await keyframeOf(ctx, target)))
}

/** The same for a keyframe that is at hand. */
export async function packAfter(body: Buffer, keyframe: Buffer | undefined): Promise<PackedBody> {
  const whole = await packBody(body)
  if (keyframe) {
    const difference = await packBody(body, keyframe)
    if (difference.length * 2 < whole.length) return { data: difference, body: whole }
  }
  return { data: whole, body: null }
}

/** What was packed for the page, with the version that it is a difference to. */
export function basedOn(target: Pick<PackTarget, 'keyframe'>, packed: PackedBody): Packed {
  return { ...packed, base: packed.body === null ? null : target.keyframe }
}

async function keyframeOf(ctx: Ctx, target: PackTarget): Promise<Buffer | undefined> {
  if (target.page_id === null || target.version + 1 - target.keyframe >= KEYFRAME_EVERY) return undefined
  const known = ctx.contents.get(target.keyframe_id)
  if (known) return known.body
  const at = { spaceId: target.space_id, pageId: target.page_id, version: target.keyframe }
  const row = await readKeyframe.first(ctx.db, at)
  return row && ctx.contents.put(target.keyframe_id, await unpackBody(row.data)).body
}
