import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { HIDDEN_IN_LOGS } from '../../packages/server/src/app/log.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { databaseEnv, type LocalService, startLocalService } from '../support/local-service.ts'
import { openBrowser, type PersonBrowser } from '../support/oauth.ts'
import { newOwner } from '../support/people.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { formsIn } from '../support/web-session.ts'

const lines: string[] = []
const sink = new Writable({
  write(chunk, _, done) {
    lines.push(chunk.toString())
    done()
  },
})
let service: LocalService
let database: TestDatabase
let pool: pg.Pool
let admin: Client
let maker: Awaited<ReturnType<typeof newOwner>>
let browser: PersonBrowser
before(async () => {
  database = await createTestDatabase()
  pool = new pg.Pool({ ...database.connection, max: 1 })
  pool.on('error', () => {})
  const env = { ...databaseEnv(database), SVC_LOG_REQUESTS: 'all' }
  service = await startLocalService(env, {}, pino({ level: 'trace', ...HIDDEN_IN_LOGS }, sink))
  admin = service.admin
  await admin.space('docs')
  maker = await newOwner(admin, 'Maker')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${maker.id}`, { json: { role: 'editor' } }), 201)
  browser = await openBrowser(admin.base, maker.key)
  for (const [path, body] of [
    [
      'top',
      '# Top\n\n[child](./top/child) [hidden](./top/hidden/x) [other](./other "Title of other") [out](https://example.org/)',
    ],
    ['top/child', '# Child\n\n[up](../top)'],
    ['top/hidden/x', '# Hidden page'],
    ['other', '# Other page'],
  ] as const) {
    await admin.write(`docs/${path}`, body)
  }
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await pool.end()
  await database[Symbol.asyncDispose]()
})

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
  assert.ok(text.includes(`<a href="${url}/pages/child">child</a>`), text)
  assert.ok(text.includes('<span>hidden</span>'), text)
  assert.ok(!text.includes('Hidden page') && !text.includes('hidden/x'))
  assert.equal((await read(`${url}/pages/hidden/x`)).status, 404)
  const child = await (await read(`${url}/pages/child`)).text()
  assert.ok(child.includes(`<a href="${url}">up</a>`), child)
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
  assert.match(await (await send('wrong')).text(), /Too many wrong passwords for this link/)
})

test('keys make no links, and lists have one’s own', async () => {
  assertProblem(await maker.client.post('/shares/docs/top', {}), 403, 'forbidden')
  const other = await newOwner(admin, 'Other editor')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${other.id}`, { json: { role: 'editor' } }), 201)
  assert.deepEqual(assertStatus(await other.client.get('/spaces/docs/shares'), 200).json.items, [])
  assert.ok(assertStatus(await admin.get('/spaces/docs/shares'), 200).json.items.length > 0)
})

test('the list of a space has all links, newest first, and none on a page that the caller cannot read', async () => {
  const names = ['list/a', 'list/b', 'list/c']
  for (const path of names) {
    await admin.write(`docs/${path}`, `# Title of ${path}`)
    await share({}, path)
  }
  const paths = async (client: Client) =>
    (await client.all('/spaces/docs/shares?limit=2')).map(({ path }) => path).filter((path) => path.startsWith('list/'))
  assert.deepEqual([await paths(admin), await paths(maker.client)], [names.toReversed(), names.toReversed()])
  const rule = { read: [], write: [] }
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/list%2Fb', { json: rule }), 201)
  assert.deepEqual([await paths(admin), await paths(maker.client)], [names.toReversed(), ['list/c', 'list/a']])
  const own = await browser.open('/settings/docs/shares')
  assert.match(own.text, /Your links/)
  assert.match(own.text, /<a href="\/pages\/docs\/list\/c">Title of list\/c<\/a>.*By Maker/s)
  assert.ok(!own.text.includes('list/b'), own.text)
  assertStatus(await admin.call('DELETE', '/spaces/docs/rules/list%2Fb'), 200)
  const revoke = formsIn(own.text).find(({ action }) => action === '/settings/docs/shares/revoke')
  assert.ok(revoke)
  const after = await browser.send(revoke)
  assert.match(after.text, /The link was revoked/)
  const { items } = assertStatus(await maker.client.get('/shares/docs/list%2Fc'), 200).json
  assert.equal(items[0].state, 'revoked')
  const stranger = await newOwner(admin, 'Viewer')
  assertProblem(await stranger.client.get('/settings/docs/shares', { accept: 'text/html' }), 403, 'forbidden')
})

test('the URLs of share links take a path with slashes', async () => {
  await admin.write('docs/deep/er/page', '# Deep')
  assertStatus(await maker.client.get('/shares/docs/deep/er/page'), 200)
  assertProblem(await maker.client.post('/shares/docs/deep/er/page', {}), 403, 'forbidden')
})

