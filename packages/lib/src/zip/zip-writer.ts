import { promisify } from 'node:util'
import { constants, crc32, createDeflateRaw, deflateRaw, deflateRawSync } from 'node:zlib'

/** A file of an archive: its name with `/` between folders, and its content, complete or as a stream. */
export interface ZipFile {
  readonly name: string
  readonly modified: Date
  readonly content: Buffer | AsyncIterable<Buffer>
}

/** Larger contents are compressed in a worker thread of libuv. */
const INLINE_BYTES = 64 * 1024
const UTF8_NAMES = 0x0800
const DATA_DESCRIPTOR = 0x0008
const STORED = 0
const DEFLATED = 8
/** Shorter contents hardly shrink, and compressing has a fixed cost. */
const MIN_DEFLATED = 64
/** The beginning of a large content that shows whether it shrinks, and the share that it must shrink to. */
const SAMPLE_BYTES = 16 * 1024
const MAX_SHRUNK = 0.95
const VERSION = 20
const VERSION_ZIP64 = 45
/** Made by Unix, a regular file with mode 0644. */
const MADE_BY = 0x0300
const ATTRIBUTES = (0o100644 << 16) >>> 0
const MAX_16 = 0xffff
const MAX_32 = 0xffffffff
const compress = promisify(deflateRaw)

interface Packed {
  readonly method: typeof STORED | typeof DEFLATED
  readonly crc: number
  readonly size: number
  readonly packedSize: number
}

/**
 * A ZIP archive (APPNOTE 6.3.10) as a stream: each file is compressed when it is its turn, and only the directory is
 * kept in memory. Names are UTF-8; ZIP64 where the archive needs it.
 */
export async function* writeZip(files: AsyncIterable<ZipFile>): AsyncGenerator<Buffer> {
  const directory = startDirectory()
  let offset = 0
  for await (const file of files) {
    const start = offset
    const name = Buffer.from(file.name)
    const time = dosTime(file.modified)
    let packedMember: Packed
    const content = Buffer.isBuffer(file.content) ? file.content : await wholeOrRest(file.content)
    if (Buffer.isBuffer(content)) {
      const method = content.length < MIN_DEFLATED ? STORED : DEFLATED
      const data = method === STORED ? content : await deflate(content)
      packedMember = { method, crc: crc32(content), size: content.length, packedSize: data.length }
      const header = localHeader(name, time, UTF8_NAMES, packedMember)
      offset += header.length + data.length
      yield Buffer.concat([header, data])
      directory.add(directoryEntry(name, time, UTF8_NAMES, packedMember, start))
      continue
    }
    const flags = UTF8_NAMES | DATA_DESCRIPTOR
    const header = localHeader(name, time, flags, { method: DEFLATED, crc: 0, size: 0, packedSize: 0 })
    yield header
    offset += header.length
    packedMember = yield* deflateStream(content)
    const descriptor = dataDescriptor(packedMember)
    yield descriptor
    offset += packedMember.packedSize + descriptor.length
    directory.add(directoryEntry(name, time, flags, packedMember, start))
  }
  yield* directory.blocks()
  yield endOfDirectory(directory.count(), directory.size(), offset)
}

const BLOCK_BYTES = 64 * 1024

/** The entries of the directory, joined as they come: small buffers would keep much more memory that they share. */
function startDirectory() {
  const full: Buffer[] = []
  let block = Buffer.alloc(BLOCK_BYTES)
  let usedBytes = 0
  let count = 0
  let size = 0
  return {
    add(entry: Buffer): void {
      if (usedBytes + entry.length > block.length) {
        full.push(block.subarray(0, usedBytes))
        block = Buffer.alloc(Math.max(BLOCK_BYTES, entry.length))
        usedBytes = 0
      }
      usedBytes += entry.copy(block, usedBytes)
      count++
      size += entry.length
    },
    blocks: () => [...full, block.subarray(0, usedBytes)],
    count: () => count,
    size: () => size,
  }
}

/** Joins the chunks of a short content: a stream costs more than compressing that. */
async function wholeOrRest(chunks: AsyncIterable<Buffer>): Promise<Buffer | AsyncGenerator<Buffer>> {
  const rest = chunks[Symbol.asyncIterator]()
  const heldChunks: Buffer[] = []
  let size = 0
  while (size <= INLINE_BYTES) {
    const { done, value } = await rest.next()
    if (done) return Buffer.concat(heldChunks)
    heldChunks.push(value)
    size += value.length
  }
  return (async function* () {
    yield* heldChunks
    yield* { [Symbol.asyncIterator]: () => rest }
  })()
}

