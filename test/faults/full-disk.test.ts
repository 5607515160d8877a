import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BALLAST_BYTES } from '../../packages/server/src/platform/database/embedded/ballast.ts'
import { processesIn, send } from '../../packages/server/src/platform/database/embedded/processes.ts'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { times } from '../support/load.ts'
import { type RectoProcess, startProcess } from '../support/process.ts'
import { smallDisk } from '../support/small-disk.ts'

const MEGABYTE = 1024 * 1024
const env = { SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0', SVC_LOG_LEVEL: 'silent' }
const disk = smallDisk(260)

test('on a full disk writes get 507, reads continue, nothing is lost, and the reserve is enough to recover', {
  skip: typeof disk === 'string' ? disk : false,
}, async () => {
  assert.ok(typeof disk !== 'string')
  using _ = disk
  const data = join(disk.path, 'data')
  const written = new Map<string, string>()

  await using first = await startProcess({ data, env })
  const admin = new Client(first.url, first.key)
  await admin.space('full')
  disk.fill(110 * MEGABYTE)
  await fillByWriting(admin, written)
  await assertReads(admin, written)

  // Whatever else takes the rest of the disk.
  disk.free()
  disk.fill(MEGABYTE)
  const rejected = assertProblem(await admin.put('/pages/full/late', 'late'), 507, 'storage_full')
  assert.ok(Number(rejected.headers.get('retry-after')) > 0)
  assertProblem(await admin.post('/spaces', { slug: 'late' }), 507, 'storage_full')
  await assertReads(admin, written)

  await killed(first)
  await using second = await startProcess({ data, env })
  const again = new Client(second.url, second.key)
  await assertReads(again, written)
  assertProblem(await again.put('/pages/full/late', 'late'), 507, 'storage_full')

  disk.free()
  await until(async () => (await again.put('/pages/full/late', 'late')).status === 201)
  written.set('late', 'late')
  await assertReads(again, written)
  assert.equal((await again.all('/spaces/full/pages')).length, written.size)
})

const second = smallDisk(260)

test('other programs fill the disk, also the space that a crash frees: the next start serves reads, and writes once there is free space', {
  skip: typeof second === 'string' ? second : false,
}, async () => {
  assert.ok(typeof second !== 'string')
  using _ = second
  const data = join(second.path, 'data')
  const written = new Map([['kept', 'x'.repeat(10_000)]])

  // Twice: what was given up is there again for the next time.
  for (const round of ['first', 'second']) {
    await using recto = await startProcess({ data, env })
    const admin = new Client(recto.url, recto.key)
    if (round === 'first') await admin.space('full')
    for (const [path, body] of written) await admin.put(`/pages/full/${path}`, body)
    await hasBallast(data)
    second.fill(0)
    await assertReads(admin, written)
    assertProblem(await admin.put('/pages/full/late', 'late'), 507, 'storage_full')

    const pids = processesIn(join(data, 'postgres'))
    process.kill(recto.pid, 'SIGKILL')
    for (const pid of pids) send(pid, 'SIGKILL')
    await recto.ended
    await until(() => processesIn(join(data, 'postgres')).length === 0)
    second.free()
    second.fill(0)

    await using again = await startProcess({ data, env })
    const reader = new Client(again.url, again.key)
    await assertReads(reader, written)
    assertProblem(await reader.put('/pages/full/late', 'late'), 507, 'storage_full')
    second.free()
    await until(async () => (await reader.put(`/pages/full/${round}`, round)).status === 201, 30_000)
    written.set(round, round)
    await assertReads(reader, written)
    await hasBallast(data)
  }
})

function hasBallast(data: string): Promise<void> {
  const size = () => statSync(join(data, 'ballast'), { throwIfNoEntry: false })?.size
  return until(() => size() === BALLAST_BYTES, 30_000)
}

/** Writes pages that do not compress, from several clients, until each is told that the disk is full. */
async function fillByWriting(admin: Client, written: Map<string, string>): Promise<void> {
  await Promise.all(
    times(4, async (client) => {
      for (let turn = 0; ; turn++) {
        const path = `${client}-${turn}`
        const body = randomBytes(300_000).toString('base64')
        const answer = await admin.put(`/pages/full/${path}`, body)
        if (answer.status === 507) return
        assertStatus(answer, 201)
        written.set(path, body)
        assertStatus(await admin.get(`/pages/full/${path}.md`), 200)
      }
    }),
  )
}

async function assertReads(client: Client, written: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, body] of written) {
    const answer = assertStatus(await client.get(`/pages/full/${path}.md`), 200)
    assert.ok(answer.text === body, path)
  }
}

async function killed(recto: RectoProcess): Promise<void> {
  process.kill(recto.pid, 'SIGKILL')
  await recto.ended
}
