import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

/** How the bucket answers: as S3 does, with the connection closed, or never. */
export type BucketMood = 'well' | 'away' | 'hangs'

export interface Bucket extends AsyncDisposable {
  /** For `SVC_FILES_S3_URL`. */
  readonly url: string
  mood: BucketMood
  /** Names of the objects. */
  objects(): readonly string[]
}

/** Starts an S3 server with a bucket, behind a proxy that can fail. */
export async function startBucket(): Promise<Bucket> {
  const directory = mkdtempSync(join(tmpdir(), 'recto-s3-'))
  const options = { address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'files' }] }
  const server = new S3rver({ ...options, port: 0 })
  const { port } = await server.run()
  const bucket = { mood: 'well' as BucketMood }
  const proxy = createServer((incoming, outgoing) => {
    if (bucket.mood === 'away') return void incoming.socket.destroy()
    if (bucket.mood === 'hangs') return void incoming.resume()
    const { method, url: path, headers } = incoming
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  const at = await listen(proxy)
  return Object.assign(bucket, {
    url: `http://S3RVER:S3RVER@127.0.0.1:${at.port}/files/kept?region=us-east-1`,
    objects: () =>
      readdirSync(join(directory, 'files'), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('_object')),
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections()
      proxy.close()
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  })
}

async function listen(server: Server): Promise<AddressInfo> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address() as AddressInfo // it listens on a port
}
