import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ApiError, type Client, createClient } from '@recto/client/client.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let client: Client
before(async () => {
  service = await startService()
  client = createClient({ url: service.app.address, key: service.admin.key })
  await client.spaces.create({ slug: 'docs', name: 'Docs' })
})
after(() => service[Symbol.asyncDispose]())

test('pages are created, read in every format, edited, listed, moved, deleted and restored', async () => {
  const made = await client.pages.put('docs', 'guide/start', '# Start\n', { note: 'first' })
  assert.deepEqual([made.created, made.version, made.note], [true, 1, 'first'])
  const changed = await client.pages.put('docs', 'guide/start', '# Begin\n', { ifMatch: made.etag })
  assert.deepEqual([changed.created, changed.title], [false, 'Begin'])
  assert.equal((await client.pages.get('docs', 'guide/start', { version: 1 })).body, '# Start\n')
  const { body, version, etag } = await client.pages.getMarkdown('docs', 'guide/start')
  assert.deepEqual([body, version, etag], ['# Begin\n', 2, '"2"'])
  assert.match(await client.pages.getHtml('docs', 'guide/start'), /<h1[^>]*>.*Begin/)
  const edited = await client.pages.edit('docs', 'guide/start', [{ op: 'append', text: 'End' }], { note: 'more' })
  assert.deepEqual([edited.version, edited.changes[0]?.fromLine], [3, 2])
  assert.equal((await client.pages.versions.restore('docs', 'guide/start', 1)).version, 4)
  const versions = await client.pages.versions.list('docs', 'guide/start', { limit: 2 }).toArray()
  assert.deepEqual(
    versions.map((revision) => revision.version),
    [4, 3, 2, 1],
  )
  const moved = await client.pages.move('docs', 'guide/start', { to: { path: 'guide/begin' } })
  assert.equal(moved.page?.path, 'guide/begin')
  assert.equal((await client.pages.get('docs', 'guide/start')).path, 'guide/begin')
  await assert.rejects(client.pages.getMarkdown('docs', 'guide/start', { follow: false }), { code: 'page_moved' })
  await client.pages.delete('docs', 'guide/begin', { ifMatch: '*' })
  await assert.rejects(client.pages.get('docs', 'guide/begin'), { status: 410, code: 'page_deleted' })
  assert.equal((await client.pages.trash('docs').toArray()).length, 1)
  assert.equal((await client.pages.restore('docs', 'guide/begin')).title, 'Start')
})

test('a byte order mark, and paths that end in names of sub-resources, are preserved, and .md ends no path', async () => {
  for (const path of ['bom', 'a/links', 'a/versions/3', '100%/?#&+']) {
    await client.pages.put('docs', path, '\uFEFFü\r\n')
    assert.equal((await client.pages.getMarkdown('docs', path)).body, '\uFEFFü\r\n', path)
    assert.deepEqual((await client.metadata.get('docs', path)).path, path)
  }
  await assert.rejects(client.pages.put('docs', 'readme.md', 'x'), { code: 'invalid_path' })
})

test('an ApiError has the code, the issues and the current version', async () => {
  const { etag } = await client.pages.put('docs', 'rejected', 'one')
  await client.pages.put('docs', 'rejected', 'two', { ifMatch: etag })
  const lost = await client.pages.put('docs', 'rejected', 'three', { ifMatch: etag }).catch((error) => error)
  assert.ok(lost instanceof ApiError)
  assert.deepEqual([lost.status, lost.code, lost.current?.version], [412, 'precondition_failed', 2])
  assert.equal(lost.currentETag, '"2"')
  assert.equal(lost.message, lost.detail)
  assert.ok(lost.requestId)
  const wrong = await client.search
    .pages('x', { limit: 1000 })
    .page()
    .catch((error) => error)
  assert.deepEqual([wrong.code, wrong.issues.length], ['invalid_request', 1])
  await assert.rejects(client.pages.put('docs', 'rejected', 'x'), { code: 'precondition_required' })
  assert.equal(await client.spaces.find('absent'), undefined)
})

test('concurrent updates do not overwrite each other', async () => {
  const writers = 8
  await Promise.all(
    Array.from({ length: writers }, (_, writer) =>
      client.pages.update('docs', 'counter', (body) => `${body}${writer}\n`, { create: true, maxAttempts: 100 }),
    ),
  )
  const { body, version } = await client.pages.getMarkdown('docs', 'counter')
  assert.equal(version, writers)
  assert.deepEqual(body.trim().split('\n').sort(), ['0', '1', '2', '3', '4', '5', '6', '7'])
})

test('an update writes nothing without a change, and throws after maxAttempts conflicts', async () => {
  await client.pages.put('docs', 'still', 'same')
  assert.equal(await client.pages.update('docs', 'still', (body) => body), undefined)
  assert.equal(await client.pages.update('docs', 'still', () => undefined), undefined)
  const losing = client.pages.update(
    'docs',
    'still',
    async (body, page) => {
      await client.pages.put('docs', 'still', `${body}!`, { ifMatch: page?.etag })
      return 'mine'
    },
    { maxAttempts: 3 },
  )
  await assert.rejects(losing, { code: 'precondition_failed' })
  assert.equal((await client.pages.getMarkdown('docs', 'still')).body, 'same!!!')
  await assert.rejects(
    client.pages.update('docs', 'absent', () => 'x'),
    { status: 404 },
  )
})

