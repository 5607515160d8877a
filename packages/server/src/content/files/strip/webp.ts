import type { ByteReader } from './byte-reader.ts'
import { buildExif, parseOrientation } from './orientation.ts'

/** `RIFF`, the number of bytes after it, and `WEBP` (RFC 9649, section 2.4). */
const FILE_HEAD_BYTES = 12
const HEAD_BYTES = 8
const EXIF_BYTES = 64 * 1024
const ZEROS = Buffer.alloc(64 * 1024)

/** Overwrites EXIF data and XMP of a WebP, and removes what follows the image. The orientation stays. */
export async function* stripWebp(reader: ByteReader): AsyncGenerator<Buffer> {
  const fileHead = await reader.take(FILE_HEAD_BYTES)
  yield fileHead
  let leftBytes = fileHead.readUInt32LE(4) + 8 - FILE_HEAD_BYTES
  if (leftBytes < HEAD_BYTES) return yield* reader.pass()
  while (leftBytes > 0) {
    const head = await reader.take(Math.min(HEAD_BYTES, leftBytes))
    yield head
    leftBytes -= head.length
    if (head.length < HEAD_BYTES) break
    const size = head.readUInt32LE(4)
    const length = Math.min(size + (size % 2), leftBytes)
    const type = head.toString('latin1', 0, 4)
    if (type === 'EXIF' || type === 'XMP ') yield* overwritten(reader, length, type === 'EXIF')
    else yield* reader.pass(length)
    leftBytes -= length
  }
  await reader.skip()
}

async function* overwritten(reader: ByteReader, length: number, isExif: boolean): AsyncGenerator<Buffer> {
  const data = await reader.take(Math.min(length, EXIF_BYTES))
  const newContent = isExif ? buildExif(parseOrientation(data)) : Buffer.alloc(0)
  let leftBytes = data.length + (await reader.skip(length - data.length))
  for (const bytes of [newContent, ...Array<Buffer>(Math.ceil(leftBytes / ZEROS.length)).fill(ZEROS)]) {
    const part = bytes.subarray(0, leftBytes)
    leftBytes -= part.length
    if (part.length > 0) yield part
  }
}
