import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService({
    SVC_RATE_LIMIT: '0',
    SVC_WEBHOOKS_ALLOW_HTTP: '1',
    SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
  })
})
after(() => service[Symbol.asyncDispose]())

const PAGES = 120
const pages = Array.from({ length: PAGES }, (_, n) => ({
  path: `p/${n}`,
  body: `---\nowner: ada\n---\n# Title ${n}\n\nThe word quagga${n} and [the next](./${n + 1}.md).`,
  ...(n % 2 === 0 && { metadata: { n } }),
}))
/** So much of what may be markup is not read in bulk, but by itself. */
const expensive = { path: 'expensive', body: `# Expensive\n\n[to](./p/0.md) okapi ${'['.repeat(60_000)}` }
const bundle = { format: 'page-bundle', formatVersion: 1, pages: [...pages, expensive] }

test('every imported page is in the change feed, the search and the webhook deliveries', async () => {
  const { admin } = service
  await using receiver = await startReceiver()
  await admin.space('imported')
  const events = ['page.created', 'page.metadata.updated']
  assertStatus(await admin.post('/admin/webhooks', { url: receiver.url, events, spaceSlug: 'imported' }), 201)
  const since = (await admin.get('/changes?since=now')).json.nextCursor
  assert.equal(assertStatus(await admin.post('/spaces/imported/import', bundle), 200).json.created, PAGES + 1)

  const changes: { event: string; page: { path: string; title: string; version: number } }[] = []
  const described = pages.filter(({ metadata }) => metadata).map(({ path }) => path)
  for (let cursor = since; changes.length < pages.length + 1 + described.length; ) {
    // An event is returned once no open transaction can precede it.
    const { items, nextCursor } = assertStatus(await admin.get(`/changes?limit=100&since=${cursor}&wait=10`), 200).json
    // The cursor may stand before the event of the space, which tells of no page.
    changes.push(...items.filter(({ page }: { page?: object }) => page))
    cursor = nextCursor
  }
  const inFeed = (kind: string) => changes.flatMap((change) => (change.event === kind ? [change.page.path] : [])).sort()
  assert.deepEqual(inFeed('page.created'), [...pages, expensive].map(({ path }) => path).sort())
  assert.deepEqual(inFeed('page.metadata.updated'), described.sort())
  const seven = changes.find(({ page }) => page.path === 'p/7')
  assert.deepEqual([seven?.page.title, seven?.page.version], ['Title 7', 1])

  for (const [word, path] of [
    ['quagga0', 'p/0'],
    [`quagga${PAGES - 1}`, `p/${PAGES - 1}`],
    ['okapi', 'expensive'],
  ]) {
    const { items } = assertStatus(await admin.get(`/search?space=imported&q="${word}"`), 200).json
    assert.deepEqual(
      items.map((item: { path: string }) => item.path),
      [path],
    )
  }
  const { outbound } = assertStatus(await admin.get('/pages/imported/expensive/links'), 200).json
  assert.deepEqual([outbound.length, outbound[0].path, outbound[0].exists], [1, 'p/0', true])

  await receiver.nth(PAGES + 1 + described.length)
  const delivered = receiver.received.map(({ json }) => `${json.event} ${json.page.path}`).sort()
  assert.deepEqual(delivered, changes.map(({ event, page }) => `${event} ${page.path}`).sort())
})
