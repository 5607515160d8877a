import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'
import { passedInBuffers } from '../../lib/garbage.ts'

/** An upload in an unlinked temporary file, which the system deletes with its handle or the process. */
export interface Spooled extends AsyncDisposable {
  readonly file: FileHandle
  readonly size: number
  /** Reads from the start; may be called repeatedly. Each chunk reuses the memory of the previous one. */
  read(): AsyncGenerator<Buffer>
  /** Spools a part of the upload, which is deleted with it. */
  spoolPart(part: Readable, maxBytes: number): Promise<Spooled>
}

const CHUNK_BYTES = 256 * 1024

/** Spools an upload to disk, so that it is validated completely before anything is written. */
export async function spool(folder: string, upload: Readable, maxBytes: number): Promise<Spooled> {
  const path = join(folder, `import-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await using undo = new AsyncDisposableStack()
  undo.defer(() => file.close())
  await unlink(path)
  let size = 0
  for await (const chunk of upload as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) {
      throw importTooLarge(maxBytes)
    }
    await file.writeFile(chunk)
    passedInBuffers(chunk.length)
  }
  const kept = undo.move()
  return {
    file,
    size,
    read: () => chunksOf(file),
    spoolPart: async (part, maxBytes) => kept.use(await spool(folder, part, maxBytes)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

export function importTooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `An import is limited to ${maxBytes} bytes.`)
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  // Reused, because new buffers would be allocated faster than they are collected.
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
