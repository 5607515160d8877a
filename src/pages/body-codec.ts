import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'

/** Larger bodies are packed and unpacked beside the main thread. */
const INLINE_BYTES = 64 * 1024

// The checksum refuses a body that was unpacked with the wrong dictionary or damaged on its way.
const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Packs a body (zstd, RFC 8878). With `dictionary`, another body of the page, only the difference takes space. */
export async function packBody(body: Buffer, dictionary?: Buffer): Promise<Buffer> {
  const options = dictionary ? { params, dictionary } : { params }
  return body.length <= INLINE_BYTES ? zstdCompressSync(body, options) : compress(body, options)
}

/** The body that `packBody` packed; throws when the data or the dictionary is not what it was. */
export async function unpackBody(data: Buffer, dictionary?: Buffer): Promise<Buffer> {
  const options = dictionary ? { dictionary } : {}
  return data.length <= INLINE_BYTES / 4 ? zstdDecompressSync(data, options) : decompress(data, options)
}
