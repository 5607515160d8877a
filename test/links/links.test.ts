import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { readsDuring } from '../support/metrics.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

const linksOf = async (path: string, client: Client = admin) =>
  assertStatus(await client.get(`/pages/${path}/links`), 200).json

const broken = (space: string, client: Client = admin) => client.all(`/spaces/${space}/links/broken`)

test('the links of a page are listed in order with text, line and existence of the target', async () => {
  const space = await admin.space('outbound')
  await admin.write(`${space}/guide/there`, '# There it is')
  await admin.write(
    `${space}/guide/start`,
    '# Start\n\nSee [there](./there) and [nowhere](nowhere.md#part).\n\n<a href="/pages/outbound/guide/there">again</a> `[no](./code)`\n\n![no](./image.md) [self](./start)\n',
  )
  const { outbound, ...rest } = await linksOf('outbound/guide/start')
  const urls = outbound.map(({ url, path }: { url: string; path: string }) => url.endsWith(`/pages/outbound/${path}`))
  const bare = outbound.map(({ url: _, ...link }: { url: string }) => link)
  assert.deepEqual(urls, [true, true, true, true])
  assert.deepEqual(bare, [
    { space, path: 'guide/there', text: 'there', line: 3, exists: true, title: 'There it is', redirected: false },
    { space, path: 'guide/nowhere', text: 'nowhere', line: 3, exists: false, title: null, redirected: false },
    { space, path: 'guide/there', text: 'again', line: 5, exists: true, title: 'There it is', redirected: false },
    { space, path: 'guide/start', text: 'self', line: 7, exists: true, title: 'Start', redirected: false },
  ])
  assert.deepEqual(
    { ...rest, backlinks: rest.backlinks.map((link: { path: string }) => link.path) },
    {
      space,
      path: 'guide/start',
      files: [
        {
          space,
          path: 'guide/image.md',
          text: 'no',
          line: 7,
          exists: false,
          url: `${admin.base}/files/${space}/guide/image.md`,
        },
      ],
      backlinks: ['guide/start'],
      nextCursor: null,
    },
  )
  const { backlinks } = await linksOf('outbound/guide/there')
  assert.equal(backlinks.length, 1, 'equal links of one page are one backlink')
  assert.deepEqual(Object.keys(backlinks[0]), ['space', 'path', 'title', 'text', 'updatedAt', 'via'])
  assert.equal(backlinks[0].text, 'there')
})

test('PUT and restoring a version update the links', async () => {
  await admin.space('follow')
  await admin.write('follow/a', '[b](./b) [c](./c)')
  await admin.write('follow/a', 'x\n\n[c](./c) [d](./d)')
  const paths = async () => (await linksOf('follow/a')).outbound.map((link: { path: string }) => link.path)
  assert.deepEqual(await paths(), ['c', 'd'])
  assertStatus(await admin.post('/pages/follow/a/versions/1/make-latest'), 200)
  assert.deepEqual(await paths(), ['b', 'c'])
  await admin.write('follow/a', 'none')
  assert.deepEqual(await paths(), [])
  assert.deepEqual(await broken('follow'), [])
})

test('a missing link heals when its target is created', async () => {
  await admin.space('heal')
  await admin.write('heal/a', 'Go\n\n[to b](./b)')
  assert.deepEqual(await broken('heal'), [
    {
      kind: 'page',
      reason: 'missing',
      source: { path: 'a', title: 'a' },
      target: { space: 'heal', path: 'b' },
      text: 'to b',
      line: 3,
    },
  ])
  await admin.write('heal/b', '# B')
  assert.deepEqual(await broken('heal'), [])
  const [link] = (await linksOf('heal/a')).outbound
  assert.deepEqual([link.exists, link.title], [true, 'B'])
})

