import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type RectoProcess, startProcess } from '../support/process.ts'

const ROUNDS = Number(process.env.RECTO_KILL_ROUNDS ?? 3)
const WRITERS = 8
const METADATA = '/pages/docs/list/metadata'
const data = mkdtempSync(join(tmpdir(), 'recto-kill-'))
let recto: RectoProcess
after(async () => {
  await recto[Symbol.asyncDispose]()
  rmSync(data, { recursive: true, force: true, maxRetries: 5 })
})

test('a request with an Idempotency-Key that is retried while the process is killed is applied once', async () => {
  recto = await startProcess({ data, env: { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' } })
  const env = { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', SVC_PORT: new URL(recto.url).port }
  const admin = new Client(recto.url, recto.key)
  await admin.space('docs')
  await admin.put('/pages/docs/list', 'x')
  const sent: string[] = []
  let stop = false

  const patienceOf = () => (Math.random() < 0.2 ? 2 + Math.random() * 40 : 20_000)

  /** One try, which loses patience now and then: the answer is lost, the work may be done. */
  async function append(key: string, patience = patienceOf()): Promise<Response> {
    const response = await fetch(`${recto.url}${METADATA}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${recto.key}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ append: { all: key } }),
      signal: AbortSignal.timeout(patience),
    })
    await response.arrayBuffer()
    return response
  }

  /** Appends under a key until it is told that it was done. */
  async function write(): Promise<void> {
    while (!stop) {
      const key = randomUUID()
      sent.push(key)
      await until(async () => {
        const answer = await append(key).catch(() => undefined)
        // While the database comes back, or an attempt may be under way.
        if (!answer || [409, 503].includes(answer.status)) await delay(20)
        else assert.equal(answer.status, 200)
        // The answer of this change is committed with it: it is never lost.
        if (answer?.status === 409) assert.equal(answer.headers.get('retry-after'), '1')
        return answer?.status === 200
      }, 90_000)
    }
  }

  const writing = Promise.all(Array.from({ length: WRITERS }, write))
  writing.catch(() => {
    stop = true
  })
  for (let round = 0; round < ROUNDS; round++) {
    const before = sent.length
    await until(() => stop || sent.length > before + 10, 90_000)
    await delay(Math.random() * 50)
    recto.child.kill('SIGKILL')
    await recto.ended
    recto = await startProcess({ data, env })
  }
  stop = true
  await writing
  const { all } = assertStatus(await admin.get(METADATA), 200).json.metadata
  assert.deepEqual([...all].sort(), [...sent].sort())
  // What was answered by processes that are gone is told again, and not done again.
  for (const key of sent.slice(0, 20)) {
    const again = await append(key, 20_000)
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [200, 'true'])
  }
  assert.deepEqual((await admin.get(METADATA)).json.metadata.all, all)
})
