import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { writeZip } from '../../src/lib/zip/zip-writer.ts'
import type { Client } from './client.ts'
import { getBytes, putBytes, sha256, someBytes } from './files.ts'
import { times } from './load.ts'

/** The SHA-256 digests, in hexadecimal digits, that each acknowledged file may have: two where it is unknown whether it was replaced. */
export type Acknowledged = ReadonlyMap<string, readonly string[]>

/** Uploads of files that go on while the service is killed. */
export interface Uploads extends AsyncDisposable {
  /** The number of files that were acknowledged. */
  acknowledged(): number
  /** Ends them; resolves to the acknowledged files. */
  stop(): Promise<Acknowledged>
}

const UPLOADERS = 2
/** Several chunks, the last one of them smaller. */
const BYTES = 400_000
const PAUSE_MS = 50

/** Creates files below a folder of a space, replaces every second one, and imports archives of three; all bytes differ. */
export function startUploads(client: Client, space: string, folder: string): Uploads {
  const acknowledged = new Map<string, readonly string[]>()
  const stop = new AbortController()
  let count = 0
  // A service that is killed does not respond.
  const put = (path: string, bytes: Buffer, headers?: Readonly<Record<string, string>>) =>
    putBytes(client, `/files/${space}/${path}`, bytes, headers).catch(() => undefined)

  async function upload(): Promise<void> {
    const number = count++
    const path = `${folder}/${number}`
    const bytes = someBytes(BYTES)
    if ((await put(path, bytes))?.status !== 201) return
    acknowledged.set(path, [hexDigest(bytes)])
    if (number % 2 === 0) await replace(path, hexDigest(bytes))
  }

  async function replace(path: string, old: string): Promise<void> {
    const bytes = someBytes(BYTES)
    const digest = hexDigest(bytes)
    const answer = await put(path, bytes, { 'if-match': '"1"' })
    acknowledged.set(path, answer?.status === 200 ? [digest] : [old, digest])
  }

  async function importArchive(): Promise<void> {
    const number = count++
    const files = times(3, (index) => ({
      path: `${folder}/i${number}-${index}.bin`,
      bytes: someBytes(BYTES),
    }))
    const body = Uint8Array.from(await archiveOf(files))
    const headers = { 'content-type': 'application/zip' }
    const answer = await client
      .call('POST', `/spaces/${space}/import`, { body, headers })
      .catch(() => undefined)
    if (answer?.status !== 200) return
    for (const { path, bytes } of files) acknowledged.set(path, [hexDigest(bytes)])
  }

  const repeat = async (step: () => Promise<void>) => {
    while (!stop.signal.aborted) {
      await step()
      await delay(PAUSE_MS)
    }
  }
  const running = Promise.all([...times(UPLOADERS, () => repeat(upload)), repeat(importArchive)])
  const end = async () => {
    stop.abort()
    await running
    return acknowledged
  }
  return {
    acknowledged: () => acknowledged.size,
    stop: end,
    async [Symbol.asyncDispose]() {
      await end()
    },
  }
}

function hexDigest(bytes: Buffer): string {
  return sha256(bytes).toString('hex')
}

async function archiveOf(
  files: readonly { readonly path: string; readonly bytes: Buffer }[],
): Promise<Buffer> {
  const members = files.map(({ path, bytes }) => ({ name: path, modified: new Date(), content: bytes }))
  return buffer(writeZip(Readable.from(members)))
}

/** What is wrong with the files below a folder: those that are lost, and those whose bytes are not the acknowledged ones. */
export async function fileViolations(
  client: Client,
  { space, folder, acknowledged }: { space: string; folder: string; acknowledged: Acknowledged },
): Promise<readonly string[]> {
  const wrong: string[] = []
  const files = new Map<string, string>()
  for (const { path, digest, size } of await client.all(
    `/spaces/${space}/files?prefix=${folder}/&limit=200`,
  )) {
    files.set(path, digest)
    const { status, bytes } = await download(client, `/files/${space}/${path}`)
    if (status === 200 && sha256(bytes).toString('hex') === digest) continue
    wrong.push(`the file ${path} of ${size} bytes has other bytes: status ${status}, ${bytes.length} bytes`)
  }
  for (const [path, digests] of acknowledged) {
    if (!digests.includes(files.get(path) ?? ''))
      wrong.push(`the file ${path} was acknowledged and is ${files.get(path) ?? 'lost'}`)
  }
  return wrong
}

/** Downloads a file again where a download was cut: the database may restart once more after the first write. */
async function download(client: Client, path: string, attempts = 20): ReturnType<typeof getBytes> {
  try {
    return await getBytes(client, path)
  } catch (error) {
    if (attempts === 1) throw error
    await delay(500)
    return download(client, path, attempts - 1)
  }
}

/** Deletes the files below a folder permanently, except for one: many cycles fit on a disk. */
export async function purgeFiles(
  client: Client,
  { space, folder, except }: { space: string; folder: string; except: string | undefined },
): Promise<void> {
  for (const { path } of await client.all(`/spaces/${space}/files?prefix=${folder}/&limit=200`)) {
    if (path !== except) await client.delete(`/files/${space}/${path}?purge=true`, { 'if-match': '*' })
  }
}
