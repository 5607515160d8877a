import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Exchange, openLoad, times } from '../support/load.ts'
import { LOAD_BALANCERS, missing, startLoadBalancer } from '../support/load-balancer.ts'
import { type NodeProcesses, startNodeProcesses } from '../support/node-processes.ts'
import { createTestDatabase } from '../support/test-database.ts'

const NODES = 3
const CLIENTS = 6
/** The load leaves the nodes processor time to start. */
const PAUSE_MS = 60
const resources = new AsyncDisposableStack()
let nodes: NodeProcesses

before(async () => {
  const { url } = resources.use(await createTestDatabase())
  nodes = resources.use(
    await startNodeProcesses(NODES, { SVC_DATABASE_URL: url, SVC_DATABASE_POOL: '4', SVC_DRAIN_SECONDS: '2' }),
  )
})
after(() => resources.disposeAsync())

for (const name of LOAD_BALANCERS) {
  test(`a rolling restart of ${NODES} nodes behind ${name} under load fails and resets no request`, {
    skip: missing(name),
  }, async () => {
    await using balancer = await startLoadBalancer(name, nodes.ports)
    await new Client(balancer.url, nodes.key).space(name)
    using load = openLoad(balancer.url, nodes.key, CLIENTS)
    const failures: string[] = []
    let answered = 0
    let over = false

    /** A request that has to succeed: reads, writes that may be repeated, and writes that may not. */
    async function send(...[method, path, headers, body]: Parameters<typeof load.send>): Promise<Exchange> {
      const failed = (reason: string) => failures.push(`${method} ${path}: ${reason}`)
      const answer = await load.send(method, path, headers, body).catch((error: Error) => {
        failed(error.message)
        return { status: 0, etag: undefined, headers: {}, body: Buffer.alloc(0) }
      })
      answered++
      if (answer.status >= 300) failed(`${answer.status} ${answer.body}`)
      return answer
    }

    async function client(number: number): Promise<number> {
      const page = `/pages/${name}/p${number}`
      let version = 0
      for (; !over; version++) {
        await send(
          'PUT',
          page,
          version === 0 ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` },
          `v${version}`,
        )
        await send('GET', `${page}.md`)
        await delay(PAUSE_MS)
        await send('PATCH', `${page}/metadata`, { 'content-type': 'application/json' }, `{"set":{"n":${version}}}`)
      }
      return version
    }

    const clients = Promise.all(times(CLIENTS, client))
    try {
      for (let index = 0; index < NODES; index++) {
        const before = answered
        await until(() => answered > before + 50, 60_000)
        assert.equal(await nodes.restart(index), 0)
      }
    } finally {
      over = true
    }
    const versions = await clients
    assert.deepEqual(failures.slice(0, 5), [], `${failures.length} of ${answered} requests failed`)
    for (const [number, version] of versions.entries()) {
      assert.equal((await load.send('GET', `/pages/${name}/p${number}.md`)).etag, `"${version}"`)
    }
  })
}
