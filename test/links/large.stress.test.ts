import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes({ SVC_RATE_LIMIT: '0' })
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const LINKS = Number(process.env.RECTO_PAGE_LINKS ?? 1_500)
const SOURCES = Number(process.env.RECTO_LINK_SOURCES ?? 20_000)

test(`a page with ${LINKS} links is written, changed and read`, async (t) => {
  await admin.space('large')
  const body = (from: number) =>
    Array.from({ length: LINKS }, (_, n) => `- [link ${from + n}](./t${from + n})`).join('\n')
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const result = await work()
    t.diagnostic(`${name}: ${(performance.now() - began).toFixed(0)} ms`)
    return result
  }
  assertStatus(await timed('written', () => admin.put('/pages/large/all', body(0))), 201)
  const again = { 'if-match': '*' }
  const lower = `First.\n\n${body(1)}`
  assertStatus(
    await timed('moved by two lines, one link other', () => admin.put('/pages/large/all', lower, again)),
    200,
  )
  assertStatus(await timed('written again as it is', () => admin.put('/pages/large/all', lower, again)), 200)
  assertStatus(await admin.put('/pages/large/t7', '# Seven'), 201)

  const { outbound } = assertStatus(await timed('read', () => admin.get('/pages/large/all/links')), 200).json
  assert.equal(outbound.length, LINKS)
  assert.deepEqual(outbound[0], {
    space: 'large',
    path: 't1',
    text: 'link 1',
    line: 3,
    exists: false,
    title: null,
    redirected: false,
    url: `${admin.base}/pages/large/t1`,
  })
  assert.deepEqual(outbound[6], {
    space: 'large',
    path: 't7',
    text: 'link 7',
    line: 9,
    exists: true,
    title: 'Seven',
    redirected: false,
    url: `${admin.base}/pages/large/t7`,
  })
  const html = assertStatus(await timed('HTML', () => admin.get('/pages/large/all')), 200).text
  assert.equal(html.match(/class="missing"/g)?.length, LINKS - 1)
  const broken = await admin.all('/spaces/large/links/broken?limit=200')
  assert.equal(broken.length, LINKS - 1)
  assert.equal(new Set(broken.map((link) => link.target.path)).size, LINKS - 1)
})

test(`${SOURCES} links to a missing page resolve with one row, and the backlinks are paginated`, async (t) => {
  await admin.space('sources')
  assertStatus(await admin.put('/pages/sources/first', '[hub](./hub)'), 201)
  await nodes.query(
    `with made as (
      insert into page (space_id, id, path, version, revision_id, title, keyframe, keyframe_id, created_at, created_by, updated_at, updated_by)
      select p.space_id, nextval('page_id'), 's' || n, 1, gen_random_uuid(), 's' || n, 1, gen_random_uuid(), now(), p.created_by, now(), p.created_by
      from page p, generate_series(2, $1) n where p.path = 'first'
      returning space_id, id, path
    ), address as (
      insert into page_address (space_id, path, page_id, last_version) select space_id, path, id, 1 from made
    )
    insert into link (space_id, page_id, target_space_id, target_id, ord, line, text)
    select m.space_id, m.id, l.target_space_id, l.target_id, 0, 1, 'hub' from made m,
      (select l.* from link l join page p on p.space_id = l.space_id and p.id = l.page_id where p.path = 'first') l`,
    [SOURCES],
  )
  // As the service does after a bulk write: the planner would take the rows of the test before for all there are.
  await nodes.query('analyze page, page_address, link')
  const { items } = assertStatus(await admin.get('/spaces/sources/links/wanted'), 200).json
  assert.deepEqual(items, [{ space: 'sources', path: 'hub', pageCount: SOURCES }])
  const began = performance.now()
  assertStatus(await admin.put('/pages/sources/hub', '# Hub'), 201)
  t.diagnostic(`healed in ${(performance.now() - began).toFixed(0)} ms`)
  assert.deepEqual(await admin.all('/spaces/sources/links/broken'), [])
  const seen: string[] = []
  const reading = performance.now()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url: string = `/pages/sources/hub/links?limit=200${cursor && `&cursor=${cursor}`}`
    const { backlinks, nextCursor } = assertStatus(await admin.get(url), 200).json
    for (const link of backlinks) seen.push(link.path)
    cursor = nextCursor
    if (seen.length >= 2_000) break
  }
  t.diagnostic(`${seen.length} backlinks read in ${(performance.now() - reading).toFixed(0)} ms`)
  const sorted = ['first', ...Array.from({ length: SOURCES - 1 }, (_, n) => `s${n + 2}`)].sort()
  assert.deepEqual(seen, sorted.slice(0, 2_000))
})
