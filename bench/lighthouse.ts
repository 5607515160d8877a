/**
 * What Lighthouse says of the screens that people use most, signed in: `node_modules/.bin/node bench/lighthouse.ts
 * [screen...]`. Needs the system's Chromium, and brings Lighthouse itself by `npm exec`. Medians of three runs each.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startStage } from '../test/web/screens.ts'

const LIGHTHOUSE = 'lighthouse@13.5.0'
const CHROMIUM = '/usr/bin/chromium'
const RUNS = Number(process.env.RUNS ?? 3)
const SCREENS = ['a page', 'the editor', 'a view', 'administration', 'a webhook', 'home']
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>
  readonly audits: Readonly<
    Record<
      string,
      {
        readonly id: string
        readonly title: string
        readonly score: number | null
        readonly displayValue?: string
      }
    >
  >
}

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'recto-lighthouse-'))
await using stage = await startStage()
const { base, key } = stage.service.admin
const cookie = await sessionCookie()
const chosen = process.argv.length > 2 ? process.argv.slice(2) : SCREENS
for (const name of chosen) {
  const address = stage.screens.get(name)
  if (address === undefined) {
    say(`${name}: there is no such screen`)
    continue
  }
  for (const preset of ['desktop', 'mobile']) {
    const reports: Report[] = []
    for (let count = 0; count < RUNS; count++) reports.push(await look(base + address, preset))
    const scores = CATEGORIES.map((category) => `${category} ${median(reports, category)}`)
    say(`${name}, ${preset}: ${scores.join(', ')}`)
    for (const line of shortcomings(reports[0])) say(`  ${line}`)
  }
}
rmSync(folder, { recursive: true, force: true })

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function sessionCookie(): Promise<string> {
  const answer = await fetch(`${base}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ key: key ?? '' }),
  })
  // The other cookie is for scripts, which do not see what is sent as a header: the service gives it again.
  const pairs = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  return pairs.find((pair) => pair.startsWith('svc_session=')) ?? ''
}

async function look(url: string, preset: string): Promise<Report> {
  const headers = join(folder, 'headers.json')
  const output = join(folder, 'report.json')
  writeFileSync(headers, JSON.stringify({ Cookie: cookie }))
  await run(
    'npm',
    [
      ...['exec', '--yes', LIGHTHOUSE, '--', url, '--quiet', '--output=json', `--output-path=${output}`],
      ...(preset === 'desktop' ? ['--preset=desktop'] : []),
      `--only-categories=${CATEGORIES.join(',')}`,
      `--extra-headers=${headers}`,
      '--chrome-flags=--headless=new --no-sandbox',
    ],
    { env: { ...process.env, CHROME_PATH: CHROMIUM }, cwd: folder },
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
