/** Buffers in messages between threads: structured clone makes Uint8Arrays of them, and copies all of their memory. */
import type { PageLinks } from '../../links/targets.ts'
import type { PackedBody } from '../pack-revision.ts'

export type Convert = (buffer: Buffer) => Buffer

/** Copies a buffer whose memory is shared with others, so that it can be transferred. */
export function unshared(buffer: Buffer): Buffer {
  if (buffer.length === buffer.buffer.byteLength) return buffer
  return Buffer.from(new Uint8Array(buffer).buffer)
}

export function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

export function convertLinks(links: PageLinks, convert: Convert): PageLinks {
  return { ...links, digest: links.digest && convert(links.digest) }
}

export function convertBody({ data, body }: PackedBody, convert: Convert): PackedBody {
  return { data: convert(data), body: body && convert(body) }
}
