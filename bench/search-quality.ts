/**
 * Whether search finds what a person means: `node bench/search-quality.ts [folder] [checkout]`. Known items are words
 * of a page of `../shared/data/md` (two of its headings, one of its text), without and with a word of another page;
 * then 20 questions over the built-in templates. The result is how often the page is among the first three. A folder
 * that is named is kept, so that another checkout can be asked with the same pages.
 */

import { analysePage } from '../packages/markdown/src/analyse.ts'
import { isStopWord } from '../packages/server/src/content/search/stop-words.ts'
import { splitWords } from '../packages/server/src/content/search/words.ts'
import { Client } from '../test/support/client.ts'
import { corpusFiles } from '../test/support/corpora.ts'
import { startProcess } from '../test/support/process.ts'
import { benchFolder, print } from './measure.ts'
import { TEMPLATE_QUESTIONS } from './search-quality-questions.ts'

const ITEMS = 197
/** Words of more pages say too little. */
const MAX_SHARE = 0.1

interface Page {
  readonly path: string
  readonly headings: readonly string[]
  readonly words: readonly string[]
}

interface Question {
  readonly space: string
  readonly q: string
  readonly expected: string
}

using folder = benchFolder(process.argv[2])
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0' },
  ...(process.argv[3] && { root: process.argv[3] }),
})
const admin = new Client(recto.url, recto.key)
const bodies = new Map([...corpusFiles('rustc-guide'), ...corpusFiles('eips')])
await fill()
const random = createRandom(7)
const pages = [...bodies].map(([path, body]) => readPage(path, body.toString()))
for (const [space, list] of [
  ['few', fewPages(pages)],
  ['md', pages],
] as const) {
  const items = buildItems(space, list)
  await report(
    `known items among ${list.length} pages`,
    items.map(({ own, ...item }) => ({ ...item, q: own })),
  )
  await report(
    'the same with a word of another page',
    items.map(({ own, foreign, ...item }) => ({ ...item, q: `${own} ${foreign}` })),
  )
}
await report(
  'questions over built-in templates',
  TEMPLATE_QUESTIONS.map(([space, q, expected]) => ({ space, q, expected })),
)

async function fill(): Promise<void> {
  if ((await admin.get('/spaces/few')).status === 200) return
  await admin.space('md')
  await admin.space('few')
  const waiting: [string, Buffer][] = [...bodies].map(([path, body]) => [`md/${path}`, body])
  waiting.push(...fewPages([...bodies]).map(([path, body]): [string, Buffer] => [`few/${path}`, body]))
  const writeAll = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await admin.write(encodeURI(next[0]), next[1].toString())
  }
  await Promise.all([writeAll(), writeAll(), writeAll()])
  for (const slug of new Set(TEMPLATE_QUESTIONS.map(([space]) => space)))
    await admin.post(`/space-templates/builtin/${slug}/spaces`, { slug })
}

function readPage(path: string, body: string): Page {
  const { headings, text } = analysePage(body)
  return { path, headings: listWords(headings.map((heading) => heading.text).join(' ')), words: listWords(text) }
}

/** The different words of a text that say something. */
function listWords(text: string): string[] {
  const words = splitWords(text).map(({ word }) => word)
  return [...new Set(words)].filter((word) => /^\p{L}{4,20}$/u.test(word) && !isStopWord(word, ['en']))
}

function countPages(all: readonly Page[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { headings, words } of all)
    for (const word of new Set([...headings, ...words])) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Every 25th page. */
function fewPages<Item>(all: readonly Item[]): readonly Item[] {
  return all.filter((_, index) => index % 25 === 7).slice(0, 48)
}

function buildItems(space: string, list: readonly Page[]) {
  const counts = countPages(list)
  const isTelling = (word: string) => (counts.get(word) ?? 0) <= MAX_SHARE * list.length
  const buildItem = () => {
    const page = choose(list)
    const headings = page.headings.filter(isTelling)
    const words = page.words.filter((word) => isTelling(word) && !headings.includes(word))
    const foreignWords = choose(list).words.filter((word) => isTelling(word) && !page.words.includes(word))
    if (headings.length < 2 || words.length === 0 || foreignWords.length === 0) return []
    const first = choose(headings)
    const own = [first, choose(headings.filter((word) => word !== first)), choose(words)].join(' ')
    return [{ space, own, foreign: choose(foreignWords), expected: page.path }]
  }
  return Array.from({ length: 10 * ITEMS }, buildItem)
    .flat()
    .slice(0, ITEMS)
}

async function report(name: string, questions: readonly Question[]): Promise<void> {
  let [first, firstThree] = [0, 0]
  for (const { space, q, expected } of questions) {
    const { json } = await admin.get(`/search?limit=3&space=${space}&q=${encodeURIComponent(q)}`)
    const paths: string[] = json.items.map(({ path }: { path: string }) => path)
    if (paths[0] === expected) first++
    if (paths.includes(expected)) firstThree++
    else if (process.env.BENCH_SHOW !== undefined) print(`${q} -> ${expected}: ${paths.join(', ')}`)
  }
  print(`${name}: first ${first}, first three ${firstThree} of ${questions.length}`)
}

/** Numbers from 0 to 1, the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}

function choose<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}
