import { packBody } from '@recto/lib/encoding/body-codec.ts'
import { KEYFRAME_EVERY } from '../pack-revision.ts'

/** One revision of a page as it is stored: in full, or as a delta to the one at index `base`. */
export interface PackedRevision {
  readonly data: Buffer
  readonly base: number | undefined
}

export interface PackedHistory {
  readonly revisions: readonly PackedRevision[]
  /** Index of the last revision that is stored in full. */
  readonly keyframe: number
  /** The last body in full, if its revision is a delta. */
  readonly head: Buffer | undefined
}

/** Packs the bodies of a page, oldest first, with the same result as if they had been written one by one. */
export async function packHistory(bodies: readonly Buffer[]): Promise<PackedHistory> {
  const revisions: PackedRevision[] = []
  let keyframe = 0
  let head: Buffer | undefined
  for (const [index, body] of bodies.entries()) {
    const full = await packBody(body)
    const base = index > 0 && index - keyframe < KEYFRAME_EVERY ? bodies[keyframe] : undefined
    const delta = base && (await packBody(body, base))
    if (delta && delta.length * 2 < full.length) {
      revisions.push({ data: delta, base: keyframe })
      head = full
    } else {
      revisions.push({ data: full, base: undefined })
      keyframe = index
      head = undefined
    }
  }
  return { revisions, keyframe, head }
}
