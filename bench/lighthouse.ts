/**
 * What Lighthouse says of the screens that people use most, signed in: `node_modules/.bin/node bench/lighthouse.ts
 * [screen...]`. Needs the system's Chromium, and brings Lighthouse itself by `npm exec`. Medians of three runs each,
 * every run in a browser of its own: in a process that has shown a page before, the profiler of a trace reads its heap
 * for 100 ms while the page is loaded. The session is in the browser: a cookie among extra headers is not sent with
 * fragments and pictures. 'a bare page' is the floor: a heading and a sentence without scripts and styles, by
 * `node:http`.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { assertStatus } from '../test/support/client.ts'
import { startStage } from '../test/web/screens.ts'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const CHROMIUM = '/usr/bin/chromium'
/** Of the browser, for its debugger. */
const PORT = Number(process.env.PORT ?? 9222)
const RUNS = Number(process.env.RUNS ?? 3)
const LARGE_TREE = 'a page in a tree of 10,000'
const SCREENS = [
  'a bare page',
  'a page',
  'the editor',
  'a view',
  'finding',
  'a space',
  'administration',
  'a webhook',
  'home',
  // Last, because the service indexes its pages for a while.
  LARGE_TREE,
]
/**
 * Of the processor of the phone. Lighthouse expects a machine with a benchmarkIndex of 1,500 for 4, and advises less on
 * a slower one.
 */
const SLOWDOWN = Number(process.env.SLOWDOWN ?? 4)
const PRESETS = (process.env.PRESETS ?? 'desktop,mobile').split(',')
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const

interface Report {
  readonly environment: { readonly benchmarkIndex: number }
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
  readonly audits: Readonly<
    Record<
      string,
      {
        readonly id: string
        readonly title: string
        readonly score: number | null
        readonly displayValue?: string
        readonly numericValue?: number
      }
    >
  >
}

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'recto-lighthouse-'))
await using stage = await startStage()
const { base, key } = stage.service.admin
const bare = createServer((_, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(
    '<!doctype html><html lang="en"><meta name="viewport" ' +
      'content="width=device-width"><title>Bare</title><h1>Bare</h1><p>A sentence.</p></html>',
  )
})
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
const screens = new Map([
  ...[...stage.screens].map(([name, path]) => [name, base + path] as const),
  ['a bare page', `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`] as const,
])
const chosen = process.argv.length > 2 ? process.argv.slice(2) : SCREENS
for (const name of chosen) {
  if (name === LARGE_TREE) screens.set(name, base + (await largeTree()))
  const address = screens.get(name)
  if (address === undefined) {
    say(`${name}: there is no such screen`)
    continue
  }
  for (const preset of PRESETS) {
    const reports: Report[] = []
    for (let count = 0; count < RUNS; count++) reports.push(await lookOrRepeat(address, preset))
    const scores = CATEGORIES.map((category) => `${category} ${median(reports, category)}`)
    const speeds = reports.map(({ environment }) => Math.round(environment.benchmarkIndex))
    const blocked = reports.map(({ audits }) => Math.round(audits['total-blocking-time']?.numericValue ?? 0))
    say(
      `${name}, ${preset}: ${scores.join(', ')} (blocked ${blocked.join(', ')} ms; ` +
        `benchmarkIndex ${speeds.join(', ')})`,
    )
    for (const line of shortcomings(reports[0])) say(`  ${line}`)
  }
}
bare.close()
rmSync(folder, { recursive: true, force: true })

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/**
 * Fills a space with 10,000 pages, 2,000 of them in one folder, and returns the URL of a page in the middle of that
 * folder.
 */
async function largeTree(): Promise<string> {
  const { admin } = stage.service
  await admin.space('large', { name: 'Large' })
  for (let from = 0; from < 10_000; from += 1_000) {
    const pages = Array.from({ length: 1_000 }, (_, n) => {
      const number = from + n
      const path = number < 2_000 ? `list/page-${number}` : `folder-${number % 200}/page-${number}`
      return { path, body: `# Page ${number}\n\n## Part\n\nText of page ${number}.\n` }
    })
    const space = { slug: 'large', name: 'Large', description: '' }
    const bundle = { format: 'page-bundle', formatVersion: 1, space, pages }
    assertStatus(await admin.post('/spaces/large/import', bundle), 200)
  }
  await untilIdle()
  return '/pages/large/list/page-1000'
}

/** Waits until the machine has little to do, such as indexing the pages. */
async function untilIdle(): Promise<void> {
  const busyMs = () => cpus().reduce((sum, { times }) => sum + times.user + times.sys, 0)
  for (let share = 1; share > 0.2; ) {
    const from = busyMs()
    await setTimeout(5_000)
    share = (busyMs() - from) / 5_000 / cpus().length
  }
}

/** A new browser with a session, which Lighthouse uses by its debugging port. */
async function signedInBrowser() {
  const context = await chromium.launchPersistentContext(mkdtempSync(join(folder, 'profile-')), {
    executablePath: CHROMIUM,
    args: ['--no-sandbox', `--remote-debugging-port=${PORT}`],
  })
  await context.request.post(`${base}/sign-in`, { form: { key: key ?? '' }, maxRedirects: 0 })
  return context
}

/** Chromium sometimes records no navigation (`NO_NAVSTART`), or Lighthouse waits for it forever. */
async function lookOrRepeat(url: string, preset: string): Promise<Report> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await look(url, preset)
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function look(url: string, preset: string): Promise<Report> {
  await using _browser = await signedInBrowser()
  const output = join(folder, 'report.json')
  await run(
    'npm',
    [
      ...['exec', '--yes', LIGHTHOUSE, '--', url, '--quiet', '--output=json', `--output-path=${output}`],
      ...(preset === 'desktop' ? ['--preset=desktop'] : [`--throttling.cpuSlowdownMultiplier=${SLOWDOWN}`]),
      `--only-categories=${CATEGORIES.join(',')}`,
      ...[`--port=${PORT}`, '--disable-storage-reset'],
    ],
    { cwd: folder, timeout: 120_000 },
  )
  return JSON.parse(readFileSync(output, 'utf8')) as Report // as Lighthouse writes it
}

function median(reports: readonly Report[], category: string): number {
  const scores = reports.map(({ categories }) => categories[category]?.score ?? 0).sort((a, b) => a - b)
  return Math.round((scores[Math.floor(scores.length / 2)] ?? 0) * 100)
}

/** What was not perfect, for whoever mends it. */
function shortcomings(report: Report | undefined): string[] {
  return Object.values(report?.audits ?? {})
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ id, title, displayValue = '' }) => `${id}: ${title} ${displayValue}`)
}
