/** How long bodies take: ordinary ones by size, then the worst of the hostile ones. `node bench/markdown.ts` */

import { analysePage, renderPage } from '../src/markdown/page.ts'
import { corporaMissing, corpusPages } from '../test/support/corpora.ts'
import { hostileBodies } from '../test/support/hostile-bodies.ts'

const ROUNDS = 5
const HOSTILE_SIZE = 256 * 1024
const SHOWN = 15

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
  return {
    name,
    size: body.length,
    analyse: median(() => analysePage(body)),
    render: median(() => renderPage(body)),
  }
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