test('links to a missing space heal when it is created, and break when it is deleted', async () => {
  await admin.space('early')
  await admin.write('early/a', '[later](/pages/later/x) [y](/pages/later/y)')
  assert.deepEqual(
    (await broken('early')).map((link) => link.target),
    [
      { space: 'later', path: 'x' },
      { space: 'later', path: 'y' },
    ],
  )
  await admin.space('later')
  await admin.write('later/x', '# X')
  const states = async () =>
    (await linksOf('early/a')).outbound.map((link: { path: string; exists: boolean }) => [link.path, link.exists])
  assert.deepEqual(await states(), [
    ['x', true],
    ['y', false],
  ])
  assert.equal((await linksOf('later/x')).backlinks.length, 1)
  assert.equal((await broken('early')).length, 1)
  assertStatus(await admin.delete('/spaces/later?force=true'), 204)
  assert.deepEqual(await states(), [
    ['x', false],
    ['y', false],
  ])
  assert.equal((await broken('early')).length, 2)
  await admin.space('later')
  await admin.write('later/y', 'Y')
  assert.deepEqual(await states(), [
    ['x', false],
    ['y', true],
  ])
})

test('backlinks and reports are paginated with cursors', async () => {
  await admin.space('paged')
  await admin.write('paged/hub', '# Hub')
  for (let n = 0; n < 7; n++) await admin.write(`paged/s${n}`, `[hub](./hub) [gone ${n}](./gone) [only](./only${n})`)
  const backlinks: string[] = []
  for (let cursor = ''; ; ) {
    const answer = assertStatus(await admin.get(`/pages/paged/hub/links?limit=3${cursor}`), 200).json
    backlinks.push(...answer.backlinks.map((link: { path: string }) => link.path))
    if (answer.nextCursor === null) break
    cursor = `&cursor=${answer.nextCursor}`
  }
  assert.deepEqual(backlinks, ['s0', 's1', 's2', 's3', 's4', 's5', 's6'])
  const report = await admin.all('/spaces/paged/links/broken?limit=2')
  assert.equal(report.length, 14)
  assert.deepEqual(report, await broken('paged'))
  const wanted = await admin.all('/spaces/paged/links/wanted?limit=2')
  assert.deepEqual(wanted[0], { space: 'paged', path: 'gone', pageCount: 7 })
  assert.equal(wanted.length, 8)
  const orphans = await admin.all('/spaces/paged/links/orphans?limit=2')
  assert.deepEqual(
    orphans.map((page) => page.path),
    ['s0', 's1', 's2', 's3', 's4', 's5', 's6'],
  )
  assertProblem(await admin.get('/pages/paged/hub/links?cursor=xx'), 400, 'invalid_cursor')
  assertProblem(await admin.get('/pages/paged/hub/links?depth=4'), 400, 'invalid_request')
  assertProblem(await admin.get('/pages/paged/none/links'), 404, 'not_found')
})

test('broken links are sorted by path and position in the page, not by creation', async () => {
  await admin.space('ordered')
  await admin.write('ordered/z', '[b](./b-missing) [a](./a-missing)')
  await admin.write('ordered/m/x', '[a](../a-missing)\n\n[c](/pages/no-such-space/c) [b](../b-missing)')
  await admin.write('ordered/a', '[z](./z) [late](./zz-missing)')
  await admin.write('ordered/z-moved', '# Moved')
  assertStatus(
    await admin.post('/pages/ordered/z-moved/move', { to: { space: 'ordered', path: 'first' } }, { 'if-match': '*' }),
    200,
  )
  await admin.write('ordered/first', '[old](./never) [again](./b-missing)')
  const expected = [
    ['a', 'zz-missing'],
    ['first', 'never'],
    ['first', 'b-missing'],
    ['m/x', 'a-missing'],
    ['m/x', 'c'],
    ['m/x', 'b-missing'],
    ['z', 'b-missing'],
    ['z', 'a-missing'],
  ]
  for (const limit of [1, 2, 3, 50]) {
    const report = await admin.all(`/spaces/ordered/links/broken?limit=${limit}`)
    assert.deepEqual(
      report.map(({ source, target }) => [source.path, target.path]),
      expected,
      `limit ${limit}`,
    )
  }
})

