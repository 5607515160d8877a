import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Ctx } from '../access/ctx.ts'
import { autocommit } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import { uuid7 } from '../lib/uuid7.ts'
import type { DetectedType } from './content-type.ts'
import type { FilesCtx } from './ctx.ts'
import { CHUNK_BYTES, expireUpload, insertChunk, insertUpload } from './store-blobs.ts'
import { sweepUpload } from './sweep.ts'

/** Bytes that are stored. Disposing deletes them unless they have become those of a blob. */
export interface Upload extends AsyncDisposable {
  readonly id: string
  /** SHA-256. */
  readonly digest: Buffer
  readonly size: number
  readonly type: DetectedType
}

/** Stores a stream chunk by chunk, at most two of them in memory at a time. */
export async function storeUpload(ctx: FilesCtx, bytes: Readable, maxBytes: number): Promise<Upload> {
  await using undo = new AsyncDisposableStack()
  const id = uuid7()
  await insertUpload.first(autocommit(ctx.db), { uploadId: id })
  undo.defer(() => discard(ctx, id))
  const hash = createHash('sha256')
  const { size, head } = await storeChunks(ctx, id, bytes, { hash, maxBytes })
  const type = await ctx.files.types.detect(head)
  const stored = undo.move()
  return { id, digest: hash.digest(), size, type, [Symbol.asyncDispose]: () => stored.disposeAsync() }
}

async function storeChunks(
  ctx: Ctx,
  uploadId: string,
  bytes: Readable,
  { hash, maxBytes }: { readonly hash: Hash; readonly maxBytes: number },
): Promise<{ readonly size: number; readonly head: Buffer }> {
  let head: Buffer | undefined
  let size = 0
  let seq = 0
  // The next chunk arrives while this one is written.
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const data of chunksOf(bytes)) {
      size += data.length
      if (size > maxBytes) throw fileTooLarge(maxBytes)
      hash.update(data)
      head ??= data
      await writing
      writing = storeChunk(ctx, uploadId, seq++, data)
      writing.catch(() => {}) // awaited below
    }
  } finally {
    await writing
  }
  return { size, head: head ?? Buffer.alloc(0) }
}

async function storeChunk(ctx: Ctx, uploadId: string, seq: number, data: Buffer): Promise<void> {
  if (await insertChunk.first(autocommit(ctx.db), { uploadId, seq, data })) return
  throw uploadExpired()
}

/** The bytes in chunks of one size, the last one excepted. */
async function* chunksOf(bytes: Readable): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  try {
    // Destroying a request would close its connection before the response is sent.
    for await (let piece of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      while (length + piece.length >= CHUNK_BYTES) {
        const missing = CHUNK_BYTES - length
        yield Buffer.concat([...pieces, piece.subarray(0, missing)])
        piece = piece.subarray(missing)
        pieces = []
        length = 0
      }
      if (piece.length > 0) pieces.push(piece)
      length += piece.length
    }
  } catch (cause) {
    throw new AppError('invalid_request', 'The connection ended before the whole file had arrived.', {
      cause,
    })
  }
  if (length > 0) yield Buffer.concat(pieces)
}

/** Deletes what was stored; the sweep does it where this fails. */
async function discard(ctx: Ctx, uploadId: string): Promise<void> {
  try {
    await expireUpload.first(autocommit(ctx.db), { uploadId })
    while (await sweepUpload(ctx, uploadId));
  } catch (error) {
    ctx.log.warn({ err: error }, 'the chunks of an upload were not deleted: the sweep tries again')
  }
}

export function fileTooLarge(maxBytes: number): AppError {
  return new AppError('file_too_large', `A file has at most ${maxBytes} bytes. Nothing was changed.`, {
    members: { maxBytes },
  })
}

/** The lease of the upload ended, so that its chunks may be deleted already. */
export function uploadExpired(): AppError {
  return new AppError(
    'upload_expired',
    'The upload rested for too long and was discarded: send the file again.',
  )
}
