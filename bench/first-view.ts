/**
 * First view of a page in a browser on a slow line (400 kbit/s, 300 ms), as times that of a bare answer, which is its
 * HTML without scripts and style sheets: `node bench/first-view.ts [rounds]`. Nothing is in the cache of the browser.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../test/support/browser.ts'
import { inPerson } from '../test/support/in-person.ts'
import { startService } from '../test/support/service.ts'
import { median, print, sampleBody } from './measure.ts'
import { record } from './results.ts'

const LINE = { offline: false, latency: 300, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const rounds = Number(process.argv[2] ?? 5)

await using service = await startService()
const { admin } = service
await admin.space('docs', { name: 'Handbook' })
await admin.put('/pages/docs/plan', sampleBody(6_000))
const client = await inPerson(admin.base, admin.key ?? '')
const { text } = await client.get('/pages/docs/plan', { accept: 'text/html' })
const bare = gzipSync(text.replace(/<script.*?<\/script>|<link[^>]*>/gs, ''))
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' }).end(bare)
}).listen(0, '127.0.0.1')
await using browser = await startBrowser()
const times = { bare: [] as number[], page: [] as number[] }
for (let round = 0; round < rounds; round++) {
  times.bare.push(await firstPaint(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
  times.page.push(await firstPaint(browser, `${admin.base}/pages/docs/plan`))
}
server.close()
const [page, floor] = [median(times.page), median(times.bare)]
const spread = `${Math.round(Math.min(...times.page))} to ${Math.round(Math.max(...times.page))} ms`
record('page', page / floor, spread)
print(
  `first view on a slow line: ${(page / floor).toFixed(2)} times a bare answer (${spread}; ${Math.round(floor)} ms)`,
)

async function firstPaint(openBrowser: Browser, url: string): Promise<number> {
  const context = await openBrowser.newContext({ serviceWorkers: 'block' })
  const signedIn = await context.request.post(`${admin.base}/sign-in`, {
    form: { key: admin.key ?? '' },
    maxRedirects: 0,
  })
  if (signedIn.status() !== 303) throw new Error(`the sign-in answered ${signedIn.status()}`)
  const tab = await context.newPage()
  const session = await context.newCDPSession(tab)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', LINE)
  await tab.goto(url, { waitUntil: 'load', timeout: 60_000 })
  const paint = await tab.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  )
  await context.close()
  return paint
}