test('the neighbourhood of a page has nodes by distance, and the edges between them', async () => {
  await admin.space('near')
  await admin.write('near/a', '[b](./b)')
  await admin.write('near/b', '[c](./c) [gone](./gone)')
  await admin.write('near/c', '[a](./a)')
  await admin.write('near/d', '[c](./c)')
  const graph = async (depth: number) => {
    const { nodes, edges, truncated } = assertStatus(await admin.get(`/pages/near/a/links?depth=${depth}`), 200).json
    assert.equal(truncated, false)
    return {
      nodes: nodes.map((node: { path: string; distance: number }) => `${node.path}${node.distance}`),
      edges: edges.map((edge: { from: number; to: number }) => `${nodes[edge.from].path}${nodes[edge.to].path}`).sort(),
    }
  }
  assert.deepEqual(await graph(1), { nodes: ['a0', 'b1', 'c1'], edges: ['ab', 'bc', 'ca'] })
  assert.deepEqual(await graph(2), {
    nodes: ['a0', 'b1', 'c1', 'gone2', 'd2'],
    edges: ['ab', 'bc', 'bgone', 'ca', 'dc'],
  })
})

test('HTML lists the states of all links only where one leads elsewhere', async () => {
  await admin.space('states')
  await admin.put('/pages/states/a', '# A\n\n[B](./b) and [itself](./a)\n')
  const read = () => admin.get('/pages/states/a', { accept: 'text/html' })
  const missing = async () => (await read()).text.includes('class="missing"')
  const reads = () => readsDuring(admin, read)

  assert.deepEqual(await reads(), { read_head_links: 1 })
  assert.equal(await missing(), true)

  await admin.put('/pages/states/b', '# B\n')
  assert.deepEqual(await reads(), { read_head_links: 1 })
  assert.equal(await missing(), false)

  const move = { to: { path: 'c' }, rewriteLinks: false }
  assertStatus(await admin.post('/pages/states/b/move', move, { 'if-match': '*' }), 200)
  assert.deepEqual(await reads(), { read_head_links: 1, read_link_states: 1 })
  assert.match((await read()).text, /href="\/pages\/states\/c"/)

  await admin.delete('/pages/states/c', { 'if-match': '*' })
  assert.equal(await missing(), true)
})

test('each change of the links of a page is shown at once', async () => {
  await admin.space('calm')
  await admin.put('/pages/calm/a', '# A\n\n[B](./b) [C](./c) ![D](d.png)\n')
  const read = async () => assertStatus(await admin.get('/pages/calm/a', { accept: 'text/html' }), 200).text
  const missingNow = async () => [...(await read()).matchAll(/class="missing"[^>]*>(.)</g)].map(([, text]) => text)
  assert.deepEqual(await missingNow(), ['B', 'C'])
  await admin.put('/pages/calm/b', '# B\n')
  assert.deepEqual(await missingNow(), ['C'])
  await admin.delete('/pages/calm/b', { 'if-match': '*' })
  assert.deepEqual(await missingNow(), ['B', 'C'])
  assertStatus(await admin.post('/pages/calm/b/restore'), 200)
  assert.deepEqual(await missingNow(), ['C'])
  const move = { to: { path: 'c' }, rewriteLinks: false }
  assertStatus(await admin.post('/pages/calm/b/move', move, { 'if-match': '*' }), 200)
  assert.deepEqual(await missingNow(), [])
  await admin.delete('/pages/calm/c', { 'if-match': '*' })
  assert.deepEqual(await missingNow(), ['B', 'C'])
  await admin.put('/pages/calm/a', '# A\n\n[E](./e)\n', { 'if-match': '*' })
  assert.deepEqual(await missingNow(), ['E'])
})

