import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey } from '../support/people.ts'
import { type Provider, startProvisioning } from '../support/scim.ts'

let nodes: Nodes
let admin: Client
let provider: Provider
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  provider = await startProvisioning(admin)
})
after(() => nodes[Symbol.asyncDispose]())

const members = async (id: string): Promise<string[]> =>
  (assertStatus(await provider.get(`/Groups/${id}`), 200).json.members ?? []).map(
    ({ value }: { value: string }) => value,
  )
const patched = async (id: string, ...operations: object[]) => {
  assertStatus(await provider.patch(`/Groups/${id}`, ...operations), 204)
  return (await members(id)).sort()
}
const names = (answer: Answer) =>
  assertStatus(answer, 200).json.Resources.map(({ displayName }: { displayName: string }) => displayName)

test('members are added, removed and replaced by the patches of Okta and Entra', async () => {
  const [a, b, c] = [
    await provider.user('a@g.example'),
    await provider.user('b@g.example'),
    await provider.user('c@g.example'),
  ]
  const id = await provider.group('Members', [a])
  assert.deepEqual(await members(id), [a])
  assert.deepEqual(await patched(id, { op: 'Add', path: 'members', value: [{ $ref: null, value: b }, { value: c }] }), [
    a,
    b,
    c,
  ])
  assert.deepEqual(await patched(id, { op: 'remove', path: `members[value eq "${a}"]` }), [b, c])
  assert.deepEqual(await patched(id, { op: 'Remove', path: 'members', value: [{ value: b }] }), [c])
  assert.deepEqual(await patched(id, { op: 'add', value: { members: [{ value: a }] } }), [a, c])
  assert.deepEqual(await patched(id, { op: 'replace', path: 'members', value: [{ value: b }] }), [b])
  assert.deepEqual(
    await patched(
      id,
      { op: 'add', path: 'members', value: [{ value: c }] },
      { op: 'remove', path: `members[value eq "${b}" or value eq "${c}"]` },
      { op: 'add', path: 'members', value: { value: a } },
    ),
    [a],
  )
  assert.deepEqual(await patched(id, { op: 'remove', path: 'members' }), [])
  // Okta sends the id and the name along.
  await patched(id, { op: 'replace', value: { id, displayName: 'Renamed', members: [{ value: c, display: 'C' }] } })
  const group = assertStatus(await provider.get(`/Groups/${id}`), 200).json
  assert.equal(group.displayName, 'Renamed')
  assert.deepEqual(group.members, [
    { value: c, $ref: `${admin.base}/scim/v2/Users/${c}`, display: 'c@g.example', type: 'User' },
  ])
  const whole = { displayName: 'Members', externalId: 'g-1', members: [{ value: a }, { value: b }] }
  assert.equal(assertStatus(await provider.call('PUT', `/Groups/${id}`, whole), 200).json.externalId, 'g-1')
  assert.deepEqual((await members(id)).sort(), [a, b])
  const [user] = assertStatus(await provider.find('Users', `id eq "${a}"`), 200).json.Resources
  assert.deepEqual(
    user.groups.map(({ display }: { display: string }) => display),
    ['Members'],
  )
  const audit = await admin.all(`/admin/audit?target=${id}`)
  assert.ok(audit.some(({ action, actor }) => action === 'group.member_removed' && actor.name === 'SCIM'))
})

test('groups are found by filters, without their members where these are excluded', async () => {
  const a = await provider.user('find@g.example')
  const id = await provider.group('Found', [a])
  for (const filter of [
    'displayName eq "found"',
    `id eq "${id}" and members eq "${a}"`,
    `members[value eq "${a}"]`,
    `members.value eq "${a}"`,
  ]) {
    assert.deepEqual(names(await provider.find('Groups', filter)), ['Found'], filter)
  }
  assert.deepEqual(names(await provider.find('Groups', 'displayName eq "Foun"')), [])
  const [found] = (await provider.find('Groups', 'displayName eq "Found"', '&excludedAttributes=members')).json
    .Resources
  assert.deepEqual([found.id, found.members], [id, undefined])
  assert.equal((await provider.get(`/Groups/${id}?excludedAttributes=members`)).json.members, undefined)
  assert.equal((await provider.find('Groups', 'userName eq "x"')).json.scimType, 'invalidFilter')
})

