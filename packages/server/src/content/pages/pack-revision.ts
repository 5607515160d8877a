import { packBody, unpackBody } from '@recto/lib/encoding/body-codec.ts'
import type { PagesCtx } from './ctx.ts'
import { readKeyframe, type WriterRow } from './store.ts'

/** The number of versions that use one keyframe as their dictionary; then one is stored in full again. */
export const KEYFRAME_EVERY = 10

/** A body as the next revision of its page: a delta to the keyframe, with the full `body`, or in full. */
export interface PackedBody {
  readonly data: Buffer
  readonly body: Buffer | null
}

/** Packs a body as the next revision after `keyframe`; in full without a keyframe, or if a delta saves little. */
export async function packAfter(body: Buffer, keyframe: Buffer | undefined): Promise<PackedBody> {
  const full = await packBody(body)
  if (keyframe) {
    const delta = await packBody(body, keyframe)
    if (delta.length * 2 < full.length) return { data: delta, body: full }
  }
  return { data: full, body: null }
}

/** The columns of a page that packing its next revision needs. */
export type PackTarget = Pick<WriterRow, 'space_id' | 'page_id' | 'version' | 'keyframe' | 'keyframe_id'>

/** How a revision is stored: as a delta to version `base`, with its full `body` on the page; or in full. */
export interface RevisionData {
  readonly data: Buffer
  readonly base: number | null
  readonly body: Buffer | null
}

/** Packs a body as the next revision of the page. If a delta saves little, the revision is stored in full. */
export async function packRevision(ctx: PagesCtx, body: Buffer, target: PackTarget): Promise<RevisionData> {
  return basedOn(target, await packAfter(body, await findKeyframe(ctx, target)))
}

/** A packed body of the page, with the version that it is a delta to. */
export function basedOn(target: Pick<PackTarget, 'keyframe'>, packedBody: PackedBody): RevisionData {
  return { ...packedBody, base: packedBody.body === null ? null : target.keyframe }
}

async function findKeyframe(ctx: PagesCtx, target: PackTarget): Promise<Buffer | undefined> {
  if (target.page_id === null || target.version + 1 - target.keyframe >= KEYFRAME_EVERY) return undefined
  const keyframeContent = ctx.pages.contents.get(target.keyframe_id)
  if (keyframeContent) return keyframeContent.body
  const at = { spaceId: target.space_id, pageId: target.page_id, version: target.keyframe }
  const row = await readKeyframe.first(ctx.db, at)
  return row && ctx.pages.contents.put(target.keyframe_id, await unpackBody(row.data)).body
}
