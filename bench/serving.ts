import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** A service in a process of its own, as people run it. */
export interface Serving extends AsyncDisposable {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  /** The data folder. */
  readonly data: string
  /** What /proc tells of the memory of the Node process, in MB. */
  memory(field: 'VmRSS' | 'VmHWM'): number
  /** The processor time so far, in seconds: it tells what work costs, whatever else runs on the machine. */
  processorTime(): { readonly node: number; readonly database: number }
}

/** Starts a service on an empty data folder, and gives it the time to settle. */
export async function serve(): Promise<Serving> {
  const data = mkdtempSync(join(tmpdir(), 'recto-bench-'))
  const recto = resolve(import.meta.dirname, '../bin/recto.js')
  // As `npm start` does.
  const server = spawn(process.execPath, ['--max-semi-space-size=16', recto, 'serve'], {
    env: {
      ...process.env,
      SVC_DATA: data,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'error',
      SVC_RATE_LIMIT: '0',
      SVC_MAX_CONCURRENT_REQUESTS: '0',
      SVC_REQUEST_TIMEOUT_MS: '600000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  let found: { base: string; key: string } | undefined
  for await (const chunk of server.stdout) {
    text += chunk
    const base = /serves on ([^\s"]+)/.exec(text)?.[1]
    if (base) found = { base, key: readFileSync(join(data, 'admin-api-key'), 'utf8').trim() }
    if (found) break
  }
  if (!found) throw new Error(`the server did not start: ${text}`)
  // What the start left behind is given back a second later.
  await sleep(2_000)
  return {
    base: found.base,
    headers: { authorization: `Bearer ${found.key}`, 'content-type': 'application/json' },
    data,
    memory(field) {
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
      return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
    },
    processorTime() {
      const ticks = processTicks()
      const own = ticks.get(server.pid ?? 0)?.ticks ?? 0
      return { node: own / TICKS, database: ticksBelow(ticks, server.pid ?? 0) / TICKS }
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM')
      if (server.exitCode === null) await new Promise((done) => server.once('exit', done))
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** What Linux counts processor time in, a second. */
const TICKS = 100

interface ProcessTicks {
  readonly parent: number
  /** With those of its children that have ended. */
  readonly ticks: number
}

function processTicks(): ReadonlyMap<number, ProcessTicks> {
  const found = new Map<number, ProcessTicks>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number)
      const [parent = 0, user = 0, system = 0, childUser = 0, childSystem = 0] = [1, 11, 12, 13, 14].map(
        (at) => fields[at],
      )
      found.set(Number(name), { parent, ticks: user + system + childUser + childSystem })
    } catch {
      // It has ended since.
    }
  }
  return found
}

function ticksBelow(all: ReadonlyMap<number, ProcessTicks>, pid: number): number {
  let sum = 0
  for (const [child, { parent, ticks }] of all) if (parent === pid) sum += ticks + ticksBelow(all, child)
  return sum
}

/** Makes a space and imports pages into it; the answer, as it came. */
export async function importInto(
  { base, headers }: Pick<Serving, 'base' | 'headers'>,
  slug: string,
  pages: Iterable<{ readonly path: string; readonly body: string; readonly metadata?: object }>,
): Promise<string> {
  const made = await fetch(`${base}/spaces`, { method: 'POST', headers, body: JSON.stringify({ slug }) })
  if (made.status !== 201) throw new Error(await made.text())
  const upload = request(`${base}/spaces/${slug}/import`, { method: 'POST', headers })
  const answered = new Promise<string>((resolve, reject) => {
    upload.once('error', reject)
    upload.once('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(text))
    })
  })
  await pipeline(() => bundle(pages), upload)
  return answered
}

function* bundle(pages: Iterable<object>): Generator<string> {
  let text = '{"format":"page-bundle","formatVersion":1,"pages":['
  let separator = ''
  for (const page of pages) {
    text += separator + JSON.stringify(page)
    separator = ','
    if (text.length < 64 * 1024) continue
    yield text
    text = ''
  }
  yield `${text}]}`
}
