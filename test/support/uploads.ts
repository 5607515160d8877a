import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { writeZip } from '@recto/lib/zip/zip-writer.ts'
import type { Client } from './client.ts'
import { getBytes, putBytes, sha256, someBytes } from './files.ts'
import { times } from './load.ts'

/** The state of a file after acknowledged requests, and after one whose outcome is unknown. */
interface Expected {
  /** The SHA-256 digests, in hexadecimal digits, that the file may have. */
  readonly digests: readonly string[]
  /** The other address that the file may have: it is unknown whether it was moved. */
  readonly orAt?: string
  /** Whether it may be deleted, or must be. */
  readonly deleted?: 'perhaps' | 'certainly'
}

/** What is expected of each file that was acknowledged, by its path. */
export type Acknowledged = ReadonlyMap<string, Expected>

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
const ANY = { 'if-match': '*' }

/**
 * Creates files below a folder of a space; replaces, moves, deletes, restores and purges most of them; and imports
 * archives of three. All bytes differ.
 */
export function startUploads(client: Client, space: string, folder: string): Uploads {
  const acknowledged = new Map<string, Expected>()
  const stop = new AbortController()
  let count = 0
  // A service that is killed does not respond.
  const put = (path: string, bytes: Buffer, headers?: Readonly<Record<string, string>>) =>
    putBytes(client, `/files/${space}/${path}`, bytes, headers).catch(() => undefined)
  const call = (method: string, path: string, json?: unknown) =>
    client.call(method, `/files/${space}/${path}`, { json, headers: ANY }).catch(() => undefined)
  const changes = [replace, move, remove, removeAndRestore, purge]

  async function upload(): Promise<void> {
    const number = count++
    const path = `${folder}/${number}`
    const bytes = someBytes(BYTES)
    if ((await put(path, bytes))?.status !== 201) return
    acknowledged.set(path, { digests: [hexDigest(bytes)] })
    await changes[number % (changes.length + 1)]?.(path, hexDigest(bytes))
  }

  async function replace(path: string, old: string): Promise<void> {
    const bytes = someBytes(BYTES)
    const digest = hexDigest(bytes)
    const answer = await put(path, bytes, { 'if-match': '"1"' })
    acknowledged.set(path, { digests: answer?.status === 200 ? [digest] : [old, digest] })
  }

  async function move(path: string, digest: string): Promise<void> {
    const to = `${path}-moved`
    const digests = [digest]
    acknowledged.set(path, { digests, orAt: to })
    if ((await call('POST', `${path}/move`, { to: { space, path: to } }))?.status !== 200) return
    acknowledged.set(path, { digests, deleted: 'certainly' })
    acknowledged.set(to, { digests })
  }

  async function remove(path: string, digest: string, query = ''): Promise<boolean> {
    const done = (await call('DELETE', path + query))?.status === 204
    acknowledged.set(path, { digests: [digest], deleted: done ? 'certainly' : 'perhaps' })
    return done
  }

  async function removeAndRestore(path: string, digest: string): Promise<void> {
    if (!(await remove(path, digest))) return
    const done = (await call('POST', `${path}/restore`))?.status === 200
    acknowledged.set(path, { digests: [digest], ...(!done && { deleted: 'perhaps' }) })
  }

  async function purge(path: string, digest: string): Promise<void> {
    await remove(path, digest, '?purge=true')
  }

  async function importArchive(): Promise<void> {
    const number = count++
    const files = times(3, (index) => ({ path: `${folder}/i${number}-${index}.bin`, bytes: someBytes(BYTES) }))
    const body = Uint8Array.from(await archiveOf(files))
    const headers = { 'content-type': 'application/zip' }
    const answer = await client.call('POST', `/spaces/${space}/import`, { body, headers }).catch(() => undefined)
    if (answer?.status !== 200) return
    for (const { path, bytes } of files) acknowledged.set(path, { digests: [hexDigest(bytes)] })
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

async function archiveOf(files: readonly { readonly path: string; readonly bytes: Buffer }[]): Promise<Buffer> {
  const members = files.map(({ path, bytes }) => ({ name: path, modified: new Date(), content: bytes }))
  return buffer(writeZip(Readable.from(members)))
}

/**
 * What is wrong with the files below a folder: those that are lost or are there again, and those with a version whose
 * bytes are not the acknowledged ones.
 */
export async function fileViolations(
  client: Client,
  { space, folder, acknowledged }: { space: string; folder: string; acknowledged: Acknowledged },
): Promise<readonly string[]> {
  const wrong: string[] = []
  const files = new Map<string, string>()
  for (const { path, digest } of await client.all(`/spaces/${space}/files?prefix=${folder}/&limit=200`)) {
    files.set(path, digest)
    for (const one of await client.all(`/files/${space}/${path}/versions`)) {
      const { status, bytes } = await download(client, `/files/${space}/${path}?version=${one.version}`)
      if (status === 200 && hexDigest(bytes) === one.digest) continue
      wrong.push(`${path}, version ${one.version}, has other bytes: status ${status}, ${bytes.length} bytes`)
    }
  }
  for (const [path, expected] of acknowledged) {
    const found = [path, expected.orAt ?? path].map((at) => files.get(at))
    if (!isExpected(expected, [...new Set(found)]))
      wrong.push(`the file ${path} should be ${JSON.stringify(expected)}, and is ${found.join(' and ')}`)
  }
  return wrong
}

/** Whether a file has one of the expected states; `found` are the digests at its addresses. */
function isExpected({ digests, orAt, deleted }: Expected, found: readonly (string | undefined)[]): boolean {
  const present = found.filter((digest) => digest !== undefined)
  if (present.length === 0) return deleted !== undefined
  const isOnce = orAt === undefined || found.length === 2
  return deleted !== 'certainly' && isOnce && present.every((digest) => digests.includes(digest))
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

/**
 * Deletes the files below a folder and the acknowledged ones permanently, except for one: many cycles fit on a disk.
 */
export async function purgeFiles(
  client: Client,
  {
    space,
    folder,
    acknowledged,
    except,
  }: { space: string; folder: string; acknowledged: Acknowledged; except: string | undefined },
): Promise<void> {
  const files = await client.all(`/spaces/${space}/files?prefix=${folder}/&limit=200`)
  const paths = new Set([...files.map(({ path }) => path), ...acknowledged.keys()])
  if (except !== undefined) paths.delete(except)
  for (const path of paths) await client.delete(`/files/${space}/${path}?purge=true`, ANY)
}