test('wrong members and names are refused, and change nothing', async () => {
  const a = await provider.user('wrong@g.example')
  const id = await provider.group('Right', [a])
  const agent = assertStatus(await admin.post('/admin/principals', { name: 'Bot', kind: 'agent' }), 201).json.id
  for (const [scimType, operation] of [
    ['invalidValue', { op: 'add', path: 'members', value: [{ value: agent }] }],
    ['invalidValue', { op: 'add', path: 'members', value: [{ value: id }] }],
    ['invalidValue', { op: 'add', path: 'members', value: [{ value: 'x' }] }],
    ['invalidValue', { op: 'replace', path: 'displayName', value: '' }],
    ['invalidValue', { op: 'remove', path: 'displayName' }],
    ['invalidPath', { op: 'add', path: 'owners', value: 'x' }],
    ['invalidPath', { op: 'remove', path: 'members[display eq "x"]' }],
    ['invalidPath', { op: 'remove', path: 'members[value eq' }],
    ['noTarget', { op: 'remove' }],
  ] as const) {
    const answer = assertStatus(await provider.patch(`/Groups/${id}`, operation), 400)
    assert.equal(answer.json.scimType, scimType, JSON.stringify(operation))
  }
  const twice = assertStatus(await provider.call('POST', '/Groups', { displayName: 'RIGHT' }), 409)
  assert.equal(twice.json.scimType, 'uniqueness')
  assert.deepEqual(await members(id), [a])
})

test('admins give groups of SCIM roles, and cannot change their names and members by hand', async () => {
  await admin.space('secret', { visibility: 'private' })
  const reader = await provider.user('reader@g.example')
  const id = await provider.group('Readers', [reader])
  const { managedBy } = assertStatus(await admin.get(`/admin/groups/${id}`), 200).json
  assert.equal(managedBy, 'scim')
  assertProblem(await admin.patch(`/admin/groups/${id}`, { name: 'Mine' }), 409, 'group_managed')
  assertProblem(await admin.delete(`/admin/groups/${id}/members/${reader}`), 409, 'group_managed')
  assertStatus(await admin.call('PUT', `/spaces/secret/groups/${id}`, { json: { role: 'viewer' } }), 201)
  const { secret } = await newKey(admin, reader)
  const elsewhere = nodes.as(1, secret)
  assertStatus(await elsewhere.get('/spaces/secret'), 200)
  assertStatus(await provider.patch(`/Groups/${id}`, { op: 'remove', path: `members[value eq "${reader}"]` }), 204)
  assertStatus(await elsewhere.get('/spaces/secret'), 404)
  assertStatus(await provider.call('DELETE', `/Groups/${id}`), 204)
  assertStatus(await provider.get(`/Groups/${id}`), 404)
  // Groups that admins made are none of the provider's business.
  const own = assertStatus(await admin.post('/admin/groups', { name: 'By hand' }), 201).json.id
  assertStatus(await provider.get(`/Groups/${own}`), 404)
  assertStatus(await provider.patch(`/Groups/${own}`, { op: 'replace', path: 'displayName', value: 'x' }), 404)
  assertStatus(await provider.call('DELETE', `/Groups/${own}`), 404)
  assert.deepEqual(names(await provider.find('Groups', 'displayName eq "By hand"')), [])
})

test('a group of 5,000 members is created, read, changed and replaced', async () => {
  await nodes.query(`with made as (
    insert into principal (id, name, kind, role, email, created_at)
    select gen_random_uuid(), 'P' || n, 'human', 'member', 'p' || n || '@many.example', now() from generate_series(1, 5000) n returning id)
    select count(*) from made`)
  const { rows } = await nodes.query(`select id from principal where email like '%@many.example' order by id`)
  const ids = rows.map((row: { id: string }) => row.id)
  const id = await provider.group('Many', ids)
  assert.equal((await members(id)).length, 5000)
  assert.equal((await admin.get(`/admin/groups/${id}`)).json.memberCount, 5000)
  assert.equal((await patched(id, { op: 'remove', path: `members[value eq "${ids[0]}"]` })).length, 4999)
  const fewer = { displayName: 'Many', members: ids.slice(0, 10).map((value) => ({ value })) }
  assert.equal(assertStatus(await provider.call('PUT', `/Groups/${id}`, fewer), 200).json.members.length, 10)
})

test('a version of a group changes with its members', async () => {
  const a = await provider.user('version@g.example')
  const id = await provider.group('Versions')
  const version = async () => (await provider.get(`/Groups/${id}`)).headers.get('etag') ?? ''
  const first = await version()
  await patched(id, { op: 'add', path: 'members', value: [{ value: a }] })
  const second = await version()
  assert.notEqual(second, first)
  await patched(id, { op: 'add', path: 'members', value: [{ value: a }] })
  assert.equal(await version(), second)
  const body = { displayName: 'Versions' }
  assertStatus(await provider.call('PUT', `/Groups/${id}`, body, { 'if-match': first }), 412)
  assertStatus(await provider.call('PUT', `/Groups/${id}`, body, { 'if-match': second }), 200)
})
