import { Readable } from 'node:stream'
import type { Ctx } from '../access/ctx.ts'
import { CHUNK_BYTES, readChunks } from './store-blobs.ts'

/** Chunks that one statement reads: a megabyte. */
const CHUNKS_AT_ONCE = 4

/** Some bytes of a blob; both ends are included, as in HTTP. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Streams bytes of a blob. Each statement reads a megabyte, the next one while that is sent; between statements no database
 * connection is held, however slowly the client reads.
 */
export function streamBytes(
  ctx: Pick<Ctx, 'db'>,
  digest: Buffer,
  ranges: Iterable<ByteRange | Buffer>,
): Readable {
  return Readable.from(bytesOf(ctx, digest, ranges), { objectMode: false, highWaterMark: 1 })
}

async function* bytesOf(
  ctx: Pick<Ctx, 'db'>,
  digest: Buffer,
  ranges: Iterable<ByteRange | Buffer>,
): AsyncGenerator<Buffer> {
  for (const part of ranges) {
    if (Buffer.isBuffer(part)) yield part
    else yield* rangeOf(ctx, digest, part)
  }
}

async function* rangeOf(
  ctx: Pick<Ctx, 'db'>,
  digest: Buffer,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  if (end < start) return
  const last = Math.floor(end / CHUNK_BYTES)
  const read = (from: number) => {
    const chunks = readChunks(ctx.db, { digest, from, until: Math.min(from + CHUNKS_AT_ONCE - 1, last) })
    chunks.catch(() => {}) // awaited below, unless the client leaves first
    return chunks
  }
  let at = Math.floor(start / CHUNK_BYTES)
  let next = read(at)
  while (at <= last) {
    const chunks = await next
    if (chunks.length === 0) throw new Error('the bytes of a file were deleted while they were sent')
    const first = at
    at += chunks.length
    if (at <= last) next = read(at)
    for (const [index, chunk] of chunks.entries()) {
      const offset = (first + index) * CHUNK_BYTES
      yield chunk.subarray(Math.max(start - offset, 0), end - offset + 1)
    }
  }
}
