/**
 * How fast is an import, and how much memory does the service take for it: `node bench/import.ts [pages] [files]
 * [export]`. A bundle of so many pages over HTTP, 100,000 when not given, and a folder of so many Markdown files by
 * `recto import`; with `export` the bundle is exported again. Pages have 5 KB and 5 links.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { leastImport } from './least-import.ts'
import { benchFolder, embeddedConnection, print } from './measure.ts'
import { record } from './results.ts'
import { importInto, serve } from './serving.ts'

const WORDS =
  'page space link revision index note answer table search reader writer change moment address value key history ' +
  'line text heading'.split(' ')
const PAGE_BYTES = 5_000
const LINKS = 5
const FLOOR_PAGES = 3_000

const [count = 100_000, files = 10_000] = process.argv.slice(2, 4).map(Number)
await using server = await serve()
const before = server.memory('VmRSS')
let peak = before
const watch = setInterval(() => {
  peak = Math.max(peak, server.memory('VmRSS'))
}, 100)

record('over HTTP', await timed('import', count, () => importInto(server, 'bench', pages())))
record('memory', peak, `${before} MB before, ${count} pages`)
{
  using folder = benchFolder()
  writeFiles(folder.path)
  record('from a folder', await timed('recto import', files, () => importFolder(folder.path)))
}
{
  const bodies = Array.from({ length: FLOOR_PAGES }, (_, number) => bodyOf(number))
  const { rate, node, database } = await leastImport(embeddedConnection(server.data), bodies)
  const spread = `${node.toFixed(2)} ms of Node, ${database.toFixed(2)} ms of PostgreSQL a page`
  record('floor', rate, spread)
  print(`least possible work: ${Math.round(rate)} pages/s on two processors; ${spread}`)
}
if (process.argv.includes('export')) {
  for (const query of ['format=json', 'format=zip', 'format=json&history=true', 'format=zip&history=true']) {
    await timed(`export ${query}`, count, async () => {
      const response = await fetch(`${server.base}/spaces/bench/export?${query}`, { headers: server.headers })
      for await (const _ of response.body ?? []);
    })
  }
}
clearInterval(watch)

/** Returns the pages a second. */
async function timed(what: string, pages: number, work: () => Promise<unknown>): Promise<number> {
  peak = server.memory('VmRSS')
  const spent = server.processorTime()
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  const now = server.processorTime()
  const each = (key: 'node' | 'database') => (((now[key] - spent[key]) / pages) * 1000).toFixed(2)
  print(
    `${what}: ${pages} pages in ${seconds.toFixed(1)} s, ${Math.round(pages / seconds)} pages/s; ` +
      `processor time of a page ${each('node')} ms of Node and ${each('database')} ms of PostgreSQL; ` +
      `memory of the service ${peak} MB at most (${before} MB before)`,
  )
  return pages / seconds
}

function writeFiles(folder: string): void {
  for (let part = 0; part < 100; part++) mkdirSync(join(folder, `part-${part}`))
  for (let number = 0; number < files; number++) {
    writeFileSync(join(folder, `${pathOf(number)}.md`), bodyOf(number))
  }
}

async function importFolder(folder: string): Promise<void> {
  const recto = join(import.meta.dirname, '../bin/recto.js')
  const key = server.headers.authorization?.replace('Bearer ', '')
  const { status } = spawnSync(process.execPath, [recto, 'import', folder, '--space', 'folder'], {
    env: { ...process.env, RECTO_URL: server.base, RECTO_API_KEY: key },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`recto import ended with ${status}`)
}

function* pages() {
  for (let number = 0; number < count; number++) {
    yield { path: pathOf(number), body: bodyOf(number), metadata: { number, kind: 'generated' } }
  }
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
