/** Lengths are rounded up to this: otherwise they would reveal how many pages are between the shown ones. */
const LENGTH_STEP = 256
/** A continuation byte without an end, so that it is no id. */
const PADDING = 0x80

/**
 * Page ids as text for a cursor: sorted, the gaps between them as variable-length integers (LEB128), padded, in Base64.
 * Only the lowest ids that fit into `maxBytes`; `fits` says whether all did.
 */
export function packIds(ids: readonly number[], maxBytes: number): { readonly text: string; fits: boolean } {
  const bytes: number[] = []
  let before = 0
  for (const id of ids.toSorted((a, b) => a - b)) {
    const gap = toVarint(id - before)
    if (bytes.length + gap.length > maxBytes) return { text: toBase64(bytes, maxBytes), fits: false }
    bytes.push(...gap)
    before = id
  }
  const length = Math.max(bytes.length, 2 * ids.length)
  const paddedLength = Math.min(maxBytes, Math.ceil(length / LENGTH_STEP) * LENGTH_STEP)
  return { text: toBase64(bytes, paddedLength), fits: true }
}

export function unpackIds(text: string): number[] {
  const ids: number[] = []
  let [before, gap, unit] = [0, 0, 1]
  for (const byte of Buffer.from(text, 'base64')) {
    gap += (byte & 0x7f) * unit
    unit *= 0x80
    if (byte & 0x80) continue
    before += gap
    ids.push(before)
    gap = 0
    unit = 1
  }
  return ids
}

/** By division: ids may be longer than the 32 bits of JavaScript's shifts. */
function toVarint(value: number): number[] {
  const bytes: number[] = []
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80)
  return [...bytes, value]
}

function toBase64(bytes: readonly number[], length: number): string {
  return Buffer.concat([Buffer.from(bytes), Buffer.alloc(length - bytes.length, PADDING)]).toString('base64')
}
