import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { OUTLIVES_SPACE, TABLES_OF_SPACE } from '../../packages/server/src/content/spaces/store-delete.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newOwner, newPerson } from '../support/people.ts'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

test('members of a space are added, changed, listed and removed by its admins', async () => {
  const owner = await newPerson(admin, 'Owner')
  const guest = await newPerson(admin, 'Guest')
  await owner.client.space('club', { visibility: 'private' })
  assertProblem(await guest.client.get('/spaces/club'), 404, 'not_found')

  const added = await owner.client.call('PUT', `/spaces/club/members/${guest.id}`, { json: { role: 'viewer' } })
  assert.deepEqual(assertStatus(added, 201).json.principal, { id: guest.id, name: 'Guest', kind: 'human' })
  assert.equal((await guest.client.get('/spaces/club')).json.role, 'viewer')
  assertProblem(
    await guest.client.call('PUT', `/spaces/club/members/${guest.id}`, { json: { role: 'admin' } }),
    403,
    'forbidden',
  )
  const raised = await owner.client.call('PUT', `/spaces/club/members/${guest.id}`, { json: { role: 'editor' } })
  assert.equal(assertStatus(raised, 200).json.role, 'editor')
  assert.equal(raised.json.createdAt, added.json.createdAt)
  const members = await guest.client.all('/spaces/club/members?limit=1')
  assert.deepEqual(
    members.map((member) => [member.principal.name, member.role]),
    [
      ['Owner', 'admin'],
      ['Guest', 'editor'],
    ],
  )
  assertStatus(await owner.client.delete(`/spaces/club/members/${guest.id}`), 204)
  assertProblem(await owner.client.delete(`/spaces/club/members/${guest.id}`), 404, 'not_found')
  assertProblem(await owner.client.delete('/spaces/club/members/x'), 404, 'not_found')
  assertProblem(await guest.client.get('/spaces/club/members'), 404, 'not_found')
  const nobody = '00000000-0000-7000-8000-000000000000'
  const json = { role: 'viewer' }
  assertProblem(await owner.client.call('PUT', `/spaces/club/members/${nobody}`, { json }), 404, 'not_found')
  assertProblem(await owner.client.call('PUT', '/spaces/club/members/x', { json }), 404, 'not_found')
})

test('the default role is for people; an agent is a viewer until it is a member', async () => {
  await admin.space('open', { defaultRole: 'editor' })
  const human = await newPerson(admin, 'Human')
  const agent = await newPerson(admin, 'Agent', { kind: 'agent' })
  assert.equal((await human.client.get('/spaces/open')).json.role, 'editor')
  assert.equal((await agent.client.get('/spaces/open')).json.role, 'viewer')
  await admin.call('PUT', `/spaces/open/members/${agent.id}`, { json: { role: 'editor' } })
  assert.equal((await agent.client.get('/spaces/open')).json.role, 'editor')
})

test('a personal space has only its owner: no admin, no members, and it is in no list of others', async () => {
  const ida = await newOwner(admin, 'Ida')
  assertStatus(await ida.client.put('/pages/personal/secret', 'mine'), 201)
  assert.equal((await ida.client.get('/spaces/personal')).json.kind, 'personal')
  assert.deepEqual((await ida.client.all('/spaces')).filter((space) => space.kind === 'personal').length, 1)
  assertProblem(await admin.page('/pages/personal/secret'), 404, 'not_found')
  assert.ok(!(await admin.get('/pages/recent')).text.includes('secret'))
  assert.deepEqual((await ida.client.get('/spaces/personal/members')).json.items, [])
  assertProblem(
    await ida.client.call('PUT', `/spaces/personal/members/${ida.id}`, { json: { role: 'viewer' } }),
    400,
    'invalid_request',
  )
  assertStatus(await ida.client.patch('/spaces/personal', { name: 'Ida’s own' }), 200)
  assert.ok(!(await admin.get('/admin/audit')).text.includes('Ida’s own'))
  for (const address of ['/spaces/personal/pages', '/pages/recent?space=personal', '/pages/personal']) {
    assert.deepEqual(
      (await ida.client.get(address)).json.items.map((page: { path: string }) => page.path),
      ['secret'],
    )
  }
})

