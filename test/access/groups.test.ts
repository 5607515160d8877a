import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import { memberJoin, rankIn, visibleSpaces } from '../../packages/server/src/access/visibility.ts'
import { holders, READER } from '../../packages/server/src/content/spaces/store-readers.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

const NOBODY = '00000000-0000-7000-8000-000000000000'

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

async function newGroup(name: string): Promise<string> {
  return assertStatus(await admin.post('/admin/groups', { name }), 201).json.id
}
const join = (group: string, principal: string) => admin.call('PUT', `/admin/groups/${group}/members/${principal}`)
const give = (space: string, group: string, role: string) =>
  admin.call('PUT', `/spaces/${space}/groups/${group}`, { json: { role } })

test('a group is created, listed, changed and deleted; its name is unique without regard to case', async () => {
  const made = assertStatus(await admin.post('/admin/groups', { name: 'Écriture', description: 'x' }), 201)
  const { id } = made.json
  assert.equal(made.headers.get('location'), `${admin.base}/admin/groups/${id}`)
  assert.deepEqual(made.json, (await admin.get(`/admin/groups/${id}`)).json)
  assert.deepEqual([made.json.description, made.json.managedBy, made.json.memberCount], ['x', null, 0])
  assertProblem(await admin.post('/admin/groups', { name: 'écriture' }), 409, 'group_name_taken')
  const other = await newGroup('Others')
  assertProblem(await admin.patch(`/admin/groups/${other}`, { name: 'écriture' }), 409, 'group_name_taken')
  const changed = assertStatus(await admin.patch(`/admin/groups/${id}`, { name: 'ÉCRITURE' }), 200).json
  assert.deepEqual([changed.name, changed.description], ['ÉCRITURE', 'x'])
  assert.deepEqual(
    (await admin.all('/admin/groups?name=crit&limit=1')).map((group: { id: string }) => group.id),
    [id],
  )
  assertStatus(await admin.delete(`/admin/groups/${id}`), 204)
  assertProblem(await admin.get(`/admin/groups/${id}`), 404, 'not_found')
  for (const bad of ['none', NOBODY]) {
    assertProblem(await admin.patch(`/admin/groups/${bad}`, { name: 'x' }), 404, 'not_found')
    assertProblem(await admin.delete(`/admin/groups/${bad}`), 404, 'not_found')
    assertProblem(await give('personal', bad, 'viewer'), 400, 'invalid_request')
  }
  assertProblem(await admin.get('/admin/groups?member=x'), 400, 'invalid_request')
})

test('members have the highest of their own role and those of their groups, and lose it at the next request', async () => {
  await admin.space('plans', { visibility: 'private' })
  assertStatus(await admin.put('/pages/plans/next', '# Next'), 201)
  const ann = await newPerson(admin, 'Ann')
  const elsewhere = nodes.as(1, ann.key)
  const [readers, writers] = [await newGroup('Readers'), await newGroup('Writers')]
  assertStatus(await give('plans', readers, 'viewer'), 201)
  assertStatus(await give('plans', writers, 'viewer'), 201)
  assertStatus(await give('plans', writers, 'editor'), 200)
  const role = async () => (await elsewhere.get('/spaces/plans')).json.role
  assertProblem(await elsewhere.get('/pages/plans/next'), 404, 'not_found')

  assertStatus(await join(readers, ann.id), 201)
  assertStatus(await join(readers, ann.id), 200)
  assert.equal(await role(), 'viewer')
  assertProblem(await elsewhere.put('/pages/plans/mine', 'x'), 403, 'forbidden')
  assertStatus(await join(writers, ann.id), 201)
  assert.equal(await role(), 'editor')
  assertStatus(await elsewhere.put('/pages/plans/mine', 'x'), 201)
  assert.deepEqual(
    (await elsewhere.all('/spaces')).map(({ slug }: { slug: string }) => slug),
    ['plans'],
  )
  assertStatus(await admin.call('PUT', `/spaces/plans/members/${ann.id}`, { json: { role: 'admin' } }), 201)
  assert.equal(await role(), 'admin')
  assertStatus(await admin.delete(`/spaces/plans/members/${ann.id}`), 204)
  assert.equal(await role(), 'editor')

  assertStatus(await admin.delete(`/admin/groups/${writers}/members/${ann.id}`), 204)
  assertProblem(await admin.delete(`/admin/groups/${writers}/members/${ann.id}`), 404, 'not_found')
  assert.equal(await role(), 'viewer')
  assertStatus(await admin.delete(`/spaces/plans/groups/${readers}`), 204)
  assertProblem(await admin.delete(`/spaces/plans/groups/${readers}`), 404, 'not_found')
  assertProblem(await elsewhere.get('/pages/plans/next'), 404, 'not_found')
  assertStatus(await give('plans', readers, 'viewer'), 201)
  assert.equal(await role(), 'viewer')
  assertStatus(await admin.delete(`/admin/groups/${readers}`), 204)
  assertProblem(await elsewhere.get('/spaces/plans'), 404, 'not_found')
})

