/**
 * What links cost a write: `node bench/link-cost.ts [seconds] [rounds]`. The same PUT of 3 kB, with ten links or with
 * as many of the same length that lead elsewhere: of new pages, of pages whose links stay, and of pages whose links
 * change.
 */
import { Client } from '../test/support/client.ts'
import { startProcess } from '../test/support/process.ts'
import { alternate, benchFolder, report, sampleBody } from './measure.ts'

const [seconds = 2, rounds = 9] = process.argv.slice(2).map(Number)
const TARGETS = 500
const WRITERS = 4

using folder = benchFolder()
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const admin = new Client(recto.url, recto.key)
await admin.space('writes')
for (let n = 0; n < TARGETS; n++) await put(`t${n}`, '# Target')

const text = sampleBody(2_500).replaceAll('./other', '#other')
let written = 0

function bodyOf(target: number, links: boolean): string {
  const lines = Array.from({ length: 10 }, (_, n) => {
    const address = `t${(target + 37 * n) % TARGETS}`
    return `- [line ${n}](${links ? './' : '##'}${address}) of ${written}`
  })
  return `${text}\n\n${lines.join('\n')}\n`
}

async function put(path: string, body: string, headers: Record<string, string> = {}): Promise<void> {
  const answer = await admin.put(`/pages/writes/${path}`, body, headers)
  if (answer.status > 201) throw new Error(answer.text)
}

/** Writes a second, by some writers at once. */
async function rate(write: (n: number) => Promise<void>): Promise<number> {
  const began = performance.now()
  const from = written
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (performance.now() - began < seconds * 1000) await write(++written)
    }),
  )
  return ((written - from) / (performance.now() - began)) * 1000
}

const VARIANTS: Readonly<Record<string, (links: boolean, n: number) => Promise<void>>> = {
  'new pages': (links, n) => put(`new-${n}`, bodyOf(n, links)),
  'links that stay': (links, n) => put(`stay-${links}-${n % 50}`, bodyOf(n % 50, links), { 'if-match': '*' }),
  'links that change': (links, n) => put(`change-${links}-${n % 50}`, bodyOf(n, links), { 'if-match': '*' }),
}
for (let n = 0; n < 50; n++) {
  for (const links of [true, false]) {
    await put(`stay-${links}-${n}`, bodyOf(n, links))
    await put(`change-${links}-${n}`, bodyOf(n, links))
  }
}
for (const [name, write] of Object.entries(VARIANTS)) {
  const [plain, linked] = [`${name}, none`, `${name}, ten`]
  const rates = await alternate(
    { [plain]: () => rate((n) => write(false, n)), [linked]: () => rate((n) => write(true, n)) },
    rounds,
  )
  report(rates, plain)
}
