/**
 * Reads of a space through a change request of 500 changes, compared with plain ones: `node bench/overlay.ts [rounds]`.
 * Both a page that the request changes and one that it leaves as it is.
 */
import { assertStatus, Client } from '../test/support/client.ts'
import { openLoad, times } from '../test/support/load.ts'
import { startProcess } from '../test/support/process.ts'
import { alternate, benchFolder, print, report } from './measure.ts'

const [rounds = 5] = process.argv.slice(2).map(Number)
const PAGES = 600
const CHANGES = 500
const READS = 150

using folder = benchFolder()
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const admin = new Client(recto.url, recto.key)
await admin.space('bench')
await put(PAGES, '', '')
assertStatus(await admin.post('/spaces/bench/change-requests', { title: 'Many' }), 201)
await put(CHANGES, ' edited', '?changeRequest=1')
using load = openLoad(recto.url, recto.key, 1)

const pages = { changed: page(3), other: page(550) }
for (const [name, path] of Object.entries(pages)) {
  for (const type of ['text/markdown', 'text/html', 'application/json']) {
    await compare(`${name} page, ${type}`, `/pages/bench/${path}?`, type)
  }
}
await compare('pages', '/spaces/bench/pages?limit=50&')
await compare('search', '/search?space=bench&q=amet+edited&')

function page(number: number): string {
  return `folder${number % 20}/page${number}`
}

async function put(count: number, addition: string, query: string): Promise<void> {
  const text = `${'Lorem ipsum dolor sit amet consectetur. '.repeat(40)}${addition}`
  const operations = times(count, (number) => {
    const links = times(6, (index) => `[to](/pages/bench/${page((number * 7 + index * 13) % PAGES)})`)
    const body = `# Page ${number}\n\n${text}\n\n${links.join(' ')} ![image](../image${number}.png)\n`
    return { op: 'put', space: 'bench', path: page(number), body, ...(query && { ifMatch: '"1"' }) }
  })
  for (let at = 0; at < count; at += 50) {
    assertStatus(
      await admin.post(`/pages/batch${query}`, { operations: operations.slice(at, at + 50) }),
      query ? 202 : 200,
    )
  }
}

async function compare(label: string, url: string, accept = 'application/json'): Promise<void> {
  print(`\n${label}`)
  const plain = () => readsPerSecond(url, accept)
  report(
    await alternate({ plain, 'through the request': () => readsPerSecond(`${url}changeRequest=1`, accept) }, rounds),
    'plain',
  )
}

async function readsPerSecond(url: string, accept: string): Promise<number> {
  const start = performance.now()
  for (let read = 0; read < READS; read += 1) {
    const { status } = await load.send('GET', url, { accept })
    if (status !== 200) throw new Error(`${url}: ${status}`)
  }
  return (READS * 1_000) / (performance.now() - start)
}
