import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { ROUTE_RULES } from './route-rules.ts'

let service: Service
let admin: Client
let nobody: Client
before(async () => {
  service = await startService({ SVC_PUBLIC_SPACES: 'on', SVC_PUBLIC_RATE_LIMIT: '1000000' })
  admin = service.admin
  nobody = service.nobody
  for (const slug of ['open', 'closed', 'inner']) {
    const visibility = slug === 'closed' ? 'private' : 'org'
    await admin.space(slug, { visibility })
    assertStatus(await admin.put(`/pages/${slug}/page`, `# Page of ${slug}\n\nTo [next](./next).`), 201)
    assertStatus(await admin.put(`/pages/${slug}/next`, `# Next of ${slug}\n\nTo [closed](/pages/closed/page).`), 201)
    assertStatus(await admin.put(`/pages/${slug}/gone`, 'x'), 201)
    assertStatus(await admin.delete(`/pages/${slug}/gone`, { 'if-match': '*' }), 204)
    assertStatus(await admin.patch(`/pages/${slug}/page/metadata`, { set: { secret: `kept-back-${slug}` } }), 200)
    assertStatus(await admin.put(`/pages/${slug}/hr/pay`, '# Pay'), 201)
    const rule = { read: [], write: [] }
    assertStatus(await admin.call('PUT', `/spaces/${slug}/rules/hr`, { json: rule }), 201)
    const file = { body: 'a file', headers: { 'content-type': 'text/plain' } }
    assertStatus(await admin.call('PUT', `/files/${slug}/file.txt`, file), 201)
  }
  assertStatus(await admin.patch('/spaces/open', { visibility: 'public' }), 200)
})
after(() => service[Symbol.asyncDispose]())

/** The routes of callers without an account: a new one is a decision. */
const CLOSED_LIST = [
  'GET /',
  'GET /all-spaces',
  'GET /browse/:slug',
  'GET /files/:space/:path',
  'GET /find',
  'GET /fragments/neighbours/:space/*',
  'GET /fragments/tree/:space',
  'GET /mcp',
  'GET /open/:slug',
  'GET /pages/:space/:path',
  'GET /pages/:space/:path/links',
  'GET /pages/:space/:path/metadata',
  'GET /search',
  'GET /sitemap.xml',
  'GET /spaces',
  'GET /spaces/:space',
  'GET /spaces/:space/pages',
  'POST /mcp',
]

const JSON_TYPE = { accept: 'application/json' }
const bodyText = ({ text }: Answer) => text

test('every route but those of the closed list is 401 without a credential, in a public space too', async () => {
  const open: string[] = []
  for (const [name, { rule }] of Object.entries(ROUTE_RULES)) {
    const [method = '', url = '', use] = name.split(' ')
    if (rule === 'public' || use !== undefined) continue
    const fill = (slug: string) =>
      url
        .replace(/:space|:slug/, slug)
        .replace(/:path|\*/, url.startsWith('/files') ? 'file.txt' : 'page')
        .replace(/:n\b/, '1')
        .replace(/:\w+/g, '00000000-0000-7000-8000-000000000000')
    const isRefused = ({ status, headers }: Answer) =>
      status === 401 || (status === 303 && (headers.get('location') ?? '').startsWith('/sign-in'))
    const send = (slug: string) => nobody.call(method, fill(slug), { headers: JSON_TYPE })
    const answer = await send('open')
    if (!isRefused(answer)) open.push(name)
    if (!url.includes(':space')) continue
    for (const slug of ['closed', 'inner', 'absent']) assert.ok(isRefused(await send(slug)), `${name} in ${slug}`)
  }
  assert.deepEqual(open.toSorted(), CLOSED_LIST)
})

