import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

const JSON_BODY = { 'content-type': 'application/json' }

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

async function write(path: string, body: string, headers = {}): Promise<void> {
  assertStatus(await admin.put(`/pages/docs/${path}`, body, headers), 'if-match' in headers ? 200 : 201)
}

async function patch(path: string, change: object): Promise<void> {
  assertStatus(await admin.patch(`/pages/docs/${path}/metadata`, change), 200)
}

async function found(q: string, space = 'docs'): Promise<string[]> {
  const { json } = assertStatus(await admin.get(`/search?q=${encodeURIComponent(q)}&space=${space}`), 200)
  return json.relaxed || json.corrected
    ? []
    : json.items
        .filter(({ missing }: { missing?: string[] }) => missing === undefined)
        .map(({ path }: { path: string }) => path)
        .sort()
}

test('pages are found by the current values of their properties', async () => {
  await write('a', 'The zeppelin.')
  await write('b', 'Another zeppelin.')
  await patch('a', {
    set: { owner: 'Quentin Blake', ticket: 48151, done: true, parts: [{ name: 'rudders' }, 'gondola'] },
  })
  for (const q of ['quentin', '"quentin blake"', 'zeppelin quentin', '48151', 'rudder', 'gondola zeppelin'])
    assert.deepEqual(await found(q), ['a'], q)
  assert.deepEqual(await found('zeppelin -gondola'), ['b'])
  assert.deepEqual(await found('owner'), [], 'keys are no text')
  await write('a', 'The zeppelin, twice.', { 'if-match': '*' })
  assert.deepEqual(await found('quentin twice'), ['a'], 'after a new version')
  await patch('a', { set: { owner: 'Rosalind', ticket: null } })
  assert.deepEqual(await found('rosalind'), ['a'])
  assert.deepEqual(await found('quentin'), [])
  assert.deepEqual(await found('48151'), [])
})

test('new, restored, moved and copied pages are found by their properties', async () => {
  const created = { body: 'Text.', metadata: { kind: 'marsupial' } }
  assertStatus(await admin.put('/pages/docs/new', JSON.stringify(created), JSON_BODY), 201)
  assert.deepEqual(await found('marsupials'), ['new'])
  assertStatus(await admin.delete('/pages/docs/new', { 'if-match': '*' }), 204)
  assert.deepEqual(await found('marsupials'), [])
  assertStatus(await admin.post('/pages/docs/new/restore'), 200)
  assert.deepEqual(await found('marsupials'), ['new'])
  await admin.space('other', { language: 'none' })
  assertStatus(
    await admin.post('/pages/docs/new/move', { to: { space: 'other', path: 'moved' } }, { 'if-match': '*' }),
    200,
  )
  assert.deepEqual(await found('marsupial', 'other'), ['moved'])
  const bundle = (await admin.get('/spaces/other/export')).json
  await admin.space('third')
  assertStatus(await admin.post('/spaces/third/import', bundle), 200)
  assert.deepEqual(await found('marsupials', 'third'), ['moved'])
})

test('after concurrent patches and writes a page is found by its last values', async () => {
  await write('busy', 'start')
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      await patch('busy', { set: { [`k${n}`]: `pebble${n}x` } })
      await write('busy', `body ${n}`, { 'if-match': '*' })
    }),
  )
  for (let n = 0; n < 12; n++) assert.deepEqual(await found(`pebble${n}x`), ['busy'], String(n))
})

test('properties of pages that the caller cannot read are not found', async () => {
  const secret = { body: 'Text.', metadata: { code: 'xylograph' } }
  await admin.space('vault', { visibility: 'private' })
  assertStatus(await admin.put('/pages/vault/x', JSON.stringify(secret), JSON_BODY), 201)
  const { client } = await newPerson(admin, 'Reader')
  for (const q of ['xylograph', 'xylogruph']) {
    const { json } = await client.get(`/search?q=${q}`)
    assert.deepEqual([json.items, json.corrected], [[], undefined])
  }
  assert.deepEqual(await found('xylograph', 'vault'), ['x'])
})
