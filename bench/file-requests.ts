/** Uploads and downloads of files, without copies of them in memory. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export const MB = 1_000_000

export interface Target {
  readonly base: string
  readonly key: string
}

/** Bytes that do not compress; no two megabytes are equal. */
export function someData(bytes: number): Readable {
  const block = randomBytes(MB)
  return Readable.from(
    (function* () {
      for (let left = bytes, n = 0; left > 0; left -= block.length, n++) {
        block.writeUInt32LE(n)
        yield Buffer.from(block.subarray(0, left))
      }
    })(),
  )
}

export async function upload(
  { base, key }: Target,
  path: string,
  bytes: () => Readable,
  length: number,
): Promise<void> {
  const outgoing = request(base + path, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-length': length },
  })
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
  await pipeline(bytes(), outgoing)
  const status = await answered
  if (status !== 201) throw new Error(`an upload was answered ${status}`)
}

export function download(url: string, key: string, length: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { authorization: `Bearer ${key}` } }, (response) => {
      let left = length
      response.on('data', (data) => {
        left -= data.length
      })
      response.on('end', () => (left === 0 ? resolve() : reject(new Error(`${left} bytes are missing`))))
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
