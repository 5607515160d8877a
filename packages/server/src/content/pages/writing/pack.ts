import { packBody } from '@recto/lib/encoding/body-codec.ts'

/** The number of versions that use one keyframe as their dictionary; then one is stored in full again. */
export const KEYFRAME_EVERY = 10

/** A body as the next revision of its page: a delta to the keyframe, with the full `body` beside it, or in full. */
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