test('a preview is what the readers of a link see, and makes none', async () => {
  assertStatus(await admin.call('PUT', '/files/docs/seen/notes.txt', { body: 'bytes of notes' }), 201)
  assertStatus(await admin.call('PUT', '/files/docs/seen/secret/notes.txt', { body: 'secret bytes' }), 201)
  const links =
    '[child](./seen/child) [hidden](./seen/secret/x) [other](./other "Title of other") [out](https://example.org/)'
  const files = '[notes](seen/notes.txt) [secret](seen/secret/notes.txt) [raw](/files/docs/seen/secret/notes.txt)'
  await admin.write('docs/seen', `# Seen\n\n${links}\n\n${files} [part](./seen/child#part) [page](/pages/docs/other)`)
  await admin.write('docs/seen/child', '# Child\n\n## Part\n\n[up](../seen)')
  await admin.write('docs/seen/secret/x', '# Secret page')
  await admin.write('docs/seen/unseen/y', '# Unseen page')
  const rule = { read: [{ principal: maker.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/seen%2Fsecret', { json: rule }), 201)
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/seen%2Funseen', { json: { read: [], write: [] } }), 201)

  const screen = await browser.open('/share/docs/seen')
  assert.match(
    screen.text,
    /1 page now\. 1 page is left out, since a folder rule narrows who reads there: Secret page\./,
  )
  assert.ok(!screen.text.includes('Unseen'))
  const previews = [...screen.text.matchAll(/href="(\/share-preview\/[^"]*)"/g)].map(([, url = '']) => url)
  assert.deepEqual(previews, ['/share-preview/docs/seen', '/share-preview/docs/seen?children=yes'])
  assert.deepEqual(assertStatus(await maker.client.get('/shares/docs/seen'), 200).json.items, [])

  /** All but the URLs, which differ. */
  const withoutUrls = (text: string) => text.slice(text.indexOf('<article')).replace(/ href="\/[^"]*"/g, ' href')
  for (const [n, fields] of [{}, { withChildren: ['yes'] }].entries()) {
    const url = await share(fields, 'seen')
    const preview = await browser.open(previews[n] ?? '')
    assert.match(preview.text, /Preview: readers/)
    const reader = await (await read(url)).text()
    assert.equal(withoutUrls(preview.text), withoutUrls(reader))
    for (const absent of ['Title of other', '/pages/', 'Maker', 'Unseen', 'files/docs/seen/secret']) {
      assert.ok(!preview.text.includes(absent), absent)
    }
  }
  const withPages = await browser.open(previews[1] ?? '')
  const [, childUrl = ''] = /href="([^"]*at=[^"]*)">child</.exec(withPages.text) ?? []
  const child = await browser.open(childUrl.replaceAll('&amp;', '&'))
  assert.match(child.text, /<h1[^>]*>.*Child/)
  assert.ok(child.text.includes('<a href="/share-preview/docs/seen?children=yes">up</a>'), child.text)
  assert.match(withPages.text, /href="\/files\/docs\/seen\/notes\.txt"/)
  for (const at of ['seen/secret/x', 'other', 'none']) {
    assert.equal((await browser.open(`/share-preview/docs/seen?children=yes&at=${at}`)).status, 404)
  }
  assert.equal((await browser.open('/share-preview/docs/seen?at=seen/child')).status, 404)
})

test('a link follows its page', async () => {
  await admin.write('docs/moving', '# Moving')
  const url = await share({}, 'moving')
  assertStatus(await admin.post('/pages/docs/moving/move', { to: { path: 'moved' } }, { 'if-match': '*' }), 200)
  assert.equal((await read(url)).status, 200)
})

test('the secret is in no line of the log, and in no metric', async () => {
  const url = await share({ password: 'correct horse battery' })
  const secret = url.slice('/s/'.length)
  const encodedUrl = `/s/%73hr${secret.slice(3)}`
  const log = pino({ ...HIDDEN_IN_LOGS }, sink)
  log.error({ err: new Error(`reply sent in "${url}"`), req: { url } }, `a message with ${url}`)
  for (const target of [url, encodedUrl, `${url}/pages/none`, `${url}/none`, `${url}/`, `${url}/files/none/none`]) {
    await read(target)
  }
  await fetch(admin.base + url, { method: 'PUT' })
  await fetch(admin.base + url, {
    method: 'POST',
    body: new URLSearchParams({ password: 'correct horse battery' }),
    redirect: 'manual',
  })
  await until(() => lines.some((line) => line.includes('"method":"POST","route":"/s/:secret"')))
  await pool.query('alter table share_link rename to share_links')
  const failures = [await read(url), await read(encodedUrl)]
  await pool.query('alter table share_links rename to share_link')
  assert.deepEqual(
    failures.map(({ status }) => status),
    [500, 500],
  )
  const log500 = lines.filter((line) => line.includes('a fault answered with 500'))
  assert.ok(log500.length === 2 && log500.every((line) => line.includes('"/s/:secret"')), log500.join(''))
  const metrics = assertStatus(await admin.get('/metrics'), 200).text
  assert.ok(metrics.includes('/s/:secret'))
  const random = secret.slice('shr_'.length)
  assert.deepEqual(
    [...lines, metrics].filter((line) => line.includes(random)),
    [],
  )
})

test('a link ends at its time and while its page is in the trash; its making and its end are audited', async () => {
  await admin.write('docs/short', '# Short')
  const url = await share({}, 'short')
  const link = async () => assertStatus(await maker.client.get('/shares/docs/short'), 200).json.items[0]
  const { id } = await link()
  await pool.query("update share_link set expires_at = now() - interval '1 second' where id = $1", [id])
  await assertDead(url)
  assert.equal((await link()).state, 'expired')
  await pool.query('update share_link set expires_at = null where id = $1', [id])
  assert.equal((await read(url)).status, 200)
  assertStatus(await admin.call('DELETE', '/pages/docs/short', { headers: { 'if-match': '*' } }), 204)
  await assertDead(url)
  assertStatus(await maker.client.call('DELETE', `/shares/by-id/${id}`), 204)
  for (const action of ['share.created', 'share.revoked']) {
    const { items } = assertStatus(await admin.get(`/admin/audit?action=${action}`), 200).json
    assert.ok(
      items.some(({ details }: { details: { id: string; path: string } }) => details.id === id),
      action,
    )
  }
})

test('nothing is shown where the installation forbids share links', async () => {
  const url = await share()
  assert.equal((await read(url)).status, 200)
  await using off = await startLocalService({ ...databaseEnv(database), SVC_SHARES: 'off' })
  assert.equal((await fetch(off.app.address + url)).status, 404)
})
