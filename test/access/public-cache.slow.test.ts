import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { missing, type NginxCache, startLoadBalancer } from '../support/load-balancer.ts'
import { openBrowser } from '../support/oauth.ts'
import { newOwner } from '../support/people.ts'
import { startService } from '../support/service.ts'
import { formsIn } from '../support/web-session.ts'
import { signIn } from './twin-observers.ts'

const AUTHOR = 'Zebedee Quince'
/** How long a shared cache keeps a public response: ten whole seconds in nginx, and the time of a request. */
const KEPT_MS = 12_000
const JSON_TYPE = { accept: 'application/json' }
const HTML_TYPE = { accept: 'text/html' }
const CACHES: readonly NginxCache[] = ['as deployed', 'of all requests']
/** What everybody may read, each as the first path with these headers. */
const PUBLIC: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['/pages/open/page', HTML_TYPE],
  ['/pages/open/page', JSON_TYPE],
  ['/pages/open/page.md', {}],
  ['/pages/open/page/links', JSON_TYPE],
  ['/spaces/open', JSON_TYPE],
  ['/spaces/open/pages', JSON_TYPE],
  ['/spaces', JSON_TYPE],
  ['/files/open/file.txt', {}],
  ['/files/open/file.txt', JSON_TYPE],
  ['/browse/open', HTML_TYPE],
  ['/fragments/tree/open', HTML_TYPE],
  ['/search?q=page', JSON_TYPE],
  ['/', HTML_TYPE],
]

/** An answer from a cache has the id of the request for which it was made. */
const idOf = ({ headers }: Answer) => headers.get('x-request-id')

