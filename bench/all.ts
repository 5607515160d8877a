/**
 * The table of goals in one run: `node bench/all.ts [part]...`, such as `all.ts read write start`; `others` are the
 * benchmarks without a row in it, and `fill` only makes the databases with a million pages. `small` runs everything
 * with little data and few rounds, to try the benchmarks themselves. BENCH_MILLION names the folder that keeps these
 * databases; without it they are made anew. BENCH_RUNS is the number of requests for each metadata query (100). A part
 * that fails is named at the end, and the others go on.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { builtFolder } from '../bin/built-program.js'
import { GOALS, tableOf } from './goals.ts'
import { benchFolder, print } from './measure.ts'
import type { Result } from './results.ts'

const small = process.argv.includes('small')
const MILLION = small ? '2000' : '1000000'
const ROUNDS = small ? '1' : '9'
const RUNS = small ? '5' : (process.env.BENCH_RUNS ?? '100')
const MAX_PART_MS = 15 * 60_000
/** Of a part that measures an hour. */
const MAX_SOAK_MS = 65 * 60_000

type Run = readonly [script: string, ...words: string[]]

const kept = (name: string) => {
  const path = join((!small && process.env.BENCH_MILLION) || folder.path, name)
  mkdirSync(path, { recursive: true })
  return path
}

/** The parts of the table, with nine rounds where a script has rounds. */
const TABLE: Readonly<Record<string, () => Run>> = {
  read: () => ['read', '1', ROUNDS, small ? '2000' : '100000', kept('read')],
  write: () => ['write', '1', ROUNDS],
  'metadata-patch': () => ['metadata-patch', '1', ROUNDS],
  start: () => ['start', ROUNDS],
  'first-view': () => ['first-view', ROUNDS],
  streams: () => ['streams'],
  webhooks: () => ['webhooks', 'rate', 'write'],
  metadata: () => ['metadata', MILLION, RUNS, kept('metadata')],
  links: () => ['links', MILLION, kept('links')],
  search: () => ['search', MILLION, kept('search')],
  suggest: () => ['suggest', MILLION, kept('search')],
  import: () => (small ? ['import', '500', '200'] : ['import', '100000', '10000']),
  rebuild: () => ['rebuild', small ? '500' : '20000'],
  lifecycle: () => (small ? ['lifecycle', '200', '500'] : ['lifecycle', '10000', '50000']),
  pathological: () => (small ? ['pathological', '20000'] : ['pathological']),
  rules: () => ['rules', small ? '1' : '5', kept('.')],
}
const OTHERS: Readonly<Record<string, () => Run>> = {
  size: () => ['size', MILLION, '1', ROUNDS, kept('size')],
  soak: () => ['soak', '--minutes', small ? '4' : '60'],
  'hot-page': () => ['hot-page', '3', ROUNDS],
  'webhooks-latency': () => ['webhooks', 'latency', 'dead'],
  markdown: () => ['markdown'],
  'loop-delay': () => ['loop-delay'],
  files: () => ['files'],
  'sign-in': () => ['sign-in'],
  'agent-day': () => ['agent-day'],
  'agent-cost': () => ['agent-cost'],
  relevance: () => ['relevance'],
}
/** What makes the databases with a million pages. */
const FILLED = ['metadata', 'links', 'search']

using folder = benchFolder()
const asked = process.argv.slice(2).filter((word) => word !== 'small')
const fillOnly = asked[0] === 'fill'
const parts = namesOf(asked)
const results: (Result & { load: string })[] = []
const failed: string[] = []

build()
for (const name of parts) run(name)
for (const line of tableOf(GOALS, results)) print(line)
if (failed.length > 0) {
  print(`\nfailed: ${failed.join('; ')}`)
  process.exitCode = 1
}

function namesOf(words: readonly string[]): readonly string[] {
  if (fillOnly) return FILLED
  if (words.length === 0) return Object.keys(TABLE)
  const names = words.flatMap((word) => (word === 'others' ? Object.keys(OTHERS) : [word]))
  const unknown = names.find((name) => !TABLE[name] && !OTHERS[name])
  if (unknown !== undefined) throw new Error(`${unknown} is not a part: ${Object.keys({ ...TABLE, ...OTHERS })}`)
  return names
}

/** Benchmarks measure the bundle, which `npm start` runs. */
function build(): void {
  const root = join(import.meta.dirname, '..')
  if (builtFolder() === undefined) {
    spawnSync(process.execPath, ['tools/build-server.ts'], { cwd: root, stdio: 'inherit' })
  }
  print(`program: ${builtFolder() ?? 'the sources, because the bundle could not be built'}`)
}

function run(name: string): void {
  const [script, ...words] = (TABLE[name] ?? OTHERS[name])?.() ?? [name]
  const before = load()
  const began = performance.now()
  const file = join(folder.path, `${name}.results`)
  print(`\n== ${[script, ...words].join(' ')} (load ${before})`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${script}.ts`), ...words], {
    stdio: 'inherit',
    timeout: name === 'soak' ? MAX_SOAK_MS : MAX_PART_MS,
    env: {
      ...process.env,
      BENCH_RESULTS: file,
      ...(fillOnly && { BENCH_FILL_ONLY: '1' }),
      ...(small && { BENCH_DELIVERIES: '500' }),
    },
  })
  const after = load()
  if (status !== 0) failed.push(name)
  results.push(...resultsIn(file).map((result) => ({ ...result, load: `${before} to ${after}` })))
  print(`   load ${after}, ${((performance.now() - began) / 1000).toFixed(0)} s`)
}

function resultsIn(file: string): Result[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Result) // as `record` writes it
  } catch {
    return []
  }
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '?'
}