test('a space is deleted when it is empty; with pages only an organisation admin forces it', async () => {
  const olga = await newPerson(admin, 'Olga')
  await olga.client.space('temp')
  assertStatus(await olga.client.delete('/spaces/temp'), 204)
  assertProblem(await olga.client.get('/spaces/temp'), 404, 'not_found')

  await olga.client.space('temp')
  assertStatus(await olga.client.put('/pages/temp/a', 'a'), 201)
  assertStatus(await olga.client.put('/pages/temp/b/c', 'c'), 201)
  assertProblem(await olga.client.delete('/spaces/temp'), 409, 'space_not_empty')
  assertProblem(await olga.client.delete('/spaces/temp?force=true'), 403, 'forbidden')
  assertProblem(await admin.delete('/spaces/temp'), 409, 'space_not_empty')
  assertStatus(await admin.delete('/spaces/temp?force=true'), 204)
  assertProblem(await olga.client.page('/pages/temp/a'), 404, 'not_found')
  const { rows } = await nodes.query(`select data from event where kind = 'space.deleted' order by seq desc limit 1`)
  assert.deepEqual(rows[0].data, { slug: 'temp', name: 'temp' })

  await olga.client.space('temp')
  assertProblem(await olga.client.page('/pages/temp/a'), 404, 'not_found')
  assert.equal(assertStatus(await olga.client.put('/pages/temp/a', 'again'), 201).json.version, 1)
})

test('a write during the deletion of its space is rejected or precedes it, and leaves no row', async () => {
  for (let round = 0; round < 10; round++) {
    await admin.space('race')
    const [deleted, ...written] = await Promise.all([
      nodes.admins[1].delete('/spaces/race?force=true'),
      ...Array.from({ length: 6 }, (_, index) => admin.put(`/pages/race/p${index}`, 'text')),
    ])
    assertStatus(deleted, 204)
    for (const answer of written) assert.ok([201, 404].includes(answer.status), answer.text)
  }
  for (const table of TABLES_OF_SPACE) {
    const { rows } = await nodes.query(
      `select count(*)::int as left from ${table} t where not exists (select 1 from space s where s.id = t.space_id)`,
    )
    assert.equal(rows[0].left, 0, table)
  }
})

test('the deletion of a space waits for writers of its pages before it locks the space, so that they do not wait for each other', async () => {
  const writer = new pg.Client(nodes.connection)
  await writer.connect()
  for (const table of ['page', 'page_metadata']) {
    await admin.space('busy')
    assertStatus(await admin.put('/pages/busy/a', 'text'), 201)
    assertStatus(await admin.patch('/pages/busy/a/metadata', { set: { n: 1 } }), 200)
    const rows = `from ${table} where space_id = `
    await writer.query(
      `begin; select ${rows}(select id from space where slug = 'busy') for update; set local lock_timeout = '300ms'`,
    )
    const deletion = nodes.admins[1].delete('/spaces/busy?force=true')
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and strpos(query, $1) > 0`
    await until(async () => (await nodes.query(waiting, [rows])).rowCount === 1)
    // As the links of a page do, and a new key of its metadata.
    await writer.query(`select from space where slug = 'busy' for key share`)
    await writer.query('commit')
    assertStatus(await deletion, 204)
  }
  await writer.end()
})

test('the rows of a space are deleted with it in every table, except in the listed ones', async () => {
  const { rows } = await nodes.query(
    `select c.table_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = 'space_id' order by 1`,
  )
  assert.deepEqual(
    rows.map(({ name }) => name),
    [...TABLES_OF_SPACE, ...OUTLIVES_SPACE].sort(),
    'name the table in packages/server/src/content/spaces/store-delete.ts',
  )
})