test('a page of a public space is read without a credential, in three forms that name nobody', async () => {
  const name = 'Zebedee Quince'
  const { id, client } = await newPerson(admin, name)
  assertStatus(await admin.call('PUT', `/spaces/open/members/${id}`, { json: { role: 'editor' } }), 201)
  const change = {
    json: { body: '# Page of open\n\nTo [next](./next).', note: 'A note' },
    headers: { 'if-match': '*' },
  }
  assertStatus(await client.call('PUT', '/pages/open/page', change), 200)
  const page = assertStatus(await nobody.get('/pages/open/page', JSON_TYPE), 200)
  assert.equal(page.json.title, 'Page of open')
  for (const member of ['createdBy', 'updatedBy', 'note']) assert.equal(member in page.json, false, member)
  const markdown = assertStatus(await nobody.get('/pages/open/page.md'), 200)
  assert.match(markdown.text, /^# Page of open/)
  const html = assertStatus(await nobody.get('/pages/open/page', { accept: 'text/html' }), 200)
  assert.match(html.text, /Page of open/)
  const list = assertStatus(await nobody.get('/spaces/open/pages'), 200)
  assert.deepEqual(
    list.json.items.map(({ path }: { path: string }) => path),
    ['next', 'page'],
  )
  const links = assertStatus(await nobody.get('/pages/open/next/links'), 200)
  assert.equal(links.json.outbound[0].exists, null)
  assert.deepEqual(
    links.json.backlinks.map(({ path }: { path: string }) => path),
    ['page'],
  )
  const spaces = assertStatus(await nobody.get('/spaces'), 200)
  assert.deepEqual(
    spaces.json.items.map(({ slug }: { slug: string }) => slug),
    ['open'],
  )
  const space = assertStatus(await nobody.get('/spaces/open'), 200)
  assert.equal(space.json.role, 'viewer')
  const file = assertStatus(await nobody.get('/files/open/file.txt'), 200)
  assert.equal(file.text, 'a file')
  const object = assertStatus(await nobody.get('/files/open/file.txt', JSON_TYPE), 200)
  for (const answer of [page, markdown, html, list, links, spaces, space, file, object]) {
    assert.equal(answer.headers.get('set-cookie'), null)
    assert.doesNotMatch(bodyText(answer), new RegExp(`${name}|A note|createdBy|updatedBy|kept-back|"secret"`))
  }
})

test('hidden, deleted and absent pages of a public space are the same 404; those of other spaces the same 401', async () => {
  const problem = async (path: string) => {
    const { status, json } = await nobody.get(path, JSON_TYPE)
    const { instance: _, requestId: __, ...rest } = json
    return { status, ...rest }
  }
  for (const [resource, gone] of [
    ['pages', 'gone'],
    ['files', 'hr/pay'],
  ] as const) {
    const absent = await problem(`/${resource}/open/absent`)
    assert.equal(absent.status, 404)
    for (const path of [gone, 'hr/pay', 'hr', 'hr/absent']) {
      assert.deepEqual(await problem(`/${resource}/open/${path}`), absent, path)
    }
    const refused = await problem(`/${resource}/absent/page`)
    assert.equal(refused.status, 401)
    for (const space of ['closed', 'inner', 'personal']) {
      for (const path of ['page', 'file.txt', 'gone', 'absent', 'hr/pay']) {
        assert.deepEqual(await problem(`/${resource}/${space}/${path}`), refused, `${space}/${path}`)
      }
    }
  }
  const browser = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
  for (const path of ['closed/page', 'closed/absent', 'absent/page']) {
    const answer = assertStatus(await nobody.get(`/pages/${path}`, browser), 303)
    assert.match(answer.headers.get('location') ?? '', /^\/sign-in\?next=/)
  }
  assertStatus(await nobody.get('/pages/open/absent', browser), 404)
})

test('a search without an account finds what is public, and metadata and people only where they are', async () => {
  const words = encodeURIComponent
  const find = async (query: string, client = nobody) => {
    const { json } = assertStatus(await client.get(`/search?q=${query}`, JSON_TYPE), 200)
    assert.equal('warnings' in json, false, query)
    return json.relaxed || json.corrected ? ['other words'] : json.items.map(({ path }: { path: string }) => path)
  }
  const filters = `&filters=${words(JSON.stringify([{ key: 'colour', op: 'exists' }]))}`
  const secret = [
    'ultramarine',
    'ultramarin',
    'ultramarime',
    'by:admin%20colored',
    'by:me%20colored',
    'has:colour%20colored',
    `colored${filters}`,
    'nowhere%20by:admin',
  ]
  const expectPrivate = async () => {
    for (const query of secret) assert.deepEqual(await find(query), [], query)
  }
  await admin.space('painted', { visibility: 'org' })
  const put = (path: string) =>
    admin.call('PUT', `/pages/painted/${path}`, {
      json: { body: '# Colored', metadata: { colour: 'ultramarine' } },
      headers: { 'if-none-match': '*' },
    })
  assertStatus(await put('first'), 201)
  await until(async () => (await find('ultramarine', admin)).length === 1)
  assertStatus(await admin.patch('/spaces/painted', { visibility: 'public' }), 200)
  await expectPrivate() // at once, before the index is renewed
  assertStatus(await put('second'), 201)
  await expectPrivate()
  await until(async () => (await find('colored')).length === 2)
  await expectPrivate()
  assert.deepEqual(await find('ultramarine', admin), [])
  assert.deepEqual(await find(`colored${filters}`, admin), ['first', 'second'])
  assert.deepEqual(await find('page%20in:inner'), [])
  for (const space of ['closed', 'absent']) {
    assertProblem(await nobody.get(`/search?q=page&space=${space}`, JSON_TYPE), 401, 'unauthorized')
    const screen = await nobody.get(`/find?q=page&space=${space}`, { accept: 'text/html' })
    assert.match(assertStatus(screen, 303).headers.get('location') ?? '', /^\/sign-in\?next=/)
  }
  const { id, client } = await newPerson(admin, 'Painter')
  assertStatus(await admin.call('PUT', `/spaces/painted/members/${id}`, { json: { role: 'admin' } }), 201)
  assertProblem(await client.patch('/spaces/painted', { publicMetadata: true }), 403, 'forbidden')
  const dry = assertStatus(await admin.patch('/spaces/painted?dryRun=true', { publicMetadata: true }), 200)
  assert.ok(dry.json.opens.metadataChanges > 0)
  assertStatus(await admin.patch('/spaces/painted', { publicMetadata: true }), 200)
  await until(async () => (await find('ultramarine')).length === 2)
  assert.deepEqual(await find('has:colour%20colored'), ['first', 'second'])
  assert.deepEqual(await find(`colored${filters}`), ['first', 'second'])
  const byKind = `&filters=${words(JSON.stringify([{ field: 'updatedByKind', op: 'eq', value: 'human' }]))}`
  assert.deepEqual(await find(`colored${byKind}`), [], 'authors are not told')
  assert.deepEqual(await find('by:admin%20colored'), [])
  assertStatus(await client.patch('/spaces/painted', { publicMetadata: false }), 200)
  await expectPrivate()
})

test('old versions, documents of several pages and the neighbourhood need an account', async () => {
  for (const url of ['/pages/open/page?version=1', '/pages/open/page?format=md', '/spaces/open/pages?format=md']) {
    assertProblem(await nobody.get(url, JSON_TYPE), 401, 'unauthorized')
  }
  assertProblem(await nobody.get('/pages/open/page/links?depth=1'), 401, 'unauthorized')
  assertProblem(await nobody.get('/files/open/file.txt?version=1', JSON_TYPE), 401, 'unauthorized')
})

test('a wrong key is 401 where no key is 200', async () => {
  const wrong = { authorization: 'Bearer svc_wrong' }
  assertProblem(await nobody.get('/pages/open/page', { ...wrong, ...JSON_TYPE }), 401, 'unauthorized')
})

test('only answers to no credential are for shared caches, and each credential has its own', async () => {
  const control = ({ headers }: Answer) => headers.get('cache-control') ?? ''
  const vary = ({ headers }: Answer) => (headers.get('vary') ?? '').toLowerCase()
  for (const url of ['/pages/open/page', '/pages/open/page.md', '/spaces/open/pages', '/files/open/file.txt']) {
    for (const accept of ['application/json', 'text/html', '*/*']) {
      const [theirs, own] = [await nobody.get(url, { accept }), await admin.get(url, { accept })]
      if (theirs.status === 406) continue
      assert.match(control(theirs), /^public/, `${url} ${accept}`)
      assert.match(control(own), /^private|^no-store/, `${url} ${accept}`)
      for (const answer of [theirs, own]) {
        for (const name of ['authorization', 'cookie']) assert.ok(vary(answer).includes(name), `${url} ${name}`)
      }
    }
  }
  const withCookie = await nobody.get('/pages/open/page', { cookie: '__Host-svc_session=ended', ...JSON_TYPE })
  assert.match(control(withCookie), /^private/)
  for (const url of ['/pages/open/absent', '/pages/closed/page']) {
    assert.equal(control(await nobody.get(url, JSON_TYPE)), 'no-store', url)
  }
  const [theirs, own] = [
    await nobody.get('/pages/open/page', JSON_TYPE),
    await admin.get('/pages/open/page', JSON_TYPE),
  ]
  assert.notEqual(theirs.headers.get('etag'), own.headers.get('etag'))
  const known = { ...JSON_TYPE, 'if-none-match': theirs.headers.get('etag') ?? '' }
  assert.match(control(assertStatus(await nobody.get('/pages/open/page', known), 304)), /^public/)
})

test('only organisation admins make a space public; a space that ends to be public is 401 at once', async () => {
  const { id, client } = await newPerson(admin, 'Space admin')
  await admin.space('mine', { visibility: 'private' })
  assertStatus(await admin.call('PUT', `/spaces/mine/members/${id}`, { json: { role: 'admin' } }), 201)
  assertStatus(await admin.put('/pages/mine/page', 'x'), 201)
  assertProblem(await client.patch('/spaces/mine', { visibility: 'public' }), 403, 'forbidden')
  assertProblem(await client.patch('/spaces/mine?dryRun=true', { visibility: 'public' }), 403, 'forbidden')
  const dry = assertStatus(await admin.patch('/spaces/mine?dryRun=true', { visibility: 'public' }), 200)
  assert.equal(dry.json.opens.revisions, 1)
  assertStatus(await admin.patch('/spaces/mine', { visibility: 'public' }), 200)
  assertStatus(await nobody.get('/pages/mine/page', JSON_TYPE), 200)
  assertStatus(await client.patch('/spaces/mine', { visibility: 'private' }), 200)
  assertProblem(await nobody.get('/pages/mine/page', JSON_TYPE), 401, 'unauthorized')
  const { items } = assertStatus(await admin.get('/admin/audit?action=space.updated'), 200).json
  assert.ok(items.some(({ details }: { details: { visibility?: string } }) => details.visibility === 'public'))
})

test('the limit of requests without an account counts by address, not for keys', async () => {
  await using limited = await startService({ SVC_PUBLIC_SPACES: 'on', SVC_PUBLIC_RATE_LIMIT: '3' })
  await limited.admin.space('open', { visibility: 'public' })
  for (let sent = 0; sent < 3; sent++) assertStatus(await limited.nobody.get('/spaces/open'), 200)
  assertProblem(await limited.nobody.get('/spaces/open'), 429, 'too_many_requests')
  assertStatus(await limited.admin.get('/spaces/open'), 200)
})
