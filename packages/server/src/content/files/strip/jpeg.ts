import type { ByteReader } from './byte-reader.ts'
import { exifSegment, parseOrientation } from './orientation.ts'

/** Markers of ITU-T T.81, table B.1. */
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const COM = 0xfe
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef

/**
 * Removes metadata from a JPEG: comments, application segments that say nothing about colours, and what follows the
 * image, where phones put films and further images with metadata of their own. The orientation stays.
 */
export async function* stripJpeg(reader: ByteReader): AsyncGenerator<Buffer> {
  let orientation = 1
  for (;;) {
    const [ff, marker = 0] = await reader.peek(2)
    // No marker: what browsers make of the rest is not known.
    if (ff !== 0xff || marker === 0) return yield* reader.pass()
    if (marker === 0xff) {
      reader.consume(1) // a fill byte
      continue
    }
    if (marker === EOI) {
      yield await reader.take(2)
      await reader.skip()
      return
    }
    if (marker === SOI || marker === 0x01 || isRestart(marker)) {
      yield await reader.take(2)
      continue
    }
    const head = await reader.peek(4)
    const segment = await reader.take(2 + (head.length === 4 ? head.readUInt16BE(2) : 2))
    if (isKept(marker, segment)) yield segment
    else if (marker === APP1 && orientation === 1) {
      orientation = parseOrientation(segment.subarray(4))
      if (orientation !== 1) yield exifSegment(orientation)
    }
    if (marker === SOS) yield* scan(reader)
  }
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

/** JFIF, ICC profiles, Adobe's colour transform, and everything that is no application segment. */
function isKept(marker: number, segment: Buffer): boolean {
  if (marker === APP2) return segment.toString('latin1', 4, 16) === 'ICC_PROFILE\0'
  if (marker === APP0 || marker === APP14) return true
  return marker !== COM && (marker < APP0 || marker > APP15)
}

/** The entropy-coded data of a scan, up to the next marker. */
async function* scan(reader: ByteReader): AsyncGenerator<Buffer> {
  for (;;) {
    const bytes = await reader.available(2)
    const end = endOfScan(bytes)
    const length = Math.min(end, bytes.length)
    if (length > 0) {
      reader.consume(length)
      yield bytes.subarray(0, length)
    }
    if (length < 2 && bytes.length < 2) return // the image is cut
    if (end < bytes.length - 1) return
  }
}

/** Where the next marker begins, or may begin: a last 0xFF is looked at again. */
function endOfScan(bytes: Buffer): number {
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1]
    if (next === undefined) return at
    if (next !== 0 && !isRestart(next)) return at
  }
  return bytes.length
}