async function startWorld(cache: NginxCache) {
  await using starting = new AsyncDisposableStack()
  const service = starting.use(await startService({ SVC_PUBLIC_SPACES: 'on', SVC_PUBLIC_RATE_LIMIT: '1000000' }))
  const { admin } = service
  const nginx = starting.use(await startLoadBalancer('nginx', [Number(new URL(admin.base).port)], cache))
  const author = await newOwner(admin, AUTHOR)
  for (const [slug, visibility] of [
    ['open', 'public'],
    ['closed', 'private'],
  ] as const) {
    await admin.space(slug, { visibility })
    assertStatus(await admin.call('PUT', `/spaces/${slug}/members/${author.id}`, { json: { role: 'editor' } }), 201)
    assertStatus(await author.client.put(`/pages/${slug}/page`, `# Page of ${slug}`), 201)
    assertStatus(await author.client.call('PUT', `/files/${slug}/file.txt`, { body: `File of ${slug}` }), 201)
  }
  const running = starting.move()
  return {
    admin,
    author,
    url: nginx.url,
    nobody: new Client(nginx.url, undefined),
    person: new Client(nginx.url, author.key),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

for (const cache of CACHES) {
  test(`a cache ${cache} keeps public pages for ten seconds, and nothing else`, {
    skip: missing('nginx'),
  }, async (t) => {
    await using world = await startWorld(cache)
    const { admin, author, nobody, person } = world

    await t.test('what a key or a session reads is never kept, and what is kept is never sent to them', async () => {
      const session = { ...(await signIn(nobody, author.key)) }
      for (const [path, headers] of PUBLIC) {
        const own = assertStatus(await person.get(path, headers), 200)
        const inSession = assertStatus(await nobody.get(path, { ...headers, ...session }), 200)
        const first = assertStatus(await nobody.get(path, headers), 200)
        const kept = assertStatus(await nobody.get(path, headers), 200)
        assert.equal(idOf(kept), idOf(first), `${path} is kept`)
        assert.deepEqual(new Set([own, inSession, first].map(idOf)).size, 3, path)
        assert.doesNotMatch(kept.text, new RegExp(AUTHOR), path)
        assert.equal(kept.headers.get('set-cookie'), null)
        assert.notEqual(idOf(await person.get(path, headers)), idOf(kept), path)
        assert.notEqual(idOf(await nobody.get(path, { ...headers, ...session })), idOf(kept), path)
        assert.equal((await new Client(world.url, 'svc_wrong').get(path, headers)).status, 401, path)
      }
      const json = assertStatus(await person.get('/pages/open/page', JSON_TYPE), 200).json
      assert.equal(json.updatedBy.name, AUTHOR)
    })

    await t.test('HEAD and conditional requests are answered from it, each type by itself', async () => {
      const [path, headers] = ['/pages/open/page', JSON_TYPE]
      const kept = assertStatus(await nobody.get(path, headers), 200)
      const head = assertStatus(await nobody.call('HEAD', path, { headers }), 200)
      assert.deepEqual([idOf(head), head.text], [idOf(kept), ''])
      const known = { ...headers, 'if-none-match': kept.headers.get('etag') ?? '' }
      const same = assertStatus(await nobody.get(path, known), 304)
      assert.equal(same.text, '')
      const html = assertStatus(await nobody.get(path, HTML_TYPE), 200)
      assert.match(html.headers.get('content-type') ?? '', /html/)
      assert.notEqual(html.headers.get('etag'), kept.headers.get('etag'))
      const own = await person.get(path, headers)
      const unchanged = await person.get(path, { ...headers, 'if-none-match': own.headers.get('etag') ?? '' })
      if (cache === 'as deployed') assertStatus(unchanged, 304)
    })

    await t.test('errors, redirects and what a key reads of a private space are not kept', async () => {
      assertStatus(await person.get('/pages/closed/page', JSON_TYPE), 200)
      for (const path of [
        '/pages/closed/page',
        '/pages/absent/page',
        '/pages/closed/page.md',
        '/files/closed/file.txt',
      ]) {
        const [first, second] = [await nobody.get(path, JSON_TYPE), await nobody.get(path, JSON_TYPE)]
        assert.deepEqual([first.status, second.status], [401, 401], path)
        assert.notEqual(idOf(first), idOf(second), path)
      }
      assertStatus(await nobody.get('/pages/open/later', JSON_TYPE), 404)
      assertStatus(await author.client.put('/pages/open/later', '# Later'), 201)
      assertStatus(await nobody.get('/pages/open/later', JSON_TYPE), 200)
      const move = (path: string, to: string) =>
        author.client.post(`/pages/open/${path}/move`, { to: { path: to } }, { 'if-match': '*' })
      assertStatus(await author.client.put('/pages/open/old', '# Old'), 201)
      assertStatus(await move('old', 'new'), 200)
      assert.match(
        assertStatus(await nobody.get('/pages/open/old', JSON_TYPE), 308).headers.get('location') ?? '',
        /new$/,
      )
      assertStatus(await move('new', 'old'), 200)
      assertStatus(await nobody.get('/pages/open/old', JSON_TYPE), 200)
    })

    await t.test('share links are not kept', async () => {
      const browser = await openBrowser(admin.base, author.key)
      const screen = await browser.open('/share/closed/page')
      const form = formsIn(screen.text).find(({ action }) => action === '/share/closed/page')
      assert.ok(form)
      const { text } = await browser.send(form)
      const link = new URL(/<code id="secret"[^>]*>([^<]*)<\/code>/.exec(text)?.[1] ?? '').pathname
      const [first, second] = [await nobody.get(link, HTML_TYPE), await nobody.get(link, HTML_TYPE)]
      assert.match(assertStatus(first, 200).text, /Page of closed/)
      assert.notEqual(idOf(first), idOf(second))
      const { items } = assertStatus(await author.client.get('/shares/closed/page'), 200).json
      assertStatus(await author.client.delete(`/shares/by-id/${items[0].id}`), 204)
      assertStatus(await nobody.get(link, HTML_TYPE), 404)
    })

    await t.test('a hidden page and a space that is made private are gone within the time', async () => {
      const waitUntilGone = async (path: string, headers: Readonly<Record<string, string>>, changedAt: number) => {
        await until(async () => {
          const askedAt = Date.now()
          const answer = await nobody.get(path, headers)
          if (answer.status !== 200) return true
          assert.ok(askedAt - changedAt <= KEPT_MS, `${path} is still sent after ${askedAt - changedAt} ms`)
          return false
        }, 60_000)
      }
      assertStatus(await author.client.put('/pages/open/hr/pay', '# Pay'), 201)
      assertStatus(await nobody.get('/pages/open/hr/pay', JSON_TYPE), 200)
      assertStatus(await admin.call('PUT', '/spaces/open/rules/hr', { json: { read: [], write: [] } }), 201)
      await waitUntilGone('/pages/open/hr/pay', JSON_TYPE, Date.now())
      const inOpen = PUBLIC.filter(([path]) => path.includes('open'))
      for (const [path, headers] of inOpen) assertStatus(await nobody.get(path, headers), 200)
      assertStatus(await admin.patch('/spaces/open', { visibility: 'private' }), 200)
      const changedAt = Date.now()
      await Promise.all(inOpen.map(([path, headers]) => waitUntilGone(path, headers, changedAt)))
      for (const [path, headers] of inOpen) {
        // Who asks for a page is sent to sign in.
        const { status } = await nobody.get(path, headers)
        assert.equal(status, headers === HTML_TYPE ? 303 : 401, path)
      }
    })
  })
}
