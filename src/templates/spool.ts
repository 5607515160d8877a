import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../errors.ts'

/** An upload on disk, in a file that has no name any more: it is gone with its handle, or with the process. */
export interface Spooled extends AsyncDisposable {
  readonly file: FileHandle
  readonly size: number
  /** Its bytes from the start; may be asked for again and again. Each chunk takes the place of the one before. */
  read(): AsyncGenerator<Buffer>
}

const CHUNK_BYTES = 256 * 1024

/** Takes an upload to disk, so that it can be checked as a whole before anything is written, however slowly it comes. */
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
  }
  const kept = undo.move()
  return {
    file,
    size,
    read: () => chunksOf(file),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** An upload that is larger than imports may be. */
export function importTooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `An import takes at most ${maxBytes} bytes.`)
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  // The same memory again and again: to make new memory for each chunk is faster than to collect it.
  const memory = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(memory, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    yield memory.subarray(0, bytesRead)
    position += bytesRead
  }
}
