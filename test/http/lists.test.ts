import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingHttpHeaders } from 'node:http'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, sections 1 and 3: lists of pages.
let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  await service.admin.space('other')
  for (const path of ['b', 'a/z', 'a', 'a/b/c', 'a-b', 'Ä', 'é', 'a/é', 'c%25d', 'c_d']) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, `# ${path}`), 201)
  }
  assertStatus(await service.admin.put('/pages/other/x', 'x'), 201)
})
after(() => service[Symbol.asyncDispose]())

const paths = (items: readonly { path: string }[]) => items.map((item) => item.path)

test('the pages of a space are sorted by path, by code points, without bodies', async () => {
  const items = await service.admin.all('/spaces/docs/pages?limit=3')
  assert.deepEqual(paths(items), ['a', 'a-b', 'a/b/c', 'a/z', 'a/é', 'b', 'c%d', 'c_d', 'Ä', 'é'])
  for (const item of items) {
    assert.equal(item.body, undefined)
    assert.equal(item.space, 'docs')
    assert.equal(item.version, 1)
  }
})

test('?prefix= selects paths with exactly this prefix', async () => {
  const within = async (prefix: string) => paths(await service.admin.all(`/spaces/docs/pages?prefix=${prefix}&limit=2`))
  assert.deepEqual(await within('a/'), ['a/b/c', 'a/z', 'a/é'])
  assert.deepEqual(await within('a'), ['a', 'a-b', 'a/b/c', 'a/z', 'a/é'])
  assert.deepEqual(await within('c%25'), ['c%d'])
  assert.deepEqual(await within('c_'), ['c_d'])
  assert.deepEqual(await within('e%CC%81'), ['é'])
  assert.deepEqual(await within('nothing'), [])
  assertProblem(await service.admin.get('/spaces/docs/pages?prefix=%00'), 400, 'invalid_request')
})

test('recent lists what the caller can read, the latest change first', async () => {
  assertStatus(await service.admin.put('/pages/docs/b', 'again', { 'if-match': '*' }), 200)
  const all = await service.admin.all('/pages/recent?limit=3')
  assert.deepEqual(paths(all).slice(0, 2), ['b', 'x'])
  assert.equal(all.length, 11)
  const times = all.map((item) => item.updatedAt)
  assert.deepEqual(times, [...times].sort().reverse())
  assert.deepEqual(paths(await service.admin.all('/pages/recent?space=other')), ['x'])
})

test('Link has the URL of the next page of a list', async () => {
  const { items, nextCursor } = (await service.admin.get('/spaces/docs/pages')).json
  assert.equal(nextCursor, null)
  const seen: string[] = []
  let url: string | undefined = '/spaces/docs/pages?prefix=&limit=4'
  while (url !== undefined) {
    const answer: Answer = assertStatus(await service.admin.get(url), 200)
    seen.push(...paths(answer.json.items))
    const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
    assert.equal(next === undefined, answer.json.nextCursor === null)
    assert.ok(next === undefined || next.startsWith(`${service.app.address}/spaces/docs/pages?prefix=&limit=4&cursor=`))
    url = next?.slice(service.app.address.length)
  }
  assert.deepEqual(seen, paths(items))
})

test('a list stays stable while others write', async () => {
  const first = (await service.admin.get('/spaces/docs/pages?limit=2')).json
  assertStatus(await service.admin.put('/pages/docs/a-a', 'earlier'), 201)
  const rest = await service.admin.get(`/spaces/docs/pages?limit=200&cursor=${first.nextCursor}`)
  assert.equal(paths(rest.json.items)[0], 'a/b/c')
})

