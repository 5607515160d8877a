/** Tag 0x0112 of EXIF 3.0: how an image is to be turned to be upright; 1: not at all. */
const ORIENTATION = 0x0112
const SHORT = 3
const HEADER = Buffer.from('Exif\0\0', 'latin1')

/** The orientation of EXIF data, with or without the header that JPEG has; 1 where it says none. */
export function parseOrientation(exif: Buffer): number {
  const tiff = exif.subarray(0, HEADER.length).equals(HEADER) ? exif.subarray(HEADER.length) : exif
  const order = tiff.toString('latin1', 0, 2)
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return 1
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return 1
  const end = Math.min(directory + 2 + short(directory) * 12, tiff.length - 11)
  for (let entry = directory + 2; entry < end; entry += 12) {
    if (short(entry) !== ORIENTATION || short(entry + 2) !== SHORT) continue
    const value = short(entry + 8)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** EXIF data (a TIFF header and one directory) that says the orientation, and nothing else. */
export function buildExif(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(ORIENTATION, 10)
  tiff.writeUInt16BE(SHORT, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

/** The same as a segment APP1 of a JPEG. */
export function exifSegment(orientation: number): Buffer {
  const data = Buffer.concat([HEADER, buildExif(orientation)])
  return Buffer.concat([Buffer.from([0xff, 0xe1, 0, data.length + 2]), data])
}
