/** Reads a stream of bytes in pieces of chosen sizes, as parsers of formats do. */
export class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #ended = false

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** All bytes that have arrived, at least so many unless the stream ends before. They are not consumed. */
  async available(least: number): Promise<Buffer> {
    const pieces = [this.#rest]
    let length = this.#rest.length
    while (length < least && !this.#ended) {
      const { done, value } = await this.#pieces.next()
      if (done) this.#ended = true
      else {
        pieces.push(value)
        length += value.length
      }
    }
    if (pieces.length > 1) this.#rest = Buffer.concat(pieces, length)
    return this.#rest
  }

  /** The next bytes, fewer at the end. They are not consumed. */
  async peek(length: number): Promise<Buffer> {
    return (await this.available(length)).subarray(0, length)
  }

  /** Consumes bytes that have arrived. */
  consume(length: number): void {
    this.#rest = this.#rest.subarray(length)
  }

  /** The next bytes, fewer at the end. */
  async take(length: number): Promise<Buffer> {
    const bytes = await this.peek(length)
    this.consume(bytes.length)
    return bytes
  }

  /** The next bytes as they arrive; all of them unless a length is given. */
  async *pass(length = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    for (let leftBytes = length; leftBytes > 0; ) {
      const bytes = await this.take(Math.min(leftBytes, Math.max((await this.available(1)).length, 1)))
      if (bytes.length === 0) return
      leftBytes -= bytes.length
      yield bytes
    }
  }

  /** Discards the next bytes; returns how many there were. */
  async skip(length?: number): Promise<number> {
    let skippedBytes = 0
    for await (const bytes of this.pass(length)) skippedBytes += bytes.length
    return skippedBytes
  }
}