test('limit is 1 to 200, and a cursor belongs to its list and filters', async () => {
  for (const limit of ['0', '201', '-1', 'x', '1.5', '']) {
    assertProblem(await service.admin.get(`/spaces/docs/pages?limit=${limit}`), 400, 'invalid_request')
  }
  const { nextCursor } = (await service.admin.get('/spaces/docs/pages?limit=1')).json
  for (const address of ['/spaces/other/pages', '/pages/recent', '/spaces', '/spaces/docs/pages?prefix=a']) {
    const separator = address.includes('?') ? '&' : '?'
    assertProblem(await service.admin.get(`${address}${separator}cursor=${nextCursor}`), 400, 'invalid_cursor')
  }
  for (const cursor of ['x', '', `${nextCursor}A`, nextCursor.slice(1)]) {
    assertProblem(await service.admin.get(`/spaces/docs/pages?cursor=${cursor}`), 400, 'invalid_cursor')
  }
})

test('spaces are listed by slug, and changed by their admins', async () => {
  assert.deepEqual(
    (await service.admin.all('/spaces?limit=1')).map((space) => space.slug),
    ['docs', 'other'],
  )
  const changed = assertStatus(
    await service.admin.patch('/spaces/other', { name: 'Others', defaultRole: 'editor' }),
    200,
  )
  assert.equal(changed.json.name, 'Others')
  assert.equal(changed.json.defaultRole, 'editor')
  assert.equal((await service.admin.get('/spaces/other')).json.name, 'Others')
  assertProblem(await service.admin.patch('/spaces/other', {}), 400, 'invalid_request')
  assertProblem(await service.admin.patch('/spaces/other', { name: '' }), 400, 'invalid_request')
  assertProblem(await service.admin.patch('/spaces/nowhere', { name: 'x' }), 404, 'not_found')
  assertProblem(await service.admin.post('/spaces', { slug: 'docs' }), 409, 'slug_taken')
  assertProblem(await service.admin.post('/spaces', { slug: 'personal' }), 409, 'slug_taken')
  assertProblem(await service.admin.post('/spaces', { slug: 'Not a slug' }), 400, 'invalid_slug')
})

test('a request target that is an absolute URL is handled like its path', async () => {
  const { address } = service.app
  const { admin } = service
  await admin.space('targets')
  assertStatus(await admin.put('/pages/targets/a%3Eb', '# One'), 201)
  assertStatus(await admin.put('/pages/targets/a%3Eb', '# Two', { 'if-match': '*' }), 200)
  const headers = await headersOf('http://proxied.example/pages/targets/a>b/versions?limit=1')
  const link = String(headers.link)
  assert.match(link, /^<[^<>"]+>; rel="next"$/)
  assert.ok(link.startsWith(`<${address}/pages/targets/a%3Eb/versions?limit=1&cursor=`))

  assertStatus(await admin.post('/pages/targets/a%3Eb/move', { to: { path: 'c' } }, { 'if-match': '*' }), 200)
  const { location } = await headersOf('http://proxied.example/pages/targets/a>b/links')
  assert.equal(location, `${address}/pages/targets/c/links`)
})

test('a redirect is to the origin that the client used, and relative where its name is unknown', async () => {
  const { admin } = service
  await admin.space('hosts')
  assertStatus(await admin.put('/pages/hosts/a', '# One'), 201)
  assertStatus(await admin.post('/pages/hosts/a/move', { to: { path: 'b' } }, { 'if-match': '*' }), 200)
  const { host, port } = new URL(service.app.address)
  for (const [used, origin] of [
    [host, `http://${host}`],
    [`localhost:${port}`, `http://localhost:${port}`],
    ['localhost:1', ''],
    ['evil.example', ''],
    [`localhost.evil.example:${port}`, ''],
  ]) {
    assert.equal((await headersOf('/pages/hosts/a', used)).location, `${origin}/pages/hosts/b`, used)
  }
})

/** The headers of the response to a request target that is sent as it is. */
async function headersOf(target: string, host?: string): Promise<IncomingHttpHeaders> {
  const { hostname, port } = new URL(service.app.address)
  const headers = {
    authorization: `Bearer ${service.admin.key}`,
    accept: 'application/json',
    ...(host !== undefined && { host }),
  }
  const [answer] = await once(get({ hostname, port, path: target, headers }), 'response')
  answer.resume()
  return answer.headers
}
