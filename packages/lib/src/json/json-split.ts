/** A member of the document's object, or one element of the array that is split: the bytes of its value. */
export interface JsonPart {
  readonly name: string
  /** True for an element of the split member's array, false for the complete value of another member. */
  readonly element: boolean
  readonly bytes: Buffer
}

export interface SplitOptions {
  /** The members whose arrays are split. */
  readonly members: readonly string[]
  readonly maxElementBytes: number
  readonly maxMemberBytes: number
}

/** The grammar around the values is invalid at byte `offset`, or one of them is too large. */
export class JsonSplitError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.name = 'JsonSplitError'
    this.offset = offset
  }
}

type State = 'start' | 'name' | 'colon' | 'value' | 'element' | 'after-element' | 'after-member' | 'end'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Splits a JSON object as a stream: yields each member as one value, but each element of `members`, which must be
 * arrays, by itself. Nothing larger than the limits is ever buffered. A yielded value may be a view of the chunk: use
 * or copy it before the next one is requested. The grammar around the values is checked here; the values are not, so
 * that each must be parsed. Throws JsonSplitError.
 */
export async function* splitJson(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  options: SplitOptions,
): AsyncGenerator<JsonPart> {
  const splitter = new Splitter(options)
  for await (const chunk of chunks) yield* splitter.push(chunk)
  splitter.finish()
}

/** The same for a document in memory. */
export function* splitJsonBuffer(document: Buffer, options: SplitOptions): Generator<JsonPart> {
  const splitter = new Splitter(options)
  yield* splitter.push(document)
  splitter.finish()
}

class Splitter {
  readonly #options: SplitOptions
  readonly #names = new Set<string>()
  #state: State = 'start'
  #name = ''
  #offset = 0
  /** Of the value that is being read. */
  #parts: Buffer[] = []
  #held = 0
  #depth = 0
  #inString = false
  /** Backslashes at the very end of the previous chunk, within a string. */
  #backslashes = 0
  /** A member or element may only follow a comma, or be the first. */
  #mayEnd = false

  constructor(options: SplitOptions) {
    this.#options = options
  }

  *push(chunk: Buffer): Generator<JsonPart> {
    let at = 0
    while (at < chunk.length) {
      if (this.#reading()) {
        const end = this.#valueEnd(chunk, at)
        this.#hold(chunk.subarray(at, end ?? chunk.length))
        if (end === undefined) break
        at = end
        yield* this.#finishValue()
      } else at = this.#step(chunk, at)
    }
    // Copies the part of the value in this chunk, which belongs to the reader again.
    this.#parts = this.#parts.map((part) => (part.buffer === chunk.buffer ? Buffer.from(part) : part))
    this.#offset += chunk.length
  }

  finish(): void {
    if (this.#state !== 'end') throw new JsonSplitError('the text ends too early', this.#offset)
  }

  #reading(): boolean {
    return this.#held > 0
  }

