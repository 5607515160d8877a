/**
 * What folder rules cost a reader, as shares of the rate of the same requests without them, rules and none in turn:
 * `node bench/rules.ts [rounds] [folder] [names]`. A page in a space of 1,000 rules; lists of 10,000 pages of which
 * half are hidden; in the databases of a million pages that `all.ts fill` makes in the folder, searches and queries of
 * a reader from whom 100 rules hide folders, and of one whom they name. `names`, a regular expression, chooses parts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../test/support/client.ts'
import { newPerson } from '../test/support/people.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, CONNECTIONS, fire, median, print, processorTime, sampleBody } from './measure.ts'
import { record } from './results.ts'
import { importInto } from './serving.ts'

const [rounds = 5] = process.argv.slice(2, 3).map(Number)
const million = process.argv[3] ?? ''
const names = new RegExp(process.argv[4] ?? '')
/** Of a kind of request in a round. */
const SECONDS = 1
/** The first requests after rules were set are not counted, and what follows from these has time to end. */
const WARM_UP = 10
const SETTLE_MS = 2_000
const PAGE_RULES = 1_000
const LISTED_PAGES = 10_000
const FOLDERS = 100
const MILLION_RULES = 100
const PLAIN = 'plain'
const RULED = 'ruled'

interface Read {
  /** With `:space` in place of the space. */
  readonly path: string
  readonly accept?: string
  readonly connections?: number
}
type Questions = Partial<Record<Reader, Readonly<Record<string, Read>>>>
type Rule = readonly [space: string, prefix: string]
type Reader = 'hidden' | 'named'
type Page = Parameters<typeof importInto>[2] extends Iterable<infer Each> ? Each : never
type Times = ReadonlyMap<string, { readonly ms: number; readonly processor: number }>

const query = (filters: readonly object[], rest = ''): Read => ({
  path: `/search/metadata?filters=${encodeURIComponent(JSON.stringify(filters))}${rest}`,
})

if (names.test('page')) {
  const read = { path: '/pages/:space/guide/page', connections: CONNECTIONS }
  const reads = { Markdown: { ...read, accept: 'text/markdown' }, HTML: { ...read, accept: 'text/html' } }
  const rules = numbered<Rule>(PAGE_RULES, (n) => [RULED, n === 0 ? 'guide' : `other-${n}`])
  await compareSpaces('page', rules, { named: reads }, [{ path: 'guide/page', body: sampleBody(6_000) }])
}
if (names.test('list')) {
  const reads = {
    'by path': { path: '/spaces/:space/pages?limit=100' },
    recent: { path: '/pages/recent?space=:space&limit=100' },
  }
  const rules = numbered<Rule>(FOLDERS / 2, (n) => [RULED, `folder-${n * 2}`])
  const pages = numbered(LISTED_PAGES, (n) => ({ path: `folder-${n % FOLDERS}/page-${n}`, body: `# Page ${n}` }))
  await compareSpaces('list', rules, { hidden: reads, named: reads }, pages)
}
if (existsSync(join(million, 'search')) && names.test('search')) {
  const reads = {
    'a rare word': { path: '/search?limit=20&q=w31007x' },
    'two common words': { path: '/search?limit=20&q=w3x+w5x' },
    'the same in one space': { path: '/search?limit=20&q=w3x+w5x&space=space7' },
  }
  const rules = numbered<Rule>(MILLION_RULES, (n) => [`space${n}`, `folder${n}`])
  await compareRounds('search', join(million, 'search'), rules, { hidden: reads, named: reads })
}
if (existsSync(join(million, 'metadata')) && names.test('metadata')) {
  const reads = {
    'eq, 5 to 70 %': query([{ key: 'status', op: 'eq', value: 'review' }]),
    'contains, 0.4 %': query([{ key: 'tags', op: 'contains', value: 'tag-7' }]),
    'order by number': query([], '&orderBy=score'),
    'date gte + order': query([{ key: 'due', op: 'gte', value: '2026-01-01' }], '&orderBy=due'),
    'values of a key': { path: '/search/metadata/values?key=status' },
  }
  // The largest spaces come first, and have their pages in 17 folders.
  const rules = numbered<Rule>(MILLION_RULES, (n) => [`space-${n + 1}`, `area-${n % 17}`])
  await compareRounds('metadata', join(million, 'metadata'), rules, { hidden: reads, named: reads })
}

