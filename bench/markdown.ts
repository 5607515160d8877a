/**
 * How long bodies take: each step of what is derived from one when it is written, in processor time; then ordinary ones
 * by size, and the worst of the hostile ones. `node bench/markdown.ts`
 */

import { packBody } from '@recto/lib/encoding/body-codec.ts'
import { isCheap } from '@recto/markdown/engine/cost.ts'
import { type AnalysedPage, analysePage, renderPage } from '@recto/markdown/page.ts'
import { pageLinks } from '../packages/server/src/content/links/targets.ts'
import { deriveData } from '../packages/server/src/content/pages/writing/derive-body.ts'
import { indexedText } from '../packages/server/src/content/search/index-text.ts'
import { CORPORA, corporaMissing, corpusPages } from '../test/support/corpora.ts'
import { hostileBodies } from '../test/support/hostile-bodies.ts'
import { sampleBody } from './measure.ts'

const ROUNDS = 5
const HOSTILE_SIZE = 256 * 1024
const SHOWN = 15

const FROM = { space: 'bench', path: 'guide/page', publicOrigin: 'http://localhost:8080' }
const PAGE = { language: 'en', metadata: null } as const

/** The steps of writing a body, and all of them that `dataOf` takes. */
const STEPS = {
  cost: (body: string) => isCheap('analyse', body),
  analyse: (body: string) => analysePage(body),
  links: (_: string, facts: AnalysedPage) => pageLinks(facts, FROM),
  text: (_: string, facts: AnalysedPage) => indexedText({ ...PAGE, path: FROM.path, title: 'A page', facts }),
  zstd: (body: string) => packBody(Buffer.from(body)),
  derive: (body: string) => deriveData(analysePage(body), { ...PAGE, from: FROM }),
}
const SAMPLES = 15
const SAMPLE_MS = 40

/**
 * Microseconds of processor time of a step for one body: the best of some samples. Each body is another one, as edits
 * are.
 */
async function microseconds(bodies: readonly string[], step: (body: string, facts: AnalysedPage) => unknown) {
  const facts = bodies.map((body) => analysePage(body))
  let count = 0
  let best = Number.POSITIVE_INFINITY
  for (let sample = 0; sample < SAMPLES; sample++) {
    const [before, until, first] = [process.cpuUsage(), performance.now() + SAMPLE_MS, count]
    do {
      for (const [index, body] of bodies.entries()) await step(`${body}\n"${count++}"`, facts[index] as AnalysedPage)
    } while (performance.now() < until)
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / (count - first))
  }
  return best
}

async function printSteps(bodies: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const cells = (texts: readonly string[]) => texts.map((text) => text.padStart(9)).join('')
  process.stdout.write(`${'us of processor time'.padEnd(24)}${cells(Object.keys(STEPS))}\n`)
  for (const [name, of] of Object.entries(bodies)) {
    const times: string[] = []
    for (const step of Object.values(STEPS)) times.push((await microseconds(of, step)).toFixed(0))
    process.stdout.write(`${name.padEnd(24)}${cells(times)}\n`)
  }
}

interface Times {
  readonly name: string
  readonly size: number
  readonly analyse: number
  readonly render: number
}

function measure(name: string, body: string, rounds: number): Times {
  const median = (work: () => unknown) => {
    const times = Array.from({ length: rounds }, () => {
      const started = performance.now()
      work()
      return performance.now() - started
    })
    return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  }
  return { name, size: body.length, analyse: median(() => analysePage(body)), render: median(() => renderPage(body)) }
}

function print(title: string, rows: readonly Times[]): void {
  process.stdout.write(
    `\n${title.padEnd(42)}${'size'.padStart(9)}${'analyse'.padStart(10)}${'render'.padStart(10)} ms\n`,
  )
  for (const { name, size, analyse, render } of rows) {
    const cells = [String(size).padStart(9), analyse.toFixed(1).padStart(10), render.toFixed(1).padStart(10)]
    process.stdout.write(`${JSON.stringify(name).padEnd(42)}${cells.join('')}\n`)
  }
}

const ordinary = (body: string) => body.length < 16 * 1024
await printSteps({
  '1 kB': [sampleBody(1_000)],
  '6 kB': [sampleBody(6_000)],
  '20 kB': [sampleBody(20_000)],
  ...(!corporaMissing &&
    Object.fromEntries(
      CORPORA.map((name) => [
        name,
        corpusPages(name)
          .map(({ body }) => body)
          .filter(ordinary),
      ]),
    )),
})
if (!corporaMissing) {
  const text = corpusPages('rustc-guide')
    .map(({ body }) => body)
    .join('\n\n')
  const sizes = [1, 4, 16, 64, 256, 1024].map((kib) => kib * 1024)
  measure('warm', text.slice(0, HOSTILE_SIZE), ROUNDS)
  print(
    'pages of a guide',
    sizes.map((size) => measure(`${size / 1024} KiB`, text.slice(0, size), ROUNDS)),
  )
}
const hostile = Object.entries(hostileBodies(HOSTILE_SIZE)).map(([name, body]) => measure(name, body, 1))
print('hostile, the slowest first', hostile.sort((a, b) => b.render - a.render).slice(0, SHOWN))
