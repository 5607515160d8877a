import { Readable } from 'node:stream'
import { passedInBuffers } from '@recto/lib/garbage.ts'
import type { Ctx } from '../../../access/ctx.ts'
import type { ByteRange } from '../../../platform/http/ranges.ts'
import type { ObjectStore } from './object-store.ts'
import { requireObjects } from './object-store.ts'
import { type BlobPlace, CHUNK_BYTES, findBlob, readChunks } from './store-blobs.ts'

/** Chunks that one statement reads: a megabyte. */
const CHUNKS_AT_ONCE = 4

/** What reads the bytes of blobs: the database, and the bucket if there is one. */
export interface BytesCtx extends Pick<Ctx, 'db'> {
  readonly files: { readonly objects: ObjectStore | undefined }
}

/** Streams bytes of a blob, a megabyte a statement, read ahead. Slow clients hold no connection of the database. */
export function streamBytes(ctx: BytesCtx, digest: Buffer, ranges: Iterable<ByteRange | Buffer>): Readable {
  return Readable.from(readBytes(ctx, digest, ranges), { objectMode: false, highWaterMark: 1 })
}

/** The same once the first bytes are there: what goes wrong before can still be answered. */
export async function openBytes(
  ctx: BytesCtx,
  digest: Buffer,
  ranges: Iterable<ByteRange | Buffer>,
): Promise<Readable> {
  const bytes = readBytes(ctx, digest, ranges)
  const first = await bytes.next()
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (first.done) return
      yield first.value
      yield* bytes
    } finally {
      await bytes.return(undefined)
    }
  }
  return Readable.from(all(), { objectMode: false, highWaterMark: 1 })
}

async function* readBytes(ctx: BytesCtx, digest: Buffer, ranges: Iterable<ByteRange | Buffer>): AsyncGenerator<Buffer> {
  // Bytes that are moved meanwhile stay where they are for an hour.
  const place = await findBlob.first(ctx.db, { digest })
  for (const part of ranges) {
    if (Buffer.isBuffer(part)) yield part
    else if (part.end < part.start) continue
    else if (!place) throw new Error('the bytes of a file are not there')
    else yield* readPart(ctx, place, part)
  }
}

/** Streams the bytes of an upload that belongs to no blob. */
export function streamUpload(
  ctx: BytesCtx,
  { id, inS3, size }: { readonly id: string; readonly inS3: boolean; readonly size: number },
): Readable {
  const all = readPart(ctx, { upload_id: id, in_s3: inS3 }, { start: 0, end: size - 1 })
  return Readable.from(size === 0 ? [] : all, { objectMode: false, highWaterMark: 1 })
}

function readPart(ctx: BytesCtx, place: BlobPlace, part: ByteRange): AsyncIterable<Buffer> {
  return place.in_s3 ? requireObjects(ctx.files.objects).read(place.upload_id, part) : readRange(ctx, place, part)
}

async function* readRange(
  ctx: Pick<Ctx, 'db'>,
  { upload_id: uploadId }: BlobPlace,
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  const last = Math.floor(end / CHUNK_BYTES)
  const read = (from: number) => {
    const chunks = readChunks(ctx.db, { uploadId, from, until: Math.min(from + CHUNKS_AT_ONCE - 1, last) })
    chunks.catch(() => {}) // awaited below, unless the client disconnects first
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
      passedInBuffers(chunk.length)
      const offset = (first + index) * CHUNK_BYTES
      yield chunk.subarray(Math.max(start - offset, 0), end - offset + 1)
    }
  }
}
