import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

async function write(path: string, body: string): Promise<void> {
  assertStatus(await admin.put(`/pages/${path}`, body), 201)
}

async function found(q: string, client = admin): Promise<string[]> {
  const { json } = assertStatus(await client.get(`/search?q=${encodeURIComponent(q)}`), 200)
  return json.relaxed || json.corrected
    ? []
    : json.items.map(({ space, path }: { space: string; path: string }) => `${space}/${path}`).sort()
}

test('pages are found by the stems of their language, or of that of their space', async () => {
  await admin.space('deutsch', { language: 'de' })
  await admin.space('plain', { language: 'none' })
  await admin.space('english')
  assert.equal((await admin.get('/spaces/deutsch')).json.language, 'de')
  assert.equal((await admin.get('/spaces/english')).json.language, 'en')
  await write('deutsch/a', 'viele Kinder')
  await write('deutsch/b', '---\nlang: en\n---\nmany policies')
  await write('plain/c', 'policies of Kinder')
  await write('english/d', '---\nlang: de\n---\nsein Kindern')
  assert.deepEqual(await found('Kind in:deutsch'), ['deutsch/a'])
  assert.deepEqual(await found('Kindes in:english'), ['english/d'])
  assert.deepEqual(await found('Kindern'), ['deutsch/a', 'english/d'])
  assert.deepEqual(await found('policy'), ['deutsch/b'])
  assert.deepEqual(await found('policy in:plain'), [])
  assert.deepEqual(await found('policies in:plain'), ['plain/c'])
  const bad = assertStatus(await admin.post('/spaces', { slug: 'bad', language: 'klingon' }), 400)
  assert.match(JSON.stringify(bad.json.issues), /\/language/)
  assertStatus(await admin.patch('/spaces/deutsch', { language: null }), 400)
})

test('the languages of spaces that the caller cannot read do not count', async () => {
  await admin.space('open')
  await admin.space('closed', { visibility: 'private', language: 'fi' })
  const { client: reader } = await newPerson(admin, 'Reader')
  await write('open/page', 'talo')
  await write('closed/page', 'kissa')
  // A form of it by Finnish rules, and not by those of the other languages.
  assert.deepEqual(await found('talossa'), ['open/page'])
  assert.deepEqual(await found('talossa', reader), [])
})

test('a changed language of a space applies to all its pages, also to those written meanwhile', async () => {
  await admin.space('turned')
  const paths = Array.from({ length: 12 }, (_, n) => `turned/p${String(n).padStart(2, '0')}`)
  for (const path of paths.slice(0, 8)) await write(path, 'gute Bücher')
  assert.deepEqual(await found('Buch in:turned'), [])
  const [changed] = await Promise.all([
    admin.patch('/spaces/turned', { language: 'de' }),
    ...paths.slice(8).map((path) => write(path, 'gute Bücher')),
    ...paths.slice(0, 2).map((path) => admin.put(`/pages/${path}`, 'neue Bücher', { 'if-match': '*' })),
  ])
  assert.equal(assertStatus(changed, 200).json.language, 'de')
  await until(async () => (await found('Buches in:turned')).length === paths.length, 60_000)
  assert.deepEqual(await found('Buches in:turned'), paths)
  const { json: log } = await admin.get('/admin/audit?action=space.updated')
  assert.deepEqual(log.items[0].details, { language: 'de' })
})

test('templates and bundles have the language of their space', async () => {
  await admin.space('source', { language: 'sv' })
  await write('source/page', 'bilarna')
  assert.equal((await admin.get('/spaces/source/export')).json.space.language, 'sv')
  assertStatus(await admin.post('/space-templates/org', { space: 'source' }), 201)
  assert.equal((await admin.get('/space-templates/org/source')).json.space.language, 'sv')
  const copy = assertStatus(await admin.post('/space-templates/org/source/spaces', { slug: 'copy' }), 201)
  assert.equal(copy.json.space.language, 'sv')
  assert.deepEqual(await found('bil in:copy'), ['copy/page'])
  const other = await admin.post('/space-templates/org/source/spaces', { slug: 'other', language: 'none' })
  assert.equal(assertStatus(other, 201).json.space.language, 'none')
})