async function deflate(content: Buffer): Promise<Buffer> {
  if (content.length > INLINE_BYTES) return compress(content)
  // Otherwise every call takes 16 KiB for its result, however short.
  return deflateRawSync(content, { chunkSize: Math.max(content.length, 64) })
}

/** Yields the compressed content; returns its entry for the directory. */
async function* deflateStream(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, Packed> {
  let crc = 0
  let size = 0
  let packedSize = 0
  const chunks = content[Symbol.asyncIterator]()
  const first = await chunks.next()
  const packer = createDeflateRaw(first.done || shrinks(first.value) ? {} : { level: constants.Z_NO_COMPRESSION })
  const feeding = (async () => {
    for (let next = first; !next.done; next = await chunks.next()) {
      const chunk = next.value
      crc = crc32(chunk, crc)
      size += chunk.length
      if (!packer.write(chunk)) await new Promise((resolve) => packer.once('drain', resolve))
    }
    packer.end()
  })()
  feeding.catch((error) => packer.destroy(error))
  for await (const data of packer as AsyncIterable<Buffer>) {
    packedSize += data.length
    yield data
  }
  await feeding
  if (size > MAX_32 || packedSize > MAX_32) throw new RangeError('a file of the archive is larger than 4 GiB')
  return { method: DEFLATED, crc, size, packedSize }
}

/**
 * Whether compression is worth its time, by the beginning of a content. Pictures, sound and archives do not shrink:
 * they become stored blocks of the DEFLATE format, because a stored file would need its CRC before its bytes.
 */
function shrinks(beginning: Buffer): boolean {
  const sample = beginning.subarray(0, SAMPLE_BYTES)
  return deflateRawSync(sample, { level: constants.Z_BEST_SPEED }).length < sample.length * MAX_SHRUNK
}

function localHeader(name: Buffer, time: number, flags: number, packedMember: Packed): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(VERSION, 4)
  writeCommon(header, 6, name, time, flags, packedMember)
  return Buffer.concat([header, name])
}

/** The common fields of a local header and the directory, from the flags on. */
function writeCommon(
  to: Buffer,
  at: number,
  name: Buffer,
  time: number,
  flags: number,
  { method, crc, size, packedSize }: Packed,
): void {
  to.writeUInt16LE(flags, at)
  to.writeUInt16LE(method, at + 2)
  to.writeUInt32LE(time, at + 4)
  to.writeUInt32LE(crc, at + 8)
  to.writeUInt32LE(packedSize, at + 12)
  to.writeUInt32LE(size, at + 16)
  to.writeUInt16LE(name.length, at + 20)
}

function dataDescriptor({ crc, size, packedSize }: Packed): Buffer {
  const descriptor = Buffer.alloc(16)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(crc, 4)
  descriptor.writeUInt32LE(packedSize, 8)
  descriptor.writeUInt32LE(size, 12)
  return descriptor
}

function directoryEntry(name: Buffer, time: number, flags: number, packedMember: Packed, start: number): Buffer {
  const far = start >= MAX_32
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(MADE_BY | VERSION, 4)
  entry.writeUInt16LE(far ? VERSION_ZIP64 : VERSION, 6)
  writeCommon(entry, 8, name, time, flags, packedMember)
  entry.writeUInt32LE(ATTRIBUTES, 38)
  entry.writeUInt32LE(far ? MAX_32 : start, 42)
  if (!far) return Buffer.concat([entry, name])
  const extra = Buffer.alloc(12)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8, 2)
  extra.writeBigUInt64LE(BigInt(start), 4)
  entry.writeUInt16LE(extra.length, 30)
  return Buffer.concat([entry, name, extra])
}

function endOfDirectory(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, MAX_16), 8)
  end.writeUInt16LE(Math.min(count, MAX_16), 10)
  end.writeUInt32LE(Math.min(size, MAX_32), 12)
  end.writeUInt32LE(Math.min(offset, MAX_32), 16)
  if (count < MAX_16 && size < MAX_32 && offset < MAX_32) return end
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(MADE_BY | VERSION_ZIP64, 12)
  end64.writeUInt16LE(VERSION_ZIP64, 14)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(size), 40)
  end64.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(offset + size), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, end])
}

/** MS-DOS date and time: two-second steps from 1980 on, in UTC. */
function dosTime(at: Date): number {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107)
  const date = ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}