test('lists yield all items for every page size, and toArray at most its limit', async () => {
  await client.spaces.create('many')
  for (let at = 0; at < 7; at++) await client.pages.put('many', `p${at}`, `[next](./p${at + 1}.md) word`)
  const paths: string[] = []
  for await (const { path } of client.pages.list('many', { limit: 3 })) paths.push(path)
  assert.deepEqual(paths, ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'])
  const { items, nextCursor } = await client.pages.list('many', { limit: 3 }).page()
  assert.deepEqual([items.length, typeof nextCursor], [3, 'string'])
  assert.equal((await client.pages.list('many').toArray(5)).length, 5)
  assert.equal((await client.search.pages('word', { space: 'many', limit: 2 }).toArray()).length, 7)
  assert.deepEqual(
    (await client.links.broken('many').toArray()).map(({ target }) => target.path),
    ['p7'],
  )
  assert.equal((await client.pages.backlinks('many', 'p1').toArray())[0]?.path, 'p0')
  assert.deepEqual((await client.pages.links('many', 'p0')).outbound[0]?.exists, true)
  assert.equal((await client.pages.neighbourhood('many', 'p3', 1)).nodes.length, 3)
  assert.equal((await client.links.rebuild({ space: 'many' })).pagesScanned, 7)
})

test('metadata is patched, queried and listed', async () => {
  await client.pages.create('docs', 'meta', { body: 'x', metadata: { status: 'draft' } })
  const { metadata } = await client.metadata.patch('docs', 'meta', {
    set: { status: 'review', due: '2026-03-01' },
    appendUnique: { tags: ['a', 'b'] },
  })
  assert.deepEqual(metadata, { status: 'review', due: '2026-03-01', tags: ['a', 'b'] })
  const found = client.metadata.search({
    filters: [
      { key: 'status', op: 'eq', value: 'review' },
      { key: 'tags', op: 'contains', value: 'a' },
    ],
    includeMetadata: true,
  })
  assert.deepEqual((await found.toArray())[0]?.metadata, metadata)
  const history = await client.metadata.history('docs', 'meta', { key: 'status' }).toArray()
  assert.deepEqual(
    history.map(({ value }) => value),
    ['review', 'draft'],
  )
  assert.ok((await client.metadata.keys({ prefix: 'stat' }).toArray()).length === 1)
})

test('follow continues from a cursor until the reader leaves', async () => {
  const { nextCursor } = await client.changes.list({ since: 'now' })
  const stop = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const { change, cursor } of client.changes.follow({ since: nextCursor, signal: stop.signal })) {
      assert.ok(cursor)
      // `now` may stand before what was written a moment ago.
      if (!change.page?.path.startsWith('told/')) continue
      seen.push(`${change.event} ${change.page?.path}`)
      if (seen.length === 2) return cursor
    }
    return undefined
  })()
  await client.pages.put('docs', 'told/a', 'x')
  await client.pages.put('docs', 'told/b', 'x')
  const cursor = await following
  assert.deepEqual(seen, ['page.created told/a', 'page.created told/b'])
  await client.pages.put('docs', 'told/c', 'x')
  // An event waits for older transactions, those of other databases of the server included (docs/operations.md).
  const later: string[] = []
  await until(async () => {
    for await (const { page } of client.changes.list({ since: cursor })) later.push(String(page?.path))
    return later.length > 0
  })
  assert.deepEqual(later, ['told/c'])
  const ended = client.changes.follow({ since: 'now', signal: stop.signal })[Symbol.asyncIterator]().next()
  stop.abort(new Error('enough'))
  await assert.rejects(ended, /enough/)
})

test('a space is exported and imported into another one', async () => {
  const bundle = await client.spaces.exportBundle('many', { history: true })
  assert.equal(bundle.pages.length, 7)
  await client.spaces.create('copy')
  assert.equal((await client.spaces.import('copy', bundle)).created, 7)
  const zip = new Uint8Array(await new Response(await client.spaces.export('many', { format: 'zip' })).arrayBuffer())
  const dry = await client.spaces.import('copy', zip, { onConflict: 'skip', dryRun: true })
  assert.deepEqual([dry.skipped, dry.dryRun], [7, true])
  const exported: string[] = []
  for await (const { path, version } of client.spaces.exportPages('many')) exported.push(`${path} ${version}`)
  assert.deepEqual(exported, Array.from(bundle.pages, ({ path }) => `${path} 1`).sort())
  const stream = await client.spaces.export('many')
  assert.equal((await client.spaces.import('copy', stream, { onConflict: 'overwrite' })).unchanged, 7)
})

test('keys, principals, members and webhooks are created, changed and deleted', async () => {
  const agent = await client.principals.create({ name: 'Robot', kind: 'agent' })
  const { apiKey, secret } = await client.keys.create({ principal: agent.id, name: 'k', scopes: ['write'] })
  const robot = createClient({ url: service.app.address, key: secret })
  assert.equal((await robot.me.get()).name, 'Robot')
  await assert.rejects(robot.pages.put('docs', 'x', 'x'), { code: 'forbidden' })
  assert.equal((await client.spaces.members.set('docs', agent.id, 'editor')).role, 'editor')
  assert.equal((await robot.pages.put('docs', 'by/robot', 'x')).updatedBy?.name, 'Robot')
  await client.keys.revoke(apiKey.id)
  await client.spaces.members.remove('docs', agent.id)
  assert.equal((await client.principals.update(agent.id, { disabled: true })).disabled, true)
  const { webhook } = await client.webhooks.create({ url: 'https://example.org/hook', events: ['page.created'] })
  assert.equal((await client.webhooks.update(webhook.id, { enabled: false })).enabled, false)
  const { secret: rotated } = await client.webhooks.rotateSecret(webhook.id, { graceSeconds: 0 })
  assert.match(rotated, /^whsec_/)
  await client.webhooks.delete(webhook.id)
  assert.deepEqual(await client.webhooks.list().toArray(), [])
})