test('a stream ends within a second after the group lost its role', async () => {
  await admin.space('news', { visibility: 'private' })
  const bob = await newPerson(admin, 'Bob')
  const group = await newGroup('News readers')
  assertStatus(await join(group, bob.id), 201)
  assertStatus(await give('news', group, 'viewer'), 201)
  const { base, key } = nodes.as(1, bob.key)
  const response = await fetch(`${base}/changes?space=news&since=now`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  })
  assert.equal(response.status, 200)
  let ended = false
  const read = (async () => {
    for await (const _ of response.body ?? []);
  })()
    .catch(() => {})
    .finally(() => {
      ended = true
    })
  assertStatus(await admin.delete(`/admin/groups/${group}/members/${bob.id}`), 204)
  await until(() => ended)
  await read
})

test('an admin of a space through a group administers it and sees its groups', async () => {
  await admin.space('lab', { visibility: 'private' })
  const cleo = await newPerson(admin, 'Cleo')
  const group = await newGroup('Lab admins')
  assertStatus(await join(group, cleo.id), 201)
  assertStatus(await give('lab', group, 'admin'), 201)
  const listed = assertStatus(await cleo.client.get('/spaces/lab/groups'), 200).json.items
  assert.deepEqual(
    listed.map(({ group, role }: { group: object; role: string }) => ({ group, role })),
    [{ group: { id: group, name: 'Lab admins' }, role: 'admin' }],
  )
  const spaces = assertStatus(await admin.get(`/admin/groups/${group}/spaces`), 200).json.items
  assert.deepEqual(spaces, [{ space: 'lab', name: 'lab', role: 'admin' }])
  assertStatus(await cleo.client.patch('/spaces/lab', { description: 'Ours' }), 200)
  assertProblem(await cleo.client.get('/admin/groups'), 403, 'forbidden')
  // An invitation of hers works as long as the group gives her the role.
  const sent = await cleo.client.post('/spaces/lab/invitations', { email: 'g@example.org', role: 'viewer' })
  const path = new URL(assertStatus(sent, 201).json.url).pathname
  const browser = nodes.as(0, undefined)
  assertStatus(await browser.get(path, { accept: 'text/html' }), 200)
  assertStatus(await give('lab', group, 'editor'), 200)
  assertStatus(await browser.get(path, { accept: 'text/html' }), 404)
})

test('changes of groups are in the audit log', async () => {
  const since = new Date().toISOString()
  await admin.space('logs')
  const dan = await newPerson(admin, 'Dan')
  const id = await newGroup('Logged')
  await join(id, dan.id)
  await give('logs', id, 'editor')
  await give('logs', id, 'editor')
  await admin.delete(`/spaces/logs/groups/${id}`)
  await admin.delete(`/admin/groups/${id}/members/${dan.id}`)
  await admin.patch(`/admin/groups/${id}`, { name: 'Renamed' })
  await admin.patch(`/admin/groups/${id}`, { name: 'Renamed' })
  await admin.delete(`/admin/groups/${id}`)
  const entries = (await admin.all(`/admin/audit?since=${since}`)).reverse()
  const who = { id: dan.id, name: 'Dan', kind: 'human' }
  const shown = entries
    .filter(({ action }: { action: string }) => /^group\.|\.group_/.test(action))
    .map(({ action, details }: { action: string; details: object }) => [action, details])
  assert.deepEqual(shown, [
    ['group.created', {}],
    ['group.member_added', { principal: who }],
    ['space.group_set', { group: { id, name: 'Logged' }, role: 'editor' }],
    ['space.group_removed', { group: { id, name: 'Logged' }, previousRole: 'editor' }],
    ['group.member_removed', { principal: who }],
    ['group.updated', { name: { from: 'Logged', to: 'Renamed' } }],
    ['group.deleted', {}],
  ])
})

async function explain(query: RawBuilder<unknown>): Promise<string> {
  const compiler = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const compiled = sql`explain ${query}`.compile(compiler)
  const { rows } = await nodes.query(compiled.sql, [...compiled.parameters])
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('the groups of a caller are read once for all spaces, however many they are', async () => {
  const subject = {
    principalId: NOBODY,
    ownerId: NOBODY,
    agent: false,
    guest: false,
    orgAdmin: false,
    reviewBit: 1,
    maxRank: 3,
    spaceIds: null,
  }
  assert.match(await explain(sql`select * from ${visibleSpaces(subject)} space`), /hashed SubPlan/)
})

test('of each reader of a space only their own groups are looked up, however many the space has', async () => {
  const readers = sql`select holder.id from (${holders}) holder cross join space ${memberJoin(READER)}
    where space.id = 1 and ${rankIn(READER)} >= 1`
  assert.match(await explain(readers), /Index Cond: .*group_id = ANY/)
})
