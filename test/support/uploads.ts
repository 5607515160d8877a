import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'
import { getBytes, putBytes, sha256, someBytes } from './files.ts'
import { times } from './load.ts'

/** Uploads of files that go on while the service is killed. */
export interface Uploads extends AsyncDisposable {
  /** The number of files that were acknowledged. */
  acknowledged(): number
  /** Ends them; resolves to the SHA-256 of each acknowledged file by its path, in hexadecimal digits. */
  stop(): Promise<ReadonlyMap<string, string>>
}

const UPLOADERS = 2
/** Several chunks, the last one of them smaller. */
const BYTES = 400_000
const PAUSE_MS = 50

/** Uploads new files below a folder of a space, each with bytes of its own. */
export function startUploads(client: Client, space: string, folder: string): Uploads {
  const acknowledged = new Map<string, string>()
  const stop = new AbortController()
  let count = 0
  const running = Promise.all(
    times(UPLOADERS, async () => {
      while (!stop.signal.aborted) {
        const path = `${folder}/${count++}`
        const bytes = someBytes(BYTES)
        // A service that is killed does not respond.
        const answer = await putBytes(client, `/files/${space}/${path}`, bytes).catch(() => undefined)
        if (answer?.status === 201) acknowledged.set(path, sha256(bytes).toString('hex'))
        await delay(PAUSE_MS)
      }
    }),
  )
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

/** What is wrong with the files below a folder: those that are lost, and those whose bytes are not the acknowledged ones. */
export async function fileViolations(
  client: Client,
  {
    space,
    folder,
    acknowledged,
  }: { space: string; folder: string; acknowledged: ReadonlyMap<string, string> },
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
  for (const [path, digest] of acknowledged) {
    if (files.get(path) !== digest)
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