test('missing links of a personal space, and by the slug of their own space, are marked', async () => {
  await admin.space('own-slug')
  await admin.put('/pages/own-slug/a', '[x](./x) [y](/pages/own-slug/y) [again](./y)\n')
  await admin.put('/pages/personal/a', '[x](./x) [itself](./a)\n')
  const missingOf = async (path: string) =>
    (await admin.get(path, { accept: 'text/html' })).text
      .match(/class="missing"[^>]*href="[^"]*"/g)
      ?.map((link) => /href="(.*)"/.exec(link)?.[1])
  assert.deepEqual(await missingOf('/pages/own-slug/a'), [
    '/new/own-slug?path=x',
    '/new/own-slug?path=y',
    '/new/own-slug?path=y',
  ])
  assert.deepEqual(await missingOf('/pages/personal/a'), ['/new/personal?path=x'])
})

test('HTML marks a missing target for readers of its space; when it heals, the ETag changes', async () => {
  await admin.space('marks')
  await admin.space('vault', { visibility: 'private' })
  const { client: member } = await newPerson(admin, 'Reader')
  await admin.write('marks/a', '[b](./b.md#part "own") [v](/pages/vault/x) [out](https://example.org/)')
  const html = async (client: Client) => {
    const answer = assertStatus(await client.get('/pages/marks/a', { accept: 'text/html' }), 200)
    return { etag: answer.headers.get('etag'), links: answer.text.match(/<a [^>]*>(?=b|v|out)/g) }
  }
  const before = await html(admin)
  const marked = 'class="missing" title="There is no page here yet"'
  // Who may make the page is led to where it is made.
  assert.match(String(before.links?.[0]), new RegExp(`^<a ${marked} href="/new/marks\\?path=b"`))
  assert.match(String(before.links?.[1]), new RegExp(`^<a ${marked} href="/pages/vault/x"`))
  assert.doesNotMatch(String(before.links?.[2]), /missing/)
  assert.match(
    String((await html(member)).links?.[1]),
    /^<a class="missing" title="No such space, or no access" href="\/pages\/vault\/x"/,
  )
  await admin.write('marks/b', 'B')
  const after = await html(admin)
  assert.notEqual(after.etag, before.etag)
  assert.match(String(after.links?.[0]), /^<a href="\/pages\/marks\/b#user-content-part" title="own"/)
  const old = assertStatus(await admin.get('/pages/marks/a?version=1', { accept: 'text/html' }), 200)
  assert.match(old.text, /class="missing"[^>]*href="\/pages\/vault\/x"/)
})

test('backlinks, orphans and the neighbourhood include redirected links with the address as written', async () => {
  await admin.space('via')
  await admin.write('via/old', '# Page')
  await admin.write('via/one', '[by the old path](./old)')
  await admin.write('via/two', '[old](./old) [new](./new)')
  const move = { to: { path: 'new' }, rewriteLinks: false }
  assertStatus(await admin.post('/pages/via/old/move', move, { 'if-match': '*' }), 200)
  const viaOf = async () =>
    (await linksOf('via/new')).backlinks.map((link: { path: string; text: string; via: unknown }) => [
      link.path,
      link.text,
      link.via,
    ])
  assert.deepEqual(await viaOf(), [
    ['one', 'by the old path', { space: 'via', path: 'old' }],
    ['two', 'new', null],
  ])
  const first = assertStatus(await admin.get('/pages/via/new/links?limit=1'), 200).json
  assert.deepEqual([first.backlinks[0].path, first.nextCursor !== null], ['one', true])
  assert.deepEqual(
    (await admin.all('/spaces/via/links/orphans')).map((page) => page.path),
    ['one', 'two'],
  )
  const { nodes, edges } = assertStatus(await admin.get('/pages/via/new/links?depth=1'), 200).json
  assert.deepEqual(
    nodes.map((node: { path: string }) => node.path),
    ['new', 'one', 'two'],
  )
  assert.deepEqual(
    edges
      .map((edge: { from: number; to: number; via: unknown }) => [nodes[edge.from].path, nodes[edge.to].path, edge.via])
      .sort(),
    [
      ['one', 'new', { space: 'via', path: 'old' }],
      ['two', 'new', null],
    ],
  )
})
