import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { openBrowser, type PersonBrowser } from '../support/oauth.ts'
import { newOwner } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { formsIn } from '../support/web-session.ts'

let service: Service
let admin: Client
let maker: Awaited<ReturnType<typeof newOwner>>
let browser: PersonBrowser
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
  maker = await newOwner(admin, 'Maker')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${maker.id}`, { json: { role: 'editor' } }), 201)
  browser = await openBrowser(admin.base, maker.key)
  for (const [path, body] of [
    [
      'top',
      '# Top\n\n[child](top/child) [hidden](top/hidden/x) [other](other "Title of other") [out](https://example.org/)',
    ],
    ['top/child', '# Child\n\n[up](../top)'],
    ['top/hidden/x', '# Hidden page'],
    ['other', '# Other page'],
  ] as const) {
    await admin.write(`docs/${path}`, body)
  }
})
after(() => service[Symbol.asyncDispose]())

/** Makes a link of `docs/top` in the browser of the maker. */
async function share(fields: Readonly<Record<string, string | readonly string[]>> = {}, path = 'top'): Promise<string> {
  const screen = await browser.open(`/share/docs/${path}`)
  const form = formsIn(screen.text).find(({ action }) => action === `/share/docs/${path}`)
  assert.ok(form, `${screen.status} ${screen.text}`)
  const { text } = await browser.send(form, fields)
  const url = /<code id="secret"[^>]*>([^<]*)<\/code>/.exec(text)?.[1]
  assert.ok(url, text)
  return new URL(url).pathname
}

const read = (url: string, headers: Record<string, string> = {}) =>
  fetch(admin.base + url, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' })

async function assertDead(url: string): Promise<void> {
  const [dead, unknown] = [await read(url), await read(`/s/shr_${'0'.repeat(36)}`)]
  assert.deepEqual([dead.status, await dead.text()], [404, await unknown.text()])
}

test('a share link shows its page, and nothing else of the workspace', async () => {
  const url = await share()
  const answer = await read(url)
  const text = await answer.text()
  assert.equal(answer.status, 200)
  assert.match(text, /<h1[^>]*>.*Top/)
  assert.match(text, /href="https:\/\/example.org\/"/)
  for (const absent of ['Title of other', 'docs', '/pages/', 'Maker', 'top/child', 'class="missing"', 'History']) {
    assert.ok(!text.includes(absent), absent)
  }
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer')
  assert.match(answer.headers.get('x-robots-tag') ?? '', /noindex/)
  assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
  assert.equal((await read(`${url}/pages/child`)).status, 404)
})

test('with the pages below, links lead to them; what a rule below narrows is left out', async () => {
  const url = await share({ withChildren: ['yes'] })
  const rule = { read: [{ principal: maker.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/top%2Fhidden', { json: rule }), 201)
  const text = await (await read(url)).text()
  assert.ok(text.includes(`${url}/pages/child`), text)
  assert.ok(!text.includes('Hidden page') && !text.includes('hidden/x'))
  assert.equal((await read(`${url}/pages/hidden/x`)).status, 404)
  const child = await (await read(`${url}/pages/child`)).text()
  assert.ok(child.includes(`href="${url}"`))
  assertStatus(await admin.call('DELETE', '/spaces/docs/rules/top%2Fhidden'), 200)
})

test('images and files of the page are read through the link alone', async () => {
  assertStatus(await admin.call('PUT', '/files/docs/notes.txt', { body: 'bytes of notes' }), 201)
  await admin.write('docs/with-file', '# With a file\n\n[notes](notes.txt)')
  const url = await share({}, 'with-file')
  const href = /href="(\/s\/[^"]*\/files\/[^"]*)"/.exec(await (await read(url)).text())?.[1]
  assert.ok(href)
  assert.equal(await (await read(href, { accept: 'application/json' })).text(), 'bytes of notes')
  await admin.write('docs/with-file', '# Without')
  assert.equal((await read(href)).status, 404)
})

test('a link is dead at once where its maker cannot read, and when it is revoked, trashed or switched off', async () => {
  const url = await share()
  const { items } = assertStatus(await maker.client.get('/shares/docs/top'), 200).json
  const { id } = items[0]
  const rule = { read: [], write: [] }
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/top', { json: rule }), 201)
  await assertDead(url)
  assert.equal(assertStatus(await admin.get(`/shares/by-id/${id}`), 200).json.state, 'no-access')
  assertProblem(await maker.client.get(`/shares/by-id/${id}`), 404, 'not_found')
  assertStatus(await admin.call('DELETE', '/spaces/docs/rules/top'), 200)
  assert.equal((await read(url)).status, 200)
  assertStatus(await admin.call('PATCH', '/spaces/docs', { json: { shares: false } }), 200)
  await assertDead(url)
  assertStatus(await admin.call('PATCH', '/spaces/docs', { json: { shares: true } }), 200)
  assertStatus(await admin.call('DELETE', `/shares/by-id/${id}`), 204)
  await assertDead(url)
  const other = await share()
  assertStatus(await admin.call('PATCH', `/admin/principals/${maker.id}`, { json: { disabled: true } }), 200)
  await assertDead(other)
  assertStatus(await admin.call('PATCH', `/admin/principals/${maker.id}`, { json: { disabled: false } }), 200)
  browser = await openBrowser(admin.base, maker.key)
})

test('a password is asked for, guesses are limited, and a visit counts once', async () => {
  const password = 'correct horse battery'
  const url = await share({ password })
  const send = (text: string) =>
    fetch(admin.base + url, { method: 'POST', body: new URLSearchParams({ password: text }), redirect: 'manual' })
  assert.ok(!(await (await read(url)).text()).includes('Top'))
  const opened = await send(password)
  assert.equal(opened.status, 303)
  const cookie = opened.headers.getSetCookie()[0] ?? ''
  assert.match(cookie, new RegExp(`Path=${url};.*HttpOnly`))
  for (let n = 0; n < 2; n++) {
    assert.match(await (await read(url, { cookie: cookie.split(';')[0] ?? '' })).text(), /Top/)
  }
  const counted = async () => assertStatus(await maker.client.get('/shares/docs/top'), 200).json.items[0].opens
  await until(async () => (await counted()) === 1)
  const statuses = new Set<number>()
  for (let n = 0; n < 11; n++) statuses.add((await send(`wrong ${n}`)).status)
  assert.deepEqual(statuses, new Set([400, 429]))
})

test('keys make no links, and lists have one’s own', async () => {
  assertProblem(await maker.client.post('/shares/docs/top', {}), 403, 'forbidden')
  const other = await newOwner(admin, 'Other editor')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${other.id}`, { json: { role: 'editor' } }), 201)
  assert.deepEqual(assertStatus(await other.client.get('/spaces/docs/shares'), 200).json.items, [])
  assert.ok(assertStatus(await admin.get('/spaces/docs/shares'), 200).json.items.length > 0)
})

test('a link follows its page', async () => {
  await admin.write('docs/moving', '# Moving')
  const url = await share({}, 'moving')
  assertStatus(await admin.post('/pages/docs/moving/move', { to: { path: 'moved' } }, { 'if-match': '*' }), 200)
  assert.equal((await read(url)).status, 200)
})
