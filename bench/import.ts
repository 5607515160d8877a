/**
 * How fast is an import, and how much memory does the server take for it?
 *
 *   node bench/import.ts [pages]     100,000 when not given: 5 KB and 5 links each
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'

const WORDS =
  'page space link revision index note answer table search reader writer change moment address value key history line text heading'.split(
    ' ',
  )
const PAGE_BYTES = 5_000
const LINKS = 5

const count = Number(process.argv[2] ?? 100_000)
const data = mkdtempSync(join(tmpdir(), 'recto-bench-'))
const server = spawn(process.execPath, [resolve(import.meta.dirname, '../src/main.ts'), 'serve'], {
  env: {
    ...process.env,
    SVC_DATA: data,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'error',
    SVC_REQUEST_TIMEOUT_MS: '600000',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})

try {
  const { base, key } = await started()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await fetch(`${base}/spaces`, { method: 'POST', headers, body: JSON.stringify({ slug: 'bench' }) })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, memory('VmRSS'))
  }, 100)
  const before = memory('VmRSS')
  const start = performance.now()
  const answer = await send(`${base}/spaces/bench/import`, headers)
  const seconds = (performance.now() - start) / 1000
  tell('import', seconds, peak, before)
  process.stdout.write(`  ${answer}\n`)
  for (const format of ['json', 'zip']) {
    peak = 0
    const start = performance.now()
    const response = await fetch(`${base}/spaces/bench/export?format=${format}`, { headers })
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += chunk.length
    tell(`export ${format}, ${Math.round(bytes / 1e6)} MB`, (performance.now() - start) / 1000, peak, before)
  }
  clearInterval(watch)
} finally {
  server.kill('SIGTERM')
  await new Promise((done) => server.once('exit', done))
  rmSync(data, { recursive: true, force: true })
}

function tell(what: string, seconds: number, peak: number, before: number): void {
  process.stdout.write(
    `${what}: ${count} pages in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} pages/s; memory of the server ${peak} MB at most (${before} MB before), high-water mark ${memory('VmHWM')} MB\n`,
  )
}

function* documents(): Generator<string> {
  yield '{"format":"page-bundle","formatVersion":1,"space":{"slug":"bench","name":"Bench","description":""},"pages":['
  for (let number = 0; number < count; number++) {
    const page = { path: pathOf(number), body: bodyOf(number), metadata: { number, kind: 'generated' } }
    yield (number === 0 ? '' : ',') + JSON.stringify(page)
  }
  yield ']}'
}

function pathOf(number: number): string {
  return `part-${number % 100}/page-${number}`
}

/** A linear congruential generator: the same pages in every run. */
function bodyOf(number: number): string {
  let state = number + 1
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const lines = [`# Page ${number}`, '']
  for (let link = 0; link < LINKS; link++) lines.push(`- see [that](../${pathOf(next(count))}.md)`)
  let length = lines.join('\n').length
  while (length < PAGE_BYTES) {
    const line = Array.from({ length: 14 }, () => WORDS[next(WORDS.length)]).join(' ')
    lines.push(length % 7 === 0 ? `\n## ${line}\n` : line)
    length += line.length + 1
  }
  return lines.join('\n')
}

async function send(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const upload = request(url, { method: 'POST', headers })
  const answered = new Promise<string>((resolve, reject) => {
    upload.once('error', reject)
    upload.once('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(`${response.statusCode} ${text.slice(0, 300)}`)
    })
  })
  await pipeline(documents, upload)
  return answered
}

async function started(): Promise<{ base: string; key: string }> {
  let text = ''
  for await (const chunk of server.stdout) {
    text += chunk
    const base = /serves on (\S+)/.exec(text)?.[1]
    const key = /admin key: (\S+)/.exec(text)?.[1]
    if (base && key) return { base, key }
  }
  throw new Error(`the server did not start: ${text}`)
}

/** In MB. */
function memory(field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024)
}
