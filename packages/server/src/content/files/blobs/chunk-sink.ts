import { availableParallelism } from 'node:os'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { KeyedSemaphore } from '@recto/lib/concurrency/fair-queue.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { currentOwner } from '../../../platform/database/connections/request-scope.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { uploadExpired } from '../upload/upload-errors.ts'
import type { ObjectStore } from './object-store.ts'
import { insertChunk, insertFirstChunk, insertUpload, renewUpload } from './store-blobs.ts'

/** Where the chunks of an upload go. A chunk is stored while the next one arrives. */
export interface ChunkSink {
  /** Resolves once the chunks before it are stored: their memory may be used again. */
  write(data: Buffer): Promise<void>
  /** Resolves once all bytes are stored. */
  end(): Promise<void>
  /** Waits for what is being stored, whatever becomes of it. */
  settle(): Promise<void>
}

/** More do not make uploads faster. */
const MAX_WRITES = 4

/**
 * Admits the writes of chunks to the database, of principals in turn. An upload whose chunk waits reads no further, so
 * that many uploads leave the event loop, processors and connections to other requests.
 */
export type ChunkTurns = KeyedSemaphore

export function createChunkTurns(connections: number): ChunkTurns {
  const writes = Math.max(1, Math.min(MAX_WRITES, availableParallelism() >> 1, connections >> 1))
  return new KeyedSemaphore({ total: writes, perKey: writes })
}

/** A slow database has time for others while it stores a chunk. */
const MAX_REST_MS = 20

/** The wait for a turn ends soon, or with the time limit of the write before it. */
const NEVER = new AbortController().signal

/** Rows of the database. */
export function databaseSink(ctx: Pick<Ctx, 'db'>, turns: ChunkTurns, uploadId: string): ChunkSink {
  const db = autocommit(ctx.db)
  let count = 0
  const chunks = inTurn(async (data) => {
    const seq = count++
    const release = await turns.acquire(currentOwner(), NEVER)
    const began = performance.now()
    try {
      if (seq === 0) await insertFirstChunk.first(db, { uploadId, data })
      else if (!(await insertChunk.first(db, { uploadId, seq, data }))) throw uploadExpired()
      // What has arrived meanwhile comes first. Many uploads leave it half of the time.
      if (turns.waiting === 0) await setImmediate()
      else await sleep(Math.min(performance.now() - began, MAX_REST_MS))
    } finally {
      release()
    }
  })
  return {
    ...chunks,
    async end() {
      await chunks.end()
      if (count === 0) await insertUpload.first(db, { uploadId, inS3: false })
    },
  }
}

/** The least that S3 takes as a part, unless it is the last one; it has 10,000 of them. */
const PART_BYTES = 5 * 1024 * 1024
const MAX_PARTS = 10_000

/** An object of a bucket: small ones at once, others in parts, of which one is sent while the next one arrives. */
export function objectSink(
  ctx: Pick<Ctx, 'db'>,
  objects: ObjectStore,
  { uploadId, maxBytes }: { readonly uploadId: string; readonly maxBytes: number },
): ChunkSink {
  const partBytes = Math.max(PART_BYTES, Math.ceil(maxBytes / MAX_PARTS))
  const etags: string[] = []
  let multipartId: string | undefined
  const pending = new PendingPart()
  const parts = inTurn(async (part) => {
    multipartId ??= await objects.begin(uploadId)
    if (!(await renewUpload.first(autocommit(ctx.db), { uploadId, multipartId }))) throw uploadExpired()
    etags.push(await objects.putPart({ key: uploadId, id: multipartId }, etags.length + 1, part))
  })
  return {
    async write(data) {
      pending.add(data)
      if (pending.length >= partBytes) await parts.write(pending.take())
    },
    async end() {
      // The first part may be on its way.
      await parts.end()
      if (multipartId === undefined) return objects.put(uploadId, pending.take())
      if (pending.length > 0) {
        await parts.write(pending.take())
        await parts.end()
      }
      await objects.complete({ key: uploadId, id: multipartId }, etags)
    },
    settle: parts.settle,
  }
}

/** The chunks that have arrived for the next part. */
class PendingPart {
  #chunks: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Copies the chunk, because its memory is used again. */
  add(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk))
    this.#length += chunk.length
  }

  take(): Buffer {
    const part = Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#length = 0
    return part
  }
}

/** Stores one piece at a time; the next one waits for it. */
function inTurn(store: (data: Buffer) => Promise<void>): ChunkSink {
  let storing: Promise<void> = Promise.resolve()
  return {
    async write(data) {
      await storing
      storing = store(data)
      storing.catch(() => {}) // thrown by the next call
    },
    end: () => storing,
    settle: () => storing.catch(() => {}),
  }
}