function numbered<T>(length: number, make: (n: number) => T): T[] {
  return Array.from({ length }, (_, n) => make(n))
}

/** Compares a space that has rules with one that has none, and the same pages. */
async function compareSpaces(name: string, rules: readonly Rule[], all: Questions, pages: readonly Page[]) {
  using folder = benchFolder()
  await using service = await start(folder.path)
  const headers = { authorization: `Bearer ${service.recto.key}`, 'content-type': 'application/json' }
  for (const space of [PLAIN, RULED]) await importInto({ base: service.recto.url, headers }, space, pages)
  await service.setRules(rules)
  await compare(name, rules, { without: () => service.timeAll(all, PLAIN), with: () => service.timeAll(all, RULED) })
}

/** Compares a database with itself: it has the rules in every second round. */
async function compareRounds(name: string, data: string, rules: readonly Rule[], all: Questions) {
  await using service = await start(data)
  await compare(name, rules, {
    without: () => service.timeAll(all),
    async with() {
      await service.setRules(rules)
      await delay(SETTLE_MS)
      const times = await service.timeAll(all)
      await service.deleteRules(rules)
      await delay(SETTLE_MS)
      return times
    },
  })
}

/** A service on a data folder, with two members: rules hide pages from one, and name the other. */
async function start(data: string) {
  const recto = await startProcess({ data, env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' } })
  const admin = new Client(recto.url, recto.key)
  const readers = { hidden: await newPerson(admin, 'Hidden'), named: await newPerson(admin, 'Named') }
  const time = async (reader: Reader, { path, accept = '*/*', connections = 1 }: Read, space: string) => {
    const url = recto.url + path.replace(':space', space)
    const headers = { authorization: `Bearer ${readers[reader].key}`, accept }
    await fire({ url, headers, expect: 200, amount: WARM_UP }, SECONDS, 1)
    const spent = processorTime({ pid: recto.pid, cluster: join(data, 'postgres') })
    const { rate, requests } = await fire({ url, headers, expect: 200 }, SECONDS, connections)
    return { ms: 1_000 / rate, processor: spent() / requests }
  }
  return {
    recto,
    async timeAll(all: Questions, space = ''): Promise<Times> {
      const times = new Map<string, Awaited<ReturnType<typeof time>>>()
      for (const reader of ['hidden', 'named'] as const) {
        for (const [what, read] of Object.entries(all[reader] ?? {})) {
          times.set(`${what}, ${reader}`, await time(reader, read, space))
        }
      }
      return times
    },
    async setRules(rules: readonly Rule[]): Promise<void> {
      const json = { read: [{ principal: readers.named.id }], write: 'inherit' }
      for (const [space, prefix] of rules) await expect(admin.call('PUT', `/spaces/${space}/rules/${prefix}`, { json }))
    },
    async deleteRules(rules: readonly Rule[]): Promise<void> {
      for (const [space, prefix] of rules) await expect(admin.call('DELETE', `/spaces/${space}/rules/${prefix}`))
    },
    [Symbol.asyncDispose]: () => recto[Symbol.asyncDispose](),
  }
}

async function compare(
  name: string,
  rules: readonly Rule[],
  variants: { readonly without: () => Promise<Times>; readonly with: () => Promise<Times> },
): Promise<void> {
  await variants.without()
  const all: (readonly [without: Times, with_: Times])[] = []
  for (let round = 0; round < rounds; round++) all.push([await variants.without(), await variants.with()])
  for (const what of all[0]?.[0].keys() ?? []) {
    const pairs = all.flatMap(([without, ruled]) => {
      const [a, b] = [without.get(what), ruled.get(what)]
      return a && b ? [[a, b] as const] : []
    })
    const shares = pairs.map(([a, b]) => a.ms / b.ms)
    const [none, some] = [0, 1].map((at) => median(pairs.map((pair) => pair[at]?.ms ?? Number.NaN)).toFixed(2))
    const processor = median(pairs.map(([a, b]) => b.processor / a.processor)).toFixed(2)
    const spread = `${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}`
    record(`${name}, ${what}`, median(shares), spread)
    print(
      `${`${name}, ${what}`.padEnd(44)} ${none} ms, with ${rules.length} rules ${some} ms:` +
        ` ${median(shares).toFixed(2)} of the rate (${spread}), processor time ${processor} times`,
    )
  }
}

async function expect(answer: ReturnType<Client['call']>): Promise<void> {
  const { status, text } = await answer
  if (status >= 300) throw new Error(text)
}
