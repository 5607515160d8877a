/** How long large edits and searches hold the event loop, and so the requests of others: see README. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { assertStatus } from '../test/support/client.ts'
import { startService } from '../test/support/service.ts'

const HITS = Number(process.argv[2] ?? 200)
await using service = await startService()
const { admin } = service
await admin.space('large')

/** Longest time that the loop was held while `work` ran, and how long it took. */
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const start = performance.now()
  await work()
  const ms = performance.now() - start
  delay.disable()
  process.stdout.write(
    `${name}: held ${(delay.max / 1e6).toFixed(0)} ms at most, p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms, took ${ms.toFixed(0)} ms\n`,
  )
}

const edit = (path: string, edits: readonly object[]) =>
  admin.patch(`/pages/large/${path}`, { edits }, { 'if-match': '*' })

assertStatus(await admin.put('/pages/large/lines', `# A\n${'\n'.repeat(1_000_000)}end\n`), 201)
for (const round of [1, 2]) {
  await measure(`${round}: plain reads`, async () => {
    for (let n = 0; n < 50; n++) await admin.get('/me')
  })
  await measure(`${round}: append to a page of a million newlines`, () =>
    edit('lines', [{ op: 'append', text: 'more' }]),
  )
  await measure(`${round}: ten edits at its heading`, () =>
    edit(
      'lines',
      Array.from({ length: 10 }, () => ({ op: 'insertAfter', heading: 'A', text: 'more' })),
    ),
  )
  await measure(`${round}: a text that stands there a million times`, () =>
    edit('lines', [{ op: 'replace', find: '\n', text: '' }]),
  )
  await measure(`${round}: ten times 10,000 places`, async () => {
    const path = `places${round}`
    assertStatus(await admin.put(`/pages/large/${path}`, 'a\n'.repeat(10_000)), 201)
    const swap = (find: string, text: string) => ({ op: 'replace', find, text, expectedCount: 10_000 })
    await edit(path, [swap('a', 'b'), swap('b', 'c')])
  })
}

const words = Array.from({ length: 2000 }, (_, n) => `word${n}`)
for (let page = 0; page < HITS; page++) {
  let body = '# Haystack\n\n'
  for (let n = page; body.length < 900_000; n++) body += `${words[(n * 7919) % 2000]} *needle* [a](b) `
  assertStatus(await admin.put(`/pages/large/hay${page}`, body), 201)
}
for (const round of [1, 2]) {
  await measure(`${round}: a search with ${HITS} hits of 900 kB`, () =>
    admin.get(`/search?q=needle&limit=${Math.min(200, HITS)}`),
  )
}
