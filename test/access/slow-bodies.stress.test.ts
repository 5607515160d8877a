import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

// A request is authenticated when its headers arrive. Its body may arrive, and have its turn among the large ones, half
// a minute later.

let service: Service
let admin: Client
before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0' })
  admin = service.admin
  await admin.space('open', { defaultRole: 'editor' })
})
after(() => service[Symbol.asyncDispose]())

interface Sent {
  readonly method: string
  readonly path: string
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const FORM = '--b\r\ncontent-disposition: form-data; name="file"; filename="form.txt"\r\n\r\nx\r\n--b--\r\n'
const bundle = (path: string) =>
  JSON.stringify({
    format: 'page-bundle',
    formatVersion: 1,
    space: { slug: 'open', name: 'Open' },
    pages: [{ path, body: '# x' }],
  })

/** One route for each way in which a body is read: parsed, parsed with an Idempotency-Key, a script's, and streamed. */
const WRITES: readonly Sent[] = [
  { method: 'PUT', path: '/pages/open/put', type: 'text/markdown', body: '# Put' },
  {
    method: 'PUT',
    path: '/pages/open/retried',
    type: 'text/markdown',
    body: '# Retried',
    headers: { 'idempotency-key': '"once"' },
  },
  { method: 'PATCH', path: '/pages/open/there/metadata', type: 'application/json', body: '{"set":{"late":true}}' },
  { method: 'PUT', path: '/files/open/put.txt', type: 'application/octet-stream', body: 'file' },
  { method: 'POST', path: '/files/open', type: 'multipart/form-data; boundary=b', body: FORM },
  { method: 'POST', path: '/spaces/open/import', type: 'application/json', body: bundle('imported') },
]

/** Sends the headers of a request; the result sends its body and returns the response. */
function begin(key: string, { method, path, type, body, headers = {} }: Sent) {
  const sending = request(service.app.address + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => {}) // when a test fails before it asks
  sending.flushHeaders()
  return async () => {
    sending.end(body)
    const [answer] = await answered
    return { status: answer.statusCode, code: JSON.parse(await text(answer)).code }
  }
}

const LOSSES = [
  {
    name: 'when the key is revoked while the body is on its way, nothing is written',
    lose: (person: { keyId: string }) => admin.delete(`/admin/api-keys/${person.keyId}`),
  },
  {
    name: 'when the principal is disabled while the body is on its way, nothing is written',
    lose: (person: { id: string }) => admin.patch(`/admin/principals/${person.id}`, { disabled: true }),
  },
]

for (const { name, lose } of LOSSES) {
  test(name, async () => {
    await admin.put('/pages/open/there', '# There')
    const person = await newPerson(admin, 'Ann')
    const sends = WRITES.map((write) => begin(person.key, write))
    // The lookup of the key is shared: with this answer all of them are authenticated.
    assertStatus(await person.client.get('/me'), 200)
    await lose(person)
    await until(async () => (await person.client.get('/me')).status === 401)
    for (const [index, send] of sends.entries()) {
      assert.deepEqual(await send(), { status: 401, code: 'unauthorized' }, WRITES[index]?.path)
    }
    const pages = (await admin.all('/spaces/open/pages')).map(({ path }) => path)
    assert.deepEqual(pages, ['there'])
    assert.deepEqual((await admin.get('/pages/open/there/metadata')).json.metadata ?? {}, {})
    assert.deepEqual(await admin.all('/spaces/open/files'), [])
  })
}

test('an organisation admin who is demoted while the body is being sent is not treated as an admin', async () => {
  const ann = await newPerson(admin, 'Ann', { role: 'admin' })
  const body = JSON.stringify({ name: 'Late', kind: 'human', role: 'admin' })
  const send = begin(ann.key, { method: 'POST', path: '/admin/principals', type: 'application/json', body })
  assertStatus(await ann.client.get('/admin/principals'), 200)
  assertStatus(await admin.patch(`/admin/principals/${ann.id}`, { role: 'member' }), 200)
  await until(async () => (await ann.client.get('/admin/principals')).status === 403)
  assert.deepEqual(await send(), { status: 403, code: 'forbidden' })
  assert.ok(!(await admin.all('/admin/principals')).some(({ name }) => name === 'Late'))
})
