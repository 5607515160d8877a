import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { passedInBuffers } from '@recto/lib/garbage.ts'

/** An upload in an unlinked temporary file, which the system deletes with its handle or the process. */
export interface Spooled extends AsyncDisposable {
  readonly file: FileHandle
  /** Rejects if the upload is cut off or too large. */
  readonly complete: Promise<void>
  /** Reads from the start, also while the upload arrives, and repeatedly. A chunk reuses the memory of the last one. */
  read(): AsyncGenerator<Buffer>
  /** Spools a part of the upload, which is deleted with it. */
  spoolPart(part: Readable, maxBytes: number): Promise<Spooled>
}

const CHUNK_BYTES = 256 * 1024

/** Spools an upload to disk, so that it is validated before anything is written. Returns once it is complete. */
export async function spool(folder: string, upload: Readable, maxBytes: number): Promise<Spooled> {
  await using undo = new AsyncDisposableStack()
  const spooledUpload = undo.use(await startSpool(folder, upload, maxBytes))
  await spooledUpload.complete
  undo.move()
  return spooledUpload
}

/** The same, but returns while the upload arrives. */
export async function startSpool(folder: string, upload: Readable, maxBytes: number): Promise<Spooled> {
  const path = join(folder, `import-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await using undo = new AsyncDisposableStack()
  undo.defer(() => file.close())
  await unlink(path)
  const arrival = new Arrival()
  const complete = receive(upload, file, maxBytes, arrival)
  complete.catch((error: unknown) => arrival.fail(error))
  const keptStack = undo.move()
  return {
    file,
    complete,
    read: () => readChunks(file, arrival),
    spoolPart: async (part, maxBytes) => keptStack.use(await spool(folder, part, maxBytes)),
    [Symbol.asyncDispose]: () => keptStack.disposeAsync(),
  }
}

/** How readers of an upload that is still arriving wait for more of it. */
class Arrival {
  isComplete = false
  #more = startWaiting()

  /** Resolves when more has arrived than at this moment, or all; rejects if the upload fails. */
  get more(): Promise<void> {
    return this.#more.promise
  }

  advance(): void {
    this.#more.resolve()
    this.#more = startWaiting()
  }

  end(): void {
    this.isComplete = true
    this.advance()
  }

  fail(error: unknown): void {
    this.#more.reject(error)
  }
}

/** Its rejection counts as handled: nobody may be reading when an upload fails. */
function startWaiting() {
  const resolvers = Promise.withResolvers<void>()
  resolvers.promise.catch(() => {})
  return resolvers
}

async function receive(upload: Readable, file: FileHandle, maxBytes: number, arrival: Arrival): Promise<void> {
  let size = 0
  for await (const chunk of upload as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw importTooLarge(maxBytes)
    await file.writeFile(chunk)
    passedInBuffers(chunk.length)
    arrival.advance()
  }
  arrival.end()
}

export function importTooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `An import is limited to ${maxBytes} bytes.`)
}

async function* readChunks(file: FileHandle, arrival: Arrival): AsyncGenerator<Buffer> {
  // Reused, because new buffers would be allocated faster than they are collected.
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; ; ) {
    // As of before the read: what arrives during it is read next.
    const { isComplete, more } = arrival
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position)
    if (bytesRead === 0 && isComplete) return
    if (bytesRead === 0) await more
    else yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
