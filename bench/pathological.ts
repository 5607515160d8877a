/**
 * How long others wait while someone writes and reads pathological Markdown: `node bench/pathological.ts [bytes]
 * [case]`. Each of the cases of `pathological_tests.py` of cmark, filled up to 1 MiB, is written and read as HTML while
 * another client reads a page every few ms; with a text, the cases whose names contain it. The longest turn is
 * processor time of the main thread, whatever the load is. The floor is the wait for a bare server (`least-read.ts`)
 * while a process beside it parses and stores ordinary pages (`least-busy.ts`).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Load, openLoad } from '../test/support/load.ts'
import { startProcess } from '../test/support/process.ts'
import { startBareReads } from './bare-reads.ts'
import { benchFolder, print } from './measure.ts'
import { record } from './results.ts'

const bytes = Number(process.argv[2] ?? 1024 * 1024 - 16)
const only = process.argv[3] ?? ''

const filled = (pattern: string, size = bytes) => pattern.repeat(Math.floor(size / pattern.length))
const numbered = (of: (n: number) => string) => {
  let text = ''
  for (let n = 1; text.length < bytes; n++) text += of(n)
  return text.slice(0, bytes)
}
const half = bytes / 2

const CASES: Readonly<Record<string, string>> = {
  'nested strong emphasis': `${filled('*a **a ', half)}b${filled(' a** a*', half)}`,
  'closers of emphasis without openers': filled('a_ '),
  'openers of emphasis without closers': filled('_a '),
  'closers of links without openers': filled('a]'),
  'openers of links without closers': filled('[a'),
  'openers and closers that do not match': filled('*a_ '),
  'two kinds of emphasis': `${filled('*a ', half)}${filled('_a*_ ', half)}`,
  'openers and closers of a multiple of 3': `a**b${filled('c* ')}`,
  'openers of links and closers of emphasis': filled('[ a_'),
  'brackets and parentheses': filled('[ (]('),
  'images of images': filled('![[]()'),
  'openers of images and brackets': filled('**x [a*b**c*](d)'),
  'nested brackets': `${filled('[', half)}a${filled(']', half)}`,
  'nested block quotes': `${filled('> ')}a`,
  'deeply nested lists': numbered((n) => `${'  '.repeat(n - 1)}* a\n`),
  'NUL characters': filled('abc\\u0000de\n'),
  'runs of backticks': numbered((n) => `e${'`'.repeat(n)}`),
  'links that are not closed, <b': filled('[a](<b'),
  'links that are not closed, b': filled('[a](b'),
  'comments that are not closed': `</${filled('<!--')}`,
  'empty lines in lists': `- foo\n${filled('\n')}`,
  'processing instructions that are not closed': filled('<?'),
  'declarations that are not closed': filled('<!A'),
  'CDATA that is not closed': filled('<![CDATA['),
  'many definitions and references': `${numbered((n) => `[${n}]: u\n`).slice(0, half)}\n\n${filled('[0] ', half - 16)}`,
  'table after table': filled('aaa\n-|\n\n'),
}

using folder = benchFolder()
const data = join(folder.path, 'data')
const socket = join(folder.path, 'turns')
await using recto = await startProcess({
  data,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', BENCH_TURNS: socket },
  nodeOptions: ['--import', join(import.meta.dirname, 'turns.ts')],
})
using writer = openLoad(recto.url, recto.key, 1)
using reader = openLoad(recto.url, recto.key, 1)
await writer.send('POST', '/spaces', { 'content-type': 'application/json' }, '{"slug":"bench"}')
await writer.send('PUT', '/pages/bench/other', { 'if-none-match': '*' }, '# Other\n')
using bare = await startBareReads('least-read', data)
using bareReader = openLoad(new URL(bare.page).origin, recto.key, 1)
const busy = fork(join(import.meta.dirname, 'least-busy.ts'), [data])
await once(busy, 'message')
for (let n = 0; n < 200; n++) await timedRead()
for (let n = 0; n < 200; n++) await bareRead()

let longest = { name: '', ms: 0 }
let longestBare = 0
for (const [index, [name, body]] of Object.entries(CASES).entries()) {
  if (!name.includes(only)) continue
  await longestTurn()
  let answer = ''
  const began = performance.now()
  const waits = await waitsDuring(timedRead, async () => {
    answer = await writeAndRead(`/pages/bench/case-${index}`, body)
  })
  const took = performance.now() - began
  const bareWaits = await waitsDuring(bareRead, () => bareWork(took), took)
  const [ms, bareMs] = [Math.max(...waits), Math.max(...bareWaits)]
  if (ms > longest.ms) longest = { name, ms }
  longestBare = Math.max(longestBare, bareMs)
  const wait =
    `longest wait of ${waits.length}: ${ms.toFixed(1)} ms; floor of ${bareWaits.length}: ` + `${bareMs.toFixed(1)} ms`
  print(`${name.padEnd(46)} ${(took / 1_000).toFixed(1)} s; ${answer}; ${wait}`)
}
busy.disconnect()
record('longest wait', longest.ms, longest.name)
record('floor, longest wait', longestBare)

/** Writes a page, and reads it as HTML; the status, and the longest turn of each. */
async function writeAndRead(path: string, body: string): Promise<string> {
  const { status } = await writer.send('PUT', path, { 'if-none-match': '*' }, body)
  const written = await longestTurn()
  if (status === 201) await writer.send('GET', path, { accept: 'text/html' })
  return `${status}; turns: ${written.toFixed(0)} and ${(await longestTurn()).toFixed(0)} ms`
}

async function bareWork(leastMs: number): Promise<void> {
  const began = performance.now()
  do {
    busy.send('work')
    await once(busy, 'message')
  } while (performance.now() - began < leastMs)
}

/** How long reads took that were sent in turn during some work, and at most for so many milliseconds. */
async function waitsDuring(
  read: () => Promise<number>,
  work: () => Promise<void>,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const waits: number[] = []
  const began = performance.now()
  let done = false
  const others = (async () => {
    for (; !done && performance.now() - began < mostMs; await sleep(2)) waits.push(await read())
  })()
  await work()
  done = true
  await others
  return waits
}

async function longestTurn(): Promise<number> {
  return Number(await text(connect(socket)))
}

function timedRead(): Promise<number> {
  return timed(reader, '/pages/bench/other.md')
}

function bareRead(): Promise<number> {
  return timed(bareReader, new URL(bare.page).pathname)
}

async function timed(load: Load, path: string): Promise<number> {
  const began = performance.now()
  const { status } = await load.send('GET', path)
  if (status !== 200) throw new Error(`a read was answered ${status}`)
  return performance.now() - began
}
