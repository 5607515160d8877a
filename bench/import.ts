/**
 * How fast is an import, and how much memory does the server take for it?
 *
 *   node bench/import.ts [pages]     100,000 when not given: 5 KB and 5 links each
 */
import { importInto, serve } from './serving.ts'

const WORDS =
  'page space link revision index note answer table search reader writer change moment address value key history line text heading'.split(
    ' ',
  )
const PAGE_BYTES = 5_000
const LINKS = 5

const count = Number(process.argv[2] ?? 100_000)
await using server = await serve()
const before = server.memory('VmRSS')
let peak = before
const watch = setInterval(() => {
  peak = Math.max(peak, server.memory('VmRSS'))
}, 100)

const answer = await timed('import', () => importInto(server, 'bench', pages()))
process.stdout.write(`  ${answer}\n`)
for (const query of ['format=json', 'format=zip', 'format=json&history=true', 'format=zip&history=true']) {
  await timed(`export ${query}`, async () => {
    const response = await fetch(`${server.base}/spaces/bench/export?${query}`, { headers: server.headers })
    for await (const _ of response.body ?? []);
  })
}
clearInterval(watch)

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  peak = server.memory('VmRSS')
  const spent = server.processorTime()
  const start = performance.now()
  const result = await work()
  const seconds = (performance.now() - start) / 1000
  const now = server.processorTime()
  const each = (key: 'node' | 'database') => (((now[key] - spent[key]) / count) * 1000).toFixed(2)
  process.stdout.write(
    `${what}: ${count} pages in ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} pages/s; processor time of a page ${each('node')} ms of Node and ${each('database')} ms of PostgreSQL; memory of the server ${peak} MB at most (${before} MB before)\n`,
  )
  return result
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
