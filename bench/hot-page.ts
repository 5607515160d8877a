/**
 * Reads and writes of other pages, quiet and while 200 clients hammer one page: `node bench/hot-page.ts [seconds]
 * [rounds]`. Ten clients read and write the other pages, each as fast as its answers come.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../test/support/client.ts'
import { openLoad, times } from '../test/support/load.ts'
import { startProcess } from '../test/support/process.ts'
import { alternate, benchFolder, report } from './measure.ts'

const [seconds = 3, rounds = 5] = process.argv.slice(2).map(Number)
const HAMMERS = 200
const OTHERS = 10

using folder = benchFolder()
await using recto = await startProcess({
  data: folder.path,
  env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' },
})
const admin = new Client(recto.url, recto.key)
await admin.space('bench')
const hot = '/pages/bench/hot'
const others = times(OTHERS, (index) => `/pages/bench/other-${index}`)
for (const path of [hot, ...others]) await admin.put(path, 'start')
using hammers = openLoad(recto.url, recto.key, HAMMERS)
using calm = openLoad(recto.url, recto.key, OTHERS)

const rates = await alternate({ quiet: othersPerSecond, hammered: () => hammered(othersPerSecond) }, rounds)
report(rates, 'quiet')

async function hammered(measure: () => Promise<number>): Promise<number> {
  let stopped = false
  const clients = times(HAMMERS, async (client) => {
    let etag = '"1"'
    while (!stopped) {
      const answer = await hammers.send('PUT', hot, { 'if-match': etag }, `client ${client}`)
      etag = answer.etag ?? JSON.parse(answer.body.toString()).current?.etag ?? etag
    }
  })
  // The queue of the page fills first.
  await delay(500)
  const rate = await measure()
  stopped = true
  await Promise.all(clients)
  return rate
}

/** A read and a write in turn of each other page, as fast as the answers come. */
async function othersPerSecond(): Promise<number> {
  const until = performance.now() + seconds * 1_000
  let done = 0
  await Promise.all(
    others.map(async (path) => {
      while (performance.now() < until) {
        const read = await calm.send('GET', `${path}.md`)
        await calm.send('PUT', path, { 'if-match': read.etag ?? '' }, `after ${read.etag}`)
        done += 2
      }
    }),
  )
  return done / seconds
}
