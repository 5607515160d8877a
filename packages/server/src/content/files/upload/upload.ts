import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { passedInBuffers } from '@recto/lib/garbage.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { databaseSink, objectSink } from '../blobs/chunk-sink.ts'
import type { BytesCtx } from '../blobs/download.ts'
import { requireObjects } from '../blobs/object-store.ts'
import { CHUNK_BYTES, expireUpload, insertUpload } from '../blobs/store-blobs.ts'
import { sweepUpload } from '../blobs/sweep.ts'
import type { FilesCtx } from '../ctx.ts'
import { withoutMetadata } from '../strip/strip.ts'
import type { DetectedType } from './content-type.ts'
import { fileTooLarge } from './upload-errors.ts'

/** Stored bytes. Disposing deletes them unless they belong to a blob by then. */
export interface Upload extends AsyncDisposable {
  readonly id: string
  /** Whether the bytes are in the bucket. */
  readonly inS3: boolean
  /** SHA-256. */
  readonly digest: Buffer
  /** That of the bytes as they came, where metadata was removed from them. */
  readonly sentDigest: Buffer
  readonly size: number
  readonly type: DetectedType
}

/** Stores a stream chunk by chunk, a few of them in memory at a time. `alsoHash` sees the bytes as they came. */
export async function storeUpload(ctx: FilesCtx, bytes: Readable, maxBytes: number, alsoHash?: Hash): Promise<Upload> {
  await using undo = new AsyncDisposableStack()
  const id = uuid7()
  const inS3 = ctx.files.objects?.takesUploads ?? false
  undo.defer(() => discardUpload(ctx, id))
  const sentHash = createHash('sha256')
  const hash = createHash('sha256')
  const came = received(ctx, bytes, maxBytes)
  const sentChunks = hashing(alsoHash ? hashing(came, alsoHash) : came, sentHash)
  const storedBytes = ctx.config.filesStripMetadata ? hashing(withoutMetadata(sentChunks), hash) : sentChunks
  const { size, head } = await storeChunks(ctx, { id, inS3 }, storedBytes, maxBytes)
  const type = await ctx.files.types.detect(head)
  const sentDigest = sentHash.digest()
  const digest = ctx.config.filesStripMetadata ? hash.digest() : sentDigest
  const storedStack = undo.move()
  return { id, inS3, digest, sentDigest, size, type, [Symbol.asyncDispose]: () => storedStack.disposeAsync() }
}

/** While bytes arrive, their sender is authenticated again so often. */
const ASK_EVERY_MS = 500

/** The bytes of a request, at most so many. */
async function* received(
  { reauthorization }: Pick<Ctx, 'reauthorization'>,
  bytes: Readable,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0
  let askedAt = performance.now()
  try {
    // Destroying a request would close its connection before the response is sent.
    for await (const piece of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > maxBytes) throw fileTooLarge(maxBytes)
      if (performance.now() - askedAt > ASK_EVERY_MS) {
        await reauthorization?.ask()
        askedAt = performance.now()
      }
      passedInBuffers(piece.length)
      yield piece
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('invalid_request', 'The connection ended before the whole file had arrived.', { cause })
  }
}

/** The same bytes, which a hash has seen. */
export async function* hashing(pieces: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}

/** Stores the bytes of a new upload, in the database or in the bucket. */
export async function storeChunks(
  ctx: Pick<FilesCtx, 'db' | 'files'>,
  { id: uploadId, inS3 }: Pick<Upload, 'id' | 'inS3'>,
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly size: number; readonly head: Buffer }> {
  // Before its object is there. In the database the first chunk begins it.
  if (inS3) await insertUpload.first(autocommit(ctx.db), { uploadId, inS3 })
  const sink = inS3
    ? objectSink(ctx, requireObjects(ctx.files.objects), { uploadId, maxBytes })
    : databaseSink(ctx, ctx.files.chunkTurns, uploadId)
  let head: Buffer | undefined
  let size = 0
  try {
    for await (const data of splitChunks(bytes)) {
      size += data.length
      head ??= data
      // The next chunk arrives while this one is stored.
      await sink.write(data)
    }
    await sink.end()
  } finally {
    await sink.settle()
  }
  return { size, head: head ?? Buffer.alloc(0) }
}

/**
 * The bytes in chunks of one size, except for the last one. The first stays as it is; the others share the memory of
 * two (double buffering): a sink stores one while the next one arrives, and has no further use for those before.
 */
async function* splitChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const memory = () => Buffer.allocUnsafeSlow(CHUNK_BYTES)
  const sharedPieces: Buffer[] = []
  let chunk: Buffer = memory()
  let length = 0
  for await (const piece of bytes) {
    for (let start = 0; start < piece.length; ) {
      const copiedBytes = piece.copy(chunk, length, start)
      start += copiedBytes
      length += copiedBytes
      if (length < CHUNK_BYTES) continue
      yield chunk
      chunk = sharedPieces.length < 2 ? memory() : (sharedPieces.shift() ?? memory())
      sharedPieces.push(chunk)
      length = 0
    }
  }
  if (length > 0) yield chunk.subarray(0, length)
}

/** Deletes the stored chunks; if this fails, the sweep does. */
export async function discardUpload(ctx: BytesCtx & Pick<Ctx, 'log'>, uploadId: string): Promise<void> {
  try {
    if (!(await expireUpload.first(autocommit(ctx.db), { uploadId }))) return
    while (await sweepUpload(ctx, uploadId));
  } catch (error) {
    ctx.log.warn({ err: error }, 'the chunks of an upload were not deleted: the sweep tries again')
  }
}
