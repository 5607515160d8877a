import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

// An upload is validated while it arrives, and reported on and written once it is complete.

const PAGES = 60
const pages = Array.from({ length: PAGES }, (_, n) => ({ path: `p/${n}`, body: `# Page ${n}\n` }))
const head = { format: 'page-bundle', formatVersion: 1 }
const bundle = Buffer.from(JSON.stringify({ ...head, pages }))

let service: Service
let admin: Client
before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0' })
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

interface Sending {
  readonly write: (bytes: Buffer) => void
  readonly cut: () => void
  readonly end: () => Promise<{ readonly status: number | undefined; readonly json: Answer['json'] }>
}

function begin(space: string, { key = admin.key, type = 'application/json' } = {}): Sending {
  const sending = request(`${service.app.address}/spaces/${space}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
  })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => {}) // of a connection that the test cuts off
  return {
    write: (bytes) => void sending.write(bytes),
    cut: () => sending.destroy(),
    async end() {
      sending.end()
      const [answer] = await answered
      return { status: answer.statusCode, json: (await json(answer)) as Answer['json'] }
    },
  }
}

async function pathsIn(space: string): Promise<string[]> {
  return (await admin.all(`/spaces/${space}/pages`)).map(({ path }) => path)
}

test('an upload that arrives byte by byte is imported', async () => {
  await admin.space('source')
  assertStatus(await admin.post('/spaces/source/import', { ...head, pages }), 200)
  const archive = await fetch(`${service.app.address}/spaces/source/export`, {
    headers: { authorization: `Bearer ${admin.key}`, accept: 'application/zip' },
  })
  const uploads = {
    json: { type: 'application/json', bytes: bundle },
    zip: { type: 'application/zip', bytes: Buffer.from(await archive.arrayBuffer()) },
  }
  for (const [space, { type, bytes }] of Object.entries(uploads)) {
    await admin.space(space)
    const sending = begin(space, { type })
    for (let at = 0; at < bytes.length; at++) {
      sending.write(bytes.subarray(at, at + 1))
      if (at % 20 === 0 || at < 10) await nextTurn()
    }
    const { status, json } = await sending.end()
    assert.deepEqual([status, json.created], [200, PAGES], space)
    assert.equal((await pathsIn(space)).length, PAGES)
  }
})

test('an upload whose first page is invalid is rejected once it is complete', async () => {
  await admin.space('invalid')
  const text = JSON.stringify({ ...head, pages: [{ path: 'a//b', body: '' }, ...pages] })
  const sending = begin('invalid')
  sending.write(Buffer.from(text.slice(0, 300)))
  await nextTurn()
  sending.write(Buffer.from(text.slice(300)))
  const { status, json } = await sending.end()
  assert.deepEqual([status, json.code, json.issues?.[0]?.path], [400, 'invalid_bundle', '/pages/0'])
  assert.deepEqual(await pathsIn('invalid'), [])
})

test('an archive that ends after its first bytes is rejected', async () => {
  await admin.space('short')
  const sending = begin('short', { type: 'application/zip' })
  sending.write(Buffer.from('PK'))
  const { status, json } = await sending.end()
  assert.deepEqual([status, json.code], [400, 'invalid_archive'])
  assert.match(json.detail, /truncated\.$/)
  assert.doesNotMatch(json.detail, /\.\.$/)
})

test('a page that is created while the upload arrives is a conflict, and nothing is imported', async () => {
  await admin.space('taken')
  const sending = begin('taken')
  sending.write(bundle.subarray(0, bundle.length / 2))
  await admin.write('taken/p/0', 'The first.')
  sending.write(bundle.subarray(bundle.length / 2))
  const { status, json } = await sending.end()
  assert.deepEqual([status, json.code, json.conflicts], [409, 'import_conflict', ['p/0']])
  assert.deepEqual(await pathsIn('taken'), ['p/0'])
})

test('an upload that is cut off imports nothing, and does not count as a running import', async () => {
  await admin.space('cut')
  for (let n = 0; n < 4; n++) {
    const sending = begin('cut')
    sending.write(bundle.subarray(0, bundle.length / 2))
    await nextTurn()
    sending.cut()
  }
  assert.deepEqual(await pathsIn('cut'), [])
  await until(async () => (await admin.post('/spaces/cut/import', { ...head, pages })).status === 200)
})

test('who loses the role of an editor while the upload arrives imports nothing', async () => {
  await admin.space('lost', { defaultRole: 'viewer' })
  const person = await newPerson(admin, 'Ann')
  assertStatus(await admin.call('PUT', `/spaces/lost/members/${person.id}`, { json: { role: 'editor' } }), 201)
  const sending = begin('lost', { key: person.key })
  sending.write(bundle.subarray(0, bundle.length / 2))
  // The look-up of the key is shared: with this answer the upload is authenticated.
  assertStatus(await person.client.get('/me'), 200)
  assertStatus(await admin.delete(`/spaces/lost/members/${person.id}`), 204)
  sending.write(bundle.subarray(bundle.length / 2))
  const { status, json } = await sending.end()
  assert.deepEqual([status, json.code], [403, 'forbidden'])
  assert.deepEqual(await pathsIn('lost'), [])
})
