import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
let admins: readonly [Client, Client]
before(async () => {
  nodes = await startNodes({ SVC_RATE_LIMIT: '0' })
  admins = nodes.admins
})
after(() => nodes[Symbol.asyncDispose]())

const PAIRS = Number(process.env.RECTO_RACE_PAIRS ?? 100)
const AT_ONCE = 8

/** Does the work for every number below `count`, some at a time. */
async function each(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await work(next++)
    }),
  )
}

async function deadlocks(): Promise<number> {
  const { rows } = await nodes.query(
    'select deadlocks::int as n from pg_stat_database where datname = current_database()',
  )
  return rows[0].n
}

/** Stored links whose target stands or is missing contrary to what the pages say. */
async function stale(): Promise<unknown[]> {
  const { rows } = await nodes.query(`
    select l.page_id, l.target_id, a.path, a.page_id as target_page from link l
    left join page_address a on a.space_id = l.target_space_id and a.id = coalesce(l.address_id, l.target_id)
    left join page p on p.space_id = a.space_id and p.path = a.path
    where a.id is null or a.page_id is distinct from p.id`)
  return rows
}

test('creating a page while others link to it leaves no stale link', async () => {
  await admins[0].space('race')
  await each(PAIRS, async (n) => {
    const page = (name: string, body: string) => admins[Math.random() < 0.5 ? 0 : 1].put(`/pages/race/${name}`, body)
    const writes = [
      () => page(`target${n}`, '# Target'),
      () => page(`source${n}`, `[a](./target${n}) [b](./a${n}) [c](./z${n}) [d](./target${(n + 1) % PAIRS})`),
      () => page(`second${n}`, `[c](./z${n}) [a](./target${n})`),
    ].sort(() => Math.random() - 0.5)
    for (const answer of await Promise.all(writes.map((write) => write()))) assertStatus(answer, 201)
  })
  assert.deepEqual(await stale(), [])
  const broken = await admins[0].all('/spaces/race/links/broken?limit=200')
  assert.equal(broken.length, PAIRS * 3)
  assert.ok(broken.every(({ target }) => /^[az]\d/.test(target.path)))
  assert.equal((await admins[1].all('/spaces/race/links/wanted?limit=200')).length, PAIRS * 2)
})

test('concurrently created pages that link to each other do not deadlock', async () => {
  await admins[0].space('mutual')
  const before = await deadlocks()
  await each(PAIRS, async (n) => {
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((own, index) => {
        const links = ['c', 'b', 'a'].map((name) => `[${name}](./${name}${n})`).join(' ')
        return admins[index % 2 === 0 ? 0 : 1].put(`/pages/mutual/${own}${n}`, links)
      }),
    )
    for (const answer of answers) assertStatus(answer, 201)
  })
  assert.deepEqual(await admins[0].all('/spaces/mutual/links/broken'), [])
  assert.equal(await deadlocks(), before)
})

test('a link to a space that is created or deleted concurrently ends in the right state', async () => {
  await admins[0].space('linking')
  await each(PAIRS, async (n) => {
    const link = () => admins[1].put(`/pages/linking/p${n}`, `[x](/pages/new-${n}/x) [y](/pages/new-${n}/y)`)
    const make = () => admins[0].post('/spaces', { slug: `new-${n}` })
    for (const answer of await Promise.all([make(), link()])) assertStatus(answer, 201)
    assertStatus(await admins[0].put(`/pages/new-${n}/x`, 'X'), 201)
    if (n % 3 > 0) return
    const again = () => admins[1].put(`/pages/linking/q${n}`, `[y](/pages/new-${n}/y)`)
    const end = () => admins[0].delete(`/spaces/new-${n}?force=true`)
    const [written, ended] = await Promise.all([again(), end()])
    assertStatus(written, 201)
    assertStatus(ended, 204)
  })
  const { rows } = await nodes.query(`
    select p.path, u.slug, u.path as target, a.id is null and u.id is null as lost, l.target_space_id from link l
    join space s on s.id = l.space_id join page p on p.space_id = l.space_id and p.id = l.page_id
    left join page_address a on a.space_id = l.target_space_id and a.id = coalesce(l.address_id, l.target_id)
    left join unknown_address u on l.target_space_id is null and u.id = coalesce(l.address_id, l.target_id)
    where s.slug = 'linking'`)
  assert.deepEqual(
    rows.filter((row) => row.lost),
    [],
  )
  for (let n = 0; n < PAIRS; n++) {
    const { outbound } = assertStatus(await admins[0].get(`/pages/linking/p${n}/links`), 200).json
    const expected = n % 3 > 0 ? [true, false] : [false, false]
    assert.deepEqual(
      outbound.map((link: { exists: boolean }) => link.exists),
      expected,
      `p${n}`,
    )
  }
})

test('a page shows on every node each link that was made or broken before it was read', async () => {
  const [admin] = admins
  const anyNode = () => admins[Math.random() < 0.5 ? 0 : 1]
  const names = ['x', 'y', 'z']
  await admin.space('calm')
  assertStatus(await admin.put('/pages/calm/hub', names.map((name) => `[${name}](./${name})`).join(' ')), 201)
  const isMissing = async (name: string) => {
    const { text } = assertStatus(await anyNode().get('/pages/calm/hub', { accept: 'text/html' }), 200)
    return new RegExp(`class="missing"[^>]*>${name}<`).test(text)
  }
  await Promise.all(
    names.map(async (name) => {
      for (let n = 0; n < PAIRS; n++) {
        const path = `/pages/calm/${name}`
        if (n % 2 === 0) assertStatus(await anyNode().put(path, `# ${n}`, { 'if-none-match': '*' }), 201)
        else assertStatus(await anyNode().delete(path, { 'if-match': '*' }), 204)
        for (let read = 0; read < 6; read++) {
          assert.equal(await isMissing(name), n % 2 === 1)
          await pause(Math.random() * 5)
        }
      }
    }),
  )
})
