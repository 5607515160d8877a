import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
  await admin.write('docs/g/p', '# Page')
  const body = Buffer.from('text')
  assertStatus(await admin.call('PUT', '/files/docs/a.txt', { body, headers: { 'content-type': 'text/plain' } }), 201)
})
after(() => service[Symbol.asyncDispose]())

const html = { accept: 'text/html' }
const TRACKED = 'utm_source=mail&fbclid=x&a%5B%5D=1&__proto__=2'

/** Without comparing with the OpenAPI document, which does not describe these parameters. */
const read = (path: string, method = 'GET') =>
  fetch(`${admin.base}${path}`, { method, headers: { ...html, authorization: `Bearer ${admin.key}` } })

test('HTML and files ignore parameters that links get on their way', async () => {
  const plain = await read('/pages/docs/g/p')
  const tracked = await read(`/pages/docs/g/p?${TRACKED}`)
  assert.equal(tracked.status, 200)
  assert.equal(tracked.headers.get('etag'), plain.headers.get('etag'))
  for (const path of [
    `/pages/docs/g/p?version=1&${TRACKED}`,
    `/pages/docs/g/p/versions/1?${TRACKED}`,
    `/open/docs?${TRACKED}`,
    `/find?q=Page&${TRACKED}`,
  ]) {
    assert.equal((await read(path)).status, 200, path)
  }
  assert.equal((await read(`/pages/docs/g/p?${TRACKED}`, 'HEAD')).status, 200)
  assert.equal(await (await read(`/files/docs/a.txt?${TRACKED}`)).text(), 'text')
  assert.equal((await read(`/files/docs/a.txt?${TRACKED}`, 'HEAD')).status, 200)
})

test('a parameter that is misspelt, and any unknown one of other requests, is refused', async () => {
  for (const [path, headers] of [
    ['/pages/docs/g/p?Version=1', html],
    ['/pages/docs/g/p?verson=1', html],
    ['/pages/docs/g/p?versions=1', html],
    ['/pages/docs/g/p?vresion=1', html],
    ['/pages/docs/g/p?changerequest=1', html],
    ['/pages/docs/g/p?utm_source=a&imagse=show', html],
    ['/files/docs/a.txt?widht=320', {}],
    ['/pages/docs/g/p?utm_source=a', { accept: 'application/json' }],
    ['/pages/docs/g/p?utm_source=a', { accept: 'text/markdown' }],
    ['/pages/docs/g/p.md?utm_source=a', {}],
    ['/pages/docs/g/p?format=md&utm_source=a', html],
    ['/files/docs/a.txt?utm_source=a', { accept: 'application/json' }],
    ['/spaces/docs/pages?utm_source=a', {}],
    ['/history/docs/g/p?Cursor=x', html],
    ['/views/docs?orde=desc', html],
    ['/views/docs?valeu=1', html],
    ['/edit/docs/g/p?changeRequst=1', html],
    ['/fragments/tree/docs?pagee=g', html],
    ['/fragments/panel/docs/g/p?changerequest=1', html],
  ] as const) {
    assertProblem(await admin.get(path, headers), 400, 'invalid_request')
  }
  assertProblem(await admin.put('/pages/docs/n?utm_source=a', 'x'), 400, 'invalid_request')
  assertProblem(await admin.get('/pages/docs/n'), 404, 'not_found')
})

test('a slash at the end of a URL redirects to the URL without it, and /pages/<space> to the space', async () => {
  const target = async (path: string, method = 'GET') => {
    const { status, headers } = await admin.call(method, path, { headers: html })
    return [status, headers.get('location')?.replace(admin.base, '')]
  }
  assert.deepEqual(await target('/pages/docs/g/p/'), [308, '/pages/docs/g/p'])
  assert.deepEqual(await target('/pages/docs/g/p/', 'HEAD'), [308, '/pages/docs/g/p'])
  assert.deepEqual(await target('/pages/docs/g/p/?version=1'), [308, '/pages/docs/g/p?version=1'])
  assert.deepEqual(await target('/pages/docs/none/'), [308, '/pages/docs/none'])
  assert.deepEqual(await target('/files/docs/a.txt/'), [308, '/files/docs/a.txt'])
  assert.deepEqual(await target('/open/docs/'), [308, '/open/docs'])
  assert.deepEqual(await target('/edit/docs/g/p/'), [308, '/edit/docs/g/p'])
  assert.deepEqual(await target('/pages/docs/'), [308, '/pages/docs'])
  assert.deepEqual(await target('/pages/docs?utm_source=a'), [308, '/open/docs?utm_source=a'])
  assert.deepEqual(await target('/pages/none'), [308, '/open/none'])
  // Lists stay where they are, and no target is on another host.
  assertStatus(await admin.get('/pages/recent'), 200)
  assertStatus(await admin.get('/pages/personal'), 200)
  for (const path of ['//example.org/', '/pages//docs/', '/\\example.org/', '/pages/docs//']) {
    assert.notEqual((await target(path))[0], 308, path)
  }
  assertProblem(await admin.put('/pages/docs/x/', 'x'), 400, 'invalid_path')
  assertProblem(await admin.put('/pages/docs', 'x'), 404, 'not_found')
})
