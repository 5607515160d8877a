import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { countStatuses, type Exchange, type Load, openLoad, times } from '../support/load.ts'
import { type Service, startService } from '../support/service.ts'

const WRITERS = Number(process.env.RECTO_WRITERS ?? 4_000)
/**
 * So many requests stand at the service at one time, fewer than the kernel lets wait for an accept. The others wait
 * here.
 */
const CONNECTIONS = 500

let service: Service
let load: Load
before(async () => {
  service = await startService()
  await service.admin.space('race')
  load = openLoad(service.app.address, service.admin.key, CONNECTIONS)
})
after(async () => {
  load[Symbol.dispose]()
  await service[Symbol.asyncDispose]()
})

test(`of ${WRITERS} concurrent PUTs with one ETag exactly one gets 200, the others 412, or 503 when the queue is full`, async () => {
  assertStatus(await service.admin.put('/pages/race/tag', 'start'), 201)
  const answers = await Promise.all(
    times(WRITERS, (index) => load.send('PUT', '/pages/race/tag', { 'if-match': '"1"' }, `writer ${index}`)),
  )
  const { 200: won, 412: late = 0, 503: busy = 0, ...others } = countStatuses(answers)
  assert.deepEqual(others, {})
  assert.equal(won, 1)
  assert.equal(late + busy, WRITERS - 1)

  const winner = answers.findIndex(({ status }) => status === 200)
  const page = await service.admin.page('/pages/race/tag')
  assert.equal(page.json.version, 2)
  assert.equal(page.json.body, `writer ${winner}`)
  assert.equal((await service.admin.all('/pages/race/tag/versions')).length, 2)
})

test('the 412 of a conflicting write has the version of the successful one', async () => {
  assertStatus(await service.admin.put('/pages/race/told', 'start'), 201)
  const answers = await Promise.all(
    times(50, (index) => load.send('PUT', '/pages/race/told', { 'if-match': '"1"' }, `writer ${index}`)),
  )
  const rejected = answers.filter(({ status }) => status === 412)
  assert.equal(rejected.length, 49)
  for (const { body } of rejected) {
    const { current, code } = JSON.parse(body.toString())
    assert.deepEqual([code, current.version, current.etag], ['precondition_failed', 2, '"2"'])
  }
})

test('of 1,000 concurrent creates exactly one gets 201', async () => {
  for (const [path, headers, refusal] of [
    ['/pages/race/create', {}, 428],
    ['/pages/race/create-only', { 'if-none-match': '*' }, 412],
  ] as const) {
    const answers = await Promise.all(times(1_000, (index) => load.send('PUT', path, headers, `writer ${index}`)))
    assert.deepEqual(countStatuses(answers), { 201: 1, [refusal]: 999 })
    const winner = answers.findIndex(({ status }) => status === 201)
    const page = await service.admin.page(path)
    assert.deepEqual([page.json.version, page.json.body], [1, `writer ${winner}`])
  }
})

test('a full queue returns 503 page_busy with Retry-After, and the rejected writes are not applied', async () => {
  await using small = await startService({ SVC_MAX_WAITING_WRITERS: '1' })
  await small.admin.space('race')
  assertStatus(await small.admin.put('/pages/race/busy', 'start'), 201)
  using crowd = openLoad(small.app.address, small.admin.key, 200)
  const answers = await Promise.all(
    times(200, (index) => crowd.send('PUT', '/pages/race/busy', { 'if-match': '*' }, `writer ${index}`)),
  )
  const { 200: won = 0, 503: busy = 0, ...others } = countStatuses(answers)
  assert.deepEqual(others, {})
  assert.ok(won >= 1 && busy >= 1, `${won} won, ${busy} were told to wait`)
  for (const { body } of answers.filter(({ status }) => status === 503)) {
    assert.equal(JSON.parse(body.toString()).code, 'page_busy')
  }
  assert.equal((await small.admin.page('/pages/race/busy')).json.version, 1 + won)
})

test('while 200 clients write one page concurrently, every read and write of other pages succeeds', async () => {
  assertStatus(await service.admin.put('/pages/race/hot', 'start'), 201)
  for (const index of times(10, Number)) {
    assertStatus(await service.admin.put(`/pages/race/calm-${index}`, 'start'), 201)
  }
  let stop = false
  const hammers = times(200, (client) => hammer('/pages/race/hot', client, () => stop))
  const calm = await Promise.all(times(10, (index) => calmWriter(`/pages/race/calm-${index}`, 20)))
  stop = true
  const wins = (await Promise.all(hammers)).flat()

  assert.deepEqual(
    calm.flat().filter(({ status }) => status !== 200),
    [],
  )
  for (const index of times(10, Number)) {
    assert.equal((await service.admin.page(`/pages/race/calm-${index}`)).json.version, 21)
  }
  const versions = wins.map(({ etag }) => Number(etag?.slice(1, -1))).sort((a, b) => a - b)
  assert.deepEqual(
    versions,
    times(versions.length, (index) => index + 2),
  )
  assert.equal((await service.admin.page('/pages/race/hot')).json.version, versions.length + 1)
})

/** Reads and writes as fast as it can until told to stop; returns the answers of the writes that won. */
async function hammer(path: string, client: number, stopped: () => boolean): Promise<Exchange[]> {
  const won: Exchange[] = []
  while (!stopped()) {
    const { status, etag = '' } = await load.send('GET', `${path}.md`)
    assert.equal(status, 200)
    const written = await load.send('PUT', path, { 'if-match': etag }, `client ${client} on ${etag}`)
    assert.ok([200, 412, 503].includes(written.status), String(written.status))
    if (written.status === 200) won.push(written)
  }
  return won
}

async function calmWriter(path: string, rounds: number): Promise<Exchange[]> {
  const answers: Exchange[] = []
  for (let round = 0; round < rounds; round++) {
    const read = await load.send('GET', `${path}.md`)
    const written = await load.send('PUT', path, { 'if-match': read.etag ?? '' }, `round ${round}`)
    answers.push(read, written)
  }
  return answers
}
