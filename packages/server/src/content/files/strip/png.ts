import { crc32 } from 'node:zlib'
import type { ByteReader } from './byte-reader.ts'
import { buildExif, parseOrientation } from './orientation.ts'

const SIGNATURE_BYTES = 8
/** The length of a chunk, and its type; a checksum of four bytes follows the data (PNG, third edition, section 5.3). */
const HEAD_BYTES = 8
const CRC_BYTES = 4
const REMOVED = new Set(['tEXt', 'zTXt', 'iTXt', 'tIME', 'eXIf'])
/** An orientation is in the first directory, which is at the beginning. */
const EXIF_BYTES = 64 * 1024

/** Removes texts, times and EXIF data from a PNG, and what follows the image. The orientation stays. */
export async function* stripPng(reader: ByteReader): AsyncGenerator<Buffer> {
  yield await reader.take(SIGNATURE_BYTES)
  for (;;) {
    const head = await reader.peek(HEAD_BYTES)
    if (head.length < HEAD_BYTES) return yield* reader.pass()
    const type = head.toString('latin1', 4)
    const length = HEAD_BYTES + head.readUInt32BE(0) + CRC_BYTES
    if (!REMOVED.has(type)) yield* reader.pass(length)
    else {
      const data = (await reader.take(Math.min(length - CRC_BYTES, EXIF_BYTES))).subarray(HEAD_BYTES)
      const orientation = type === 'eXIf' ? parseOrientation(data) : 1
      await reader.skip(length - HEAD_BYTES - data.length)
      if (orientation !== 1) yield exifChunk(orientation)
    }
    if (type === 'IEND') return void (await reader.skip())
  }
}

function exifChunk(orientation: number): Buffer {
  const data = buildExif(orientation)
  const chunk = Buffer.alloc(HEAD_BYTES + data.length + CRC_BYTES)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write('eXIf', 4, 'latin1')
  data.copy(chunk, HEAD_BYTES)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -CRC_BYTES)), chunk.length - CRC_BYTES)
  return chunk
}
