import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startNodeProcesses } from '../support/node-processes.ts'
import { createTestDatabase } from '../support/test-database.ts'

const ROUNDS = Number(process.env.RECTO_KILL_ROUNDS ?? 2)
const WRITERS = 12
/** The change of a space keeps its answer after the change, that of metadata with it. */
const METADATA = '/pages/docs/list/metadata'

test('when one of two nodes is killed, retries at the other are applied once, and an answer that is said to be lost is of a change that was made', async () => {
  await using database = await createTestDatabase()
  await using nodes = await startNodeProcesses(2, { SVC_DATABASE_URL: database.url })
  const clients = nodes.ports.map((port) => new Client(`http://127.0.0.1:${port}`, nodes.key))
  const [first = new Client('', ''), second = first] = clients
  await first.space('docs')
  await first.put('/pages/docs/list', 'x')
  const sent: string[] = []
  const lost: string[] = []
  let stop = false

  /** One try at each node in turn, until the change is said to be made. */
  async function send(name: string, call: (client: Client) => ReturnType<Client['get']>): Promise<void> {
    for (let tries = 0; ; tries++) {
      const answer = await call(tries % 2 === 0 ? second : first).catch(() => undefined)
      if (answer && answer.status < 300) return
      if (answer?.json?.code === 'idempotency_answer_lost') return void lost.push(name)
      if (answer) assert.ok([409, 503].includes(answer.status), answer.text)
      await delay(20)
    }
  }

  async function write(): Promise<void> {
    while (!stop) {
      const name = randomUUID()
      const key = { 'idempotency-key': name }
      sent.push(name)
      await send(name, (client) => client.patch(METADATA, { append: { all: name } }, key))
      await send(name, (client) => client.post('/spaces', { slug: `s-${name}` }, key))
    }
  }

  const writing = Promise.all(Array.from({ length: WRITERS }, write))
  writing.catch(() => {
    stop = true
  })
  for (let round = 0; round < ROUNDS; round++) {
    const before = sent.length
    await until(() => stop || sent.length > before + 2 * WRITERS, 60_000)
    await nodes.restart(1, 'SIGKILL')
  }
  stop = true
  await writing
  const { all } = (await first.get(METADATA)).json.metadata
  assert.deepEqual([...all].sort(), [...sent].sort())
  // The one that is said to be lost was made, as all others.
  for (const name of new Set([...lost, ...sent])) {
    let status = 503
    await until(async () => {
      status = (await first.get(`/spaces/s-${name}`)).status
      return status !== 503
    })
    assert.equal(status, 200, name)
  }
})
