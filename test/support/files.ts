import { createHash, randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Client } from './client.ts'

/** What a file is answered with, its bytes as they came. */
export interface FileAnswer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** Reads bytes as one caller does. */
export async function getBytes(
  client: Client,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<FileAnswer> {
  const authorization = `Bearer ${client.key}`
  const response = await fetch(client.base + path, {
    method,
    headers: { authorization, ...headers },
    redirect: 'manual',
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

/** Writes bytes; `headers` may hold If-Match. */
export function putBytes(client: Client, path: string, bytes: Buffer, headers: Readonly<Record<string, string>> = {}) {
  return client.call('PUT', path, { body: Uint8Array.from(bytes), headers })
}

export function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** Bytes that nothing else has. */
export function someBytes(length: number): Buffer {
  return randomBytes(length)
}

/** A PNG (RFC 2083) of one colour, which `seed` chooses. */
export function png(width: number, height: number, seed = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.alloc(1 + width * 3, seed % 256)
  row[0] = 0
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(data.length, 0)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}
