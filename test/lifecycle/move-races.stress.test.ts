import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { assertStatus, type Client, redirectOf } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const any = { 'if-match': '*' }

test('a child created while its parent moves is at the new path or at the requested one', async () => {
  await admin.space('kids')
  assertStatus(await admin.put('/pages/kids/p0/x', '# X'), 201)
  for (let n = 0; n < 12; n++) {
    const to = { path: `p${n + 1}/x` }
    const terms = { to, rewriteLinks: false, withChildren: true }
    const moving = nodes.as(n % 2 === 0 ? 0 : 1, admin.key).post(`/pages/kids/p${n}/x/move`, terms, any)
    const making = nodes.admins[(n + 1) % 2]?.put(`/pages/kids/p${n}/x/c${n}`, `child ${n}`)
    assertStatus(await moving, 200)
    assertStatus((await making) ?? assert.fail(), 201)
    const child = await admin.get(`/pages/kids/p${n}/x/c${n}`, { accept: 'text/markdown' })
    if (child.status === 308) assert.equal(redirectOf(child), `/pages/kids/p${n + 1}/x/c${n}`)
    else assert.equal(assertStatus(child, 200).text, `child ${n}`)
  }
  // None is lost, and none is listed twice.
  const pages = (await admin.all('/spaces/kids/pages')).map(({ path }) => path.replace(/^p\d+/, 'p'))
  assert.equal(new Set(pages).size, 13)
  assert.equal(pages.length, 13)
})

test('concurrent moves, writes and deletions end in one state, without a 5xx', async () => {
  await admin.space('race')
  const [one, two] = nodes.admins
  for (let round = 0; round < 10; round++) {
    const at = (name: string) => `/pages/race/${round}/${name}`
    for (const name of ['a', 'b']) assertStatus(await one.put(at(name), name), 201)
    const answers = await Promise.all([
      one.post(`${at('a')}/move`, { to: { path: `${round}/c` } }, any),
      two.post(`${at('b')}/move`, { to: { path: `${round}/c` } }, any),
    ])
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 409])
    const winner = answers[0].status === 200 ? 'a' : 'b'
    assert.equal((await two.get(`${at('c')}.md`)).text, winner)
    const [moved, put] = await Promise.all([
      one.post(`${at('c')}/move`, { to: { path: `${round}/d` } }, { 'if-match': '"1"' }),
      two.put(at('c'), 'changed', { 'if-match': '"1"' }),
    ])
    assert.ok(
      ['200 412', '412 200'].includes(`${moved.status} ${put.status}`),
      `${moved.status} ${put.status} ${moved.text} ${put.text}`,
    )
    const place = moved.status === 200 ? 'd' : 'c'
    const [gone, away] = await Promise.all([
      one.delete(at(place), any),
      two.post(`${at(place)}/move`, { to: { path: `${round}/e` } }, any),
    ])
    const outcome = `${gone.status} ${away.status}`
    assert.ok(['204 410', '404 200', '204 412'].includes(outcome), `${outcome} ${gone.text} ${away.text}`)
  }
})

test('a move between spaces locks the counts of keys in one order, so that moves in opposite directions do not wait for each other', async () => {
  for (const slug of ['low', 'high']) {
    await admin.space(slug)
    assertStatus(await admin.put(`/pages/${slug}/a`, 'text'), 201)
    assertStatus(await admin.patch(`/pages/${slug}/a/metadata`, { set: { key: 1 } }), 200)
  }
  const other = new pg.Client(nodes.connection)
  await other.connect()
  const lock = (slug: string) =>
    other.query(
      `insert into metadata_key (space_id, key, slot, strings, numbers, booleans, arrays, objects, updated_at)
       select id, 'key', 0, 0, 0, 0, 0, 0, now() from space where slug = $1
       on conflict (space_id, key, slot) do update set updated_at = excluded.updated_at`,
      [slug],
    )
  await other.query('begin')
  await lock('low')
  const move = admin.post('/pages/high/a/move', { to: { space: 'low', path: 'b' } }, any)
  await until(async () => {
    const waiting = await nodes.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into metadata_key%'`,
    )
    return waiting.rowCount === 1
  })
  await other.query(`set local lock_timeout = '300ms'`)
  await lock('high')
  await other.query('commit')
  await other.end()
  assertStatus(await move, 200)
  const keys = async (space: string) =>
    (await admin.all(`/search/metadata/keys?space=${space}`)).map(({ key, pageCount }) => [key, pageCount])
  assert.deepEqual([await keys('low'), await keys('high')], [[['key', 2]], []])
})
