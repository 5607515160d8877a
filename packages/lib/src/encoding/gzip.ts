import { constants, createGzip, type Gzip, type ZlibReset } from 'node:zlib'

/** As many as libuv has threads. */
const MAX_IDLE = 4

/** Streams that compress nothing at the moment. */
const idle: GzipStream[] = []

/**
 * Compresses a text (gzip, RFC 1952). Its streams are used again: to make one takes a third of the time of a short
 * text, and Node keeps each, with its buffers, until a major collection.
 */
export async function gzipped(text: string | Buffer): Promise<Buffer> {
  const stream = idle.pop() ?? new GzipStream()
  const bytes = await stream.compress(text)
  // One that has failed is not used again.
  if (idle.length < MAX_IDLE) idle.push(stream)
  else stream.close()
  return bytes
}

/** Compresses one text after the other. */
class GzipStream {
  readonly #gzip = createGzip() as Gzip & ZlibReset // missing in its types
  readonly #parts: Buffer[] = []

  constructor() {
    this.#gzip.on('data', (part) => this.#parts.push(part))
  }

  compress(text: string | Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#gzip.once('error', reject)
      this.#gzip.write(text)
      this.#gzip.flush(constants.Z_FINISH, () => {
        this.#gzip.off('error', reject)
        this.#gzip.reset()
        resolve(Buffer.concat(this.#parts.splice(0)))
      })
    })
  }

  close(): void {
    this.#gzip.close()
  }
}
