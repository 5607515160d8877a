/** A file of a tar archive (POSIX ustar), as its header tells of it. */
export interface TarEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'other'
  readonly size: number
  /** Its bytes; has to be read to the end before the next entry. */
  readonly content: AsyncIterable<Buffer>
}

/** The archive is damaged, or ends too early. */
export class TarError extends Error {
  override readonly name = 'TarError'
}

export const TAR_BLOCK = 512
/** What an archive ends with. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK)

/** A plain file, ready to stand in an archive. Names have at most 100 bytes here. */
export function tarFile(name: string, content: Buffer, modified: Date): Buffer {
  const header = Buffer.alloc(TAR_BLOCK)
  if (Buffer.byteLength(name) > 100) throw new RangeError(`the name ${name} is too long`)
  header.write(name, 0)
  header.write('0000600\0', 100, 'latin1')
  header.write('0000000\0', 108, 'latin1')
  header.write('0000000\0', 116, 'latin1')
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  header.write(
    `${Math.floor(modified.getTime() / 1000)
      .toString(8)
      .padStart(11, '0')}\0`,
    136,
    'latin1',
  )
  header.write('0', 156, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  const padding = Buffer.alloc((TAR_BLOCK - (content.length % TAR_BLOCK)) % TAR_BLOCK)
  return Buffer.concat([header, content, padding])
}

/** The entries of an archive while it arrives. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const source = chunks[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const fill = async () => {
    const next = await source.next()
    if (next.done) return false
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
    return true
  }
  const take = async (length: number): Promise<Buffer> => {
    while (held.length < length) if (!(await fill())) throw new TarError('the archive ends too early')
    const taken = held.subarray(0, length)
    held = held.subarray(length)
    return taken
  }
  for (;;) {
    const header = await take(TAR_BLOCK)
    if (header.every((byte) => byte === 0)) return
    const { name, kind, size } = readHeader(header)
    let left = size
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        if (held.length === 0 && !(await fill())) throw new TarError('the archive ends too early')
        const part = await take(Math.min(left, held.length))
        left -= part.length
        yield part
      }
    }
    yield { name, kind, size, content: content() }
    if (left > 0) throw new Error(`${name} was not read to its end`)
    await take((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK)
  }
}

function readHeader(header: Buffer): Pick<TarEntry, 'name' | 'kind' | 'size'> {
  if (octal(header, 148, 8) !== checksumOf(header)) throw new TarError('a header is damaged')
  const prefix = text(header, 345, 155)
  // Some programs write every name as one below the folder that they were in.
  const name = text(header, 0, 100).replace(/^\.\//, '')
  const type = String.fromCharCode(header[156] ?? 0)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    kind: type === '0' || type === '\0' ? 'file' : type === '5' ? 'folder' : 'other',
    size: type === '5' ? 0 : sizeOf(header),
  }
}

/** Octal digits, or a binary number where the first bit is set, for what octal digits cannot hold. */
function sizeOf(header: Buffer): number {
  if (((header[124] ?? 0) & 0x80) === 0) return octal(header, 124, 12)
  const size = header.readUIntBE(124 + 6, 6)
  if (!Number.isSafeInteger(size)) throw new TarError('a file is too large')
  return size
}

function octal(header: Buffer, at: number, length: number): number {
  const digits = text(header, at, length).trim()
  if (!/^[0-7]+$/.test(digits)) throw new TarError('a header is damaged')
  return Number.parseInt(digits, 8)
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

/** The sum of the bytes of the header, its own field taken as blanks. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)
}
