import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'

/** Larger bodies are compressed and decompressed in a worker thread of libuv. */
const INLINE_BYTES = 64 * 1024
/** A longer result is decompressed in parts: it keeps the memory that was taken for it, also in a cache. */
const MAX_PART_BYTES = 16 * 1024
const MIN_PART_BYTES = 1024

// With the checksum a wrong dictionary or a damaged body is detected.
const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }
const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Compresses a body (zstd, RFC 8878). With `dictionary`, another body of the page, only the difference takes space. */
export async function packBody(body: Buffer, dictionary?: Buffer): Promise<Buffer> {
  const options = dictionary ? { params, dictionary } : { params }
  if (body.length > INLINE_BYTES) return compress(body, options)
  // Otherwise every call takes 16 KiB for its result, however short.
  return zstdCompressSync(body, { ...options, chunkSize: Math.max(body.length, 64) })
}

/** Decompresses the result of `packBody`; throws if the data is damaged or the dictionary is another one. */
export async function unpackBody(data: Buffer, dictionary?: Buffer): Promise<Buffer> {
  const options = dictionary ? { dictionary } : {}
  // A short delta may be one of a long body.
  if (data.length > INLINE_BYTES / 4 || (dictionary?.length ?? 0) > INLINE_BYTES) return decompress(data, options)
  return zstdDecompressSync(data, { ...options, chunkSize: sizeOfResult(data, dictionary) })
}

/** A body that was packed in full, if it has at most `maxBytes`; otherwise it is decompressed no further than that. */
export function unpackSmall(data: Buffer, maxBytes: number): Buffer | undefined {
  if (data.length > maxBytes) return undefined
  try {
    return zstdDecompressSync(data, { maxOutputLength: maxBytes, chunkSize: sizeOfResult(data) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

/** The memory that is taken for a result or a part of it: by default every call takes 16 KiB, however short. */
function sizeOfResult(data: Buffer, dictionary?: Buffer): number {
  const expectedSize = (dictionary?.length ?? 0) + 4 * data.length
  return Math.min(Math.max(expectedSize, MIN_PART_BYTES), MAX_PART_BYTES)
}