  /** One byte of the grammar between values; returns the next offset. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a state machine, with a branch for each transition
  #step(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return at + 1
    // A byte order mark before the text (RFC 8259, section 8.1).
    if (this.#state === 'start' && this.#offset + at < 3 && [0xef, 0xbb, 0xbf].includes(byte)) return at + 1
    switch (this.#state) {
      case 'start':
        return this.#expect(byte === OPEN_OBJECT, 'name', at, true)
      case 'name':
        if (byte === CLOSE_OBJECT && this.#mayEnd) return this.#expect(true, 'end', at)
        if (byte !== QUOTE) break
        return this.#begin(chunk, at)
      case 'colon':
        return this.#expect(byte === COLON, 'value', at)
      case 'value':
        if (!this.#options.members.includes(this.#name)) return this.#begin(chunk, at)
        return this.#expect(byte === OPEN_ARRAY, 'element', at, true)
      case 'element':
        if (byte === CLOSE_ARRAY && this.#mayEnd) return this.#expect(true, 'after-member', at)
        return this.#begin(chunk, at)
      case 'after-element':
        return byte === CLOSE_ARRAY
          ? this.#expect(true, 'after-member', at)
          : this.#expect(byte === COMMA, 'element', at)
      case 'after-member':
        return byte === CLOSE_OBJECT ? this.#expect(true, 'end', at) : this.#expect(byte === COMMA, 'name', at)
      case 'end':
        break
    }
    throw this.#unexpected(at)
  }

  #expect(holds: boolean, next: State, at: number, mayEnd = false): number {
    if (!holds) throw this.#unexpected(at)
    this.#state = next
    this.#mayEnd = mayEnd
    return at + 1
  }

  #unexpected(at: number): JsonSplitError {
    return new JsonSplitError('unexpected character', this.#offset + at)
  }

  /** Starts to read a value at its first byte. */
  #begin(chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0
    if (byte === COMMA || byte === COLON || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) throw this.#unexpected(at)
    this.#depth = byte === OPEN_ARRAY || byte === OPEN_OBJECT ? 1 : 0
    this.#inString = byte === QUOTE
    this.#backslashes = 0
    this.#hold(chunk.subarray(at, at + 1))
    return at + 1
  }

  /** The offset of the end of the value in this chunk; undefined if it continues in the next one. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the loop over the bytes of a backup has local counters
  #valueEnd(chunk: Buffer, from: number): number | undefined {
    const first = this.#parts[0]?.[0]
    if (first === QUOTE) return this.#stringEnd(chunk, from)
    if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return plainEnd(chunk, from)
    let depth = this.#depth
    let at = from
    if (this.#inString) at = this.#stringEnd(chunk, from) ?? chunk.length
    for (; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === QUOTE) {
        this.#inString = true
        // Most bytes of a document are in strings, which are skipped.
        at = (this.#stringEnd(chunk, at + 1) ?? chunk.length) - 1
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        depth--
        if (depth === 0) return at + 1
      }
    }
    this.#depth = depth
    return undefined
  }

  /** The offset after the quote that ends the string; one after an odd number of backslashes does not. */
  #stringEnd(chunk: Buffer, from: number): number | undefined {
    let start = from
    for (;;) {
      const quote = chunk.indexOf(QUOTE, start)
      const stop = quote === -1 ? chunk.length : quote
      let before = stop
      while (before > from && chunk[before - 1] === BACKSLASH) before--
      const escapes = stop - before + (before === from ? this.#backslashes : 0)
      if (quote === -1) {
        this.#backslashes = escapes
        return undefined
      }
      if (escapes % 2 === 0) {
        this.#backslashes = 0
        this.#inString = false
        return quote + 1
      }
      start = quote + 1
    }
  }

  #hold(part: Buffer): void {
    this.#held += part.length
    const limit = this.#state === 'element' ? this.#options.maxElementBytes : this.#options.maxMemberBytes
    if (this.#held > limit) throw new JsonSplitError(`a value is larger than ${limit} bytes`, this.#offset)
    if (part.length > 0) this.#parts.push(part)
  }

  *#finishValue(): Generator<JsonPart> {
    const bytes = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts)
    this.#parts = []
    this.#held = 0
    if (this.#state === 'name') {
      this.#startMember(bytes)
      return
    }
    const element = this.#state === 'element'
    this.#state = element ? 'after-element' : 'after-member'
    yield { name: this.#name, element, bytes }
  }

  #startMember(bytes: Buffer): void {
    this.#name = memberName(bytes, this.#offset)
    if (this.#names.has(this.#name)) throw new JsonSplitError('a member occurs twice', this.#offset)
    this.#names.add(this.#name)
    this.#state = 'colon'
  }
}

/** The end of a number or of `true`, `false` or `null`. */
function plainEnd(chunk: Buffer, from: number): number | undefined {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0
    if (byte <= 0x20 || byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) return at
  }
  return undefined
}

function memberName(bytes: Buffer, offset: number): string {
  try {
    return String(JSON.parse(bytes.toString('utf8')))
  } catch {
    throw new JsonSplitError('a member has no valid name', offset)
  }
}
