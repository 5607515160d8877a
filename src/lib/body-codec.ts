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
  if (body.length > INLINE_BYTES) return compress(body, options)
  // Otherwise every call takes 16 KiB for its result, however short.
  return zstdCompressSync(body, { ...options, chunkSize: Math.max(body.length, 64) })
}

/** The body that `packBody` packed; throws when the data or the dictionary is not what it was. */
export async function unpackBody(data: Buffer, dictionary?: Buffer): Promise<Buffer> {
  const options = dictionary ? { dictionary } : {}
  return data.length <= INLINE_BYTES / 4 ? zstdDecompressSync(data, options) : decompress(data, options)
}

/** The body that was packed whole, where it has no more than `maxBytes`; to find out takes no longer than to unpack that. */
export function unpackSmall(data: Buffer, maxBytes: number): Buffer | undefined {
  if (data.length > maxBytes) return undefined
  try {
    return zstdDecompressSync(data, { maxOutputLength: maxBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}
