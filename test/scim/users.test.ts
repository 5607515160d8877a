import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Provider, startProvisioning, USER_SCHEMA } from '../support/scim.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
let provider: Provider
before(async () => {
  service = await startService()
  admin = service.admin
  provider = await startProvisioning(admin)
})
after(() => service[Symbol.asyncDispose]())

const principal = async (id: string) => assertStatus(await admin.get(`/admin/principals/${id}`), 200).json
const userNames = (answer: Answer) =>
  assertStatus(answer, 200).json.Resources.map(({ userName }: { userName: string }) => userName)

function assertScimError(answer: Answer, status: number, scimType?: string): void {
  assertStatus(answer, status)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/scim\+json/)
  assert.deepEqual(answer.json.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
  assert.equal(answer.json.status, String(status))
  assert.equal(answer.json.scimType, scimType)
  assert.ok(answer.json.detail)
}

test('a person is created, read, replaced and deleted with the requests of Okta', async () => {
  assert.deepEqual(userNames(await provider.find('Users', 'userName eq "ada@example.org"')), [])
  const body = {
    schemas: [USER_SCHEMA],
    userName: 'Ada@example.org',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [{ primary: true, value: 'Ada@example.org', type: 'work' }],
    displayName: 'Ada Lovelace',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const created = assertStatus(await provider.call('POST', '/Users', body), 201)
  const { id, meta, ...user } = created.json
  assert.deepEqual(user, {
    schemas: [USER_SCHEMA],
    externalId: '00ujl29u0le5T6Aj10h7',
    userName: 'Ada@example.org',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    displayName: 'Ada Lovelace',
    emails: [{ value: 'Ada@example.org', type: 'work', primary: true }],
    active: true,
  })
  assert.equal(created.headers.get('location'), meta.location)
  assert.equal(meta.resourceType, 'User')
  assert.equal(created.headers.get('etag'), meta.version)
  const account = await principal(id)
  assert.deepEqual(
    [account.name, account.email, account.role, account.kind],
    ['Ada Lovelace', 'ada@example.org', 'member', 'human'],
  )
  assert.deepEqual(assertStatus(await provider.get(`/Users/${id}`), 200).json, created.json)
  assert.deepEqual(userNames(await provider.find('Users', 'userName eq "ADA@example.org"')), ['Ada@example.org'])
  const replaced = await provider.call('PUT', `/Users/${id}`, { ...body, id, displayName: 'Ada King' })
  assert.equal(assertStatus(replaced, 200).json.displayName, 'Ada King')
  assert.equal((await principal(id)).name, 'Ada King')

  assertStatus(await provider.call('DELETE', `/Users/${id}`), 204)
  assertScimError(await provider.get(`/Users/${id}`), 404)
  assertScimError(await provider.call('DELETE', `/Users/${id}`), 404)
  assert.deepEqual(userNames(await provider.find('Users', 'userName eq "ada@example.org"')), [])
  const left = await principal(id)
  assert.deepEqual([left.disabled, left.email], [true, null])
  // Another person gets the address.
  const next = assertStatus(await provider.call('POST', '/Users', body), 201).json.id
  assert.notEqual(next, id)
})

test('a person is changed by the patches of Microsoft Entra', async () => {
  const id = await provider.user('bo@example.org', { externalId: 'oid-bo', name: { givenName: 'Bo' } })
  const disabled = await provider.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })
  assert.equal(assertStatus(disabled, 200).json.active, false)
  assert.equal((await principal(id)).disabled, true)
  const enabled = await provider.patch(`/Users/${id}`, { op: 'Add', path: 'active', value: 'True' })
  assert.equal(assertStatus(enabled, 200).json.active, true)
  const extension = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department'
  const changed = await provider.patch(
    `/Users/${id}`,
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'bo.new@example.org' },
    { op: 'Add', path: 'emails[type eq "home"].value', value: 'bo@home.example' },
    { op: 'Add', path: 'name.familyName', value: 'Ek' },
    { op: 'Add', path: extension, value: 'Ships' },
    { op: 'Replace', path: 'addresses[type eq "work"].country', value: 'SE' },
    { op: 'replace', path: `${USER_SCHEMA}:displayName`, value: 'Bo Ek' },
  )
  const { emails, name, displayName } = assertStatus(changed, 200).json
  assert.deepEqual(emails, [
    { value: 'bo.new@example.org', type: 'work', primary: true },
    { value: 'bo@home.example', type: 'home' },
  ])
  assert.deepEqual([name, displayName], [{ givenName: 'Bo', familyName: 'Ek' }, 'Bo Ek'])
  assert.deepEqual([(await principal(id)).email, (await principal(id)).name], ['bo.new@example.org', 'Bo Ek'])
  // Without a path, with paths as names.
  const value = {
    active: 'false',
    'name.givenName': 'Boris',
    'emails[type eq "work"].value': 'boris@example.org',
    [extension]: 'Trains',
    userName: 'boris@example.org',
  }
  const whole = assertStatus(await provider.patch(`/Users/${id}`, { op: 'replace', value }), 200).json
  assert.deepEqual(
    [whole.userName, whole.name.givenName, whole.emails[0].value, whole.active],
    ['boris@example.org', 'Boris', 'boris@example.org', false],
  )
  const fewer = await provider.patch(
    `/Users/${id}`,
    { op: 'Remove', path: 'emails[type eq "home"]' },
    { op: 'remove', path: 'name.familyName' },
    { op: 'replace', path: 'externalId', value: null },
  )
  const { emails: left, name: short, externalId } = assertStatus(fewer, 200).json
  assert.deepEqual([left.length, short, externalId], [1, { givenName: 'Boris' }, undefined])
})

test('people are found by the filters of Okta and Entra, and others are refused', async () => {
  const id = await provider.user('cy@example.org', {
    externalId: 'oid-cy',
    displayName: 'Cy "the one" O\\Neil',
    name: { familyName: 'Neil' },
    emails: [
      { value: 'Cy.Work@example.org', type: 'work' },
      { value: 'cy.home@example.org', type: 'home' },
    ],
  })
  const found = async (filter: string) =>
    assertStatus(await provider.find('Users', filter), 200).json.Resources.some(
      (user: { id: string }) => user.id === id,
    )
  for (const filter of [
    'userName eq "CY@example.org"',
    'username Eq "cy@example.org"',
    'externalId eq "oid-cy"',
    `id eq "${id}"`,
    'emails[type eq "work"].value eq "cy.work@EXAMPLE.org"',
    'emails.value eq "cy.home@example.org"',
    'emails eq "cy.home@example.org"',
    'emails[type eq "work" and value ew "@example.org"]',
    'emails[value eq "CY.HOME@example.org" and type eq "home"]',
    'emails[value eq "x" or value eq "cy.home@example.org"]',
    'emails[not (value eq "x")]',
    'not (emails.value eq "x") and externalId eq "oid-cy"',
    'displayName eq "cy \\"the one\\" O\\Neil"',
    'userName eq "cy@example.org" and active eq true',
    'userName eq "cy@example.org" and not (active eq false)',
    'userName eq "x" or externalId eq "oid-cy"',
    'userName sw "CY@" and name.familyName co "ei" and userName ew ".org" and externalId pr',
    'active eq "True" and externalId eq "oid-cy"',
    `${USER_SCHEMA}:userName eq "cy@example.org"`,
    'meta.lastModified gt "2011-05-13T04:42:34Z" and userName eq "cy@example.org"',
    'userName ge "cy@" and userName lt "cy@f"',
  ]) {
    assert.ok(await found(filter), filter)
  }
  for (const filter of [
    'externalId eq "OID-CY"',
    'emails[type eq "work"].value eq "cy.home@example.org"',
    'emails[value eq "cy.home@example.org" and value eq "cy.work@example.org"]',
    'emails[type eq "cy.home@example.org"]',
    'userName ne "cy@example.org" and externalId eq "oid-cy"',
    'active eq false and externalId eq "oid-cy"',
    'not (externalId eq "oid-cy")',
    'name.givenName pr and externalId eq "oid-cy"',
    'userName eq "cy%"',
  ]) {
    assert.ok(!(await found(filter)), filter)
  }
  for (const filter of [
    'password eq "x"',
    'userName',
    'userName eq',
    'userName eq 5',
    'userName gt null',
    'active gt true',
    'emails[',
    'emails[nothing eq "x"]',
    'constructor eq "x"',
    'meta.created eq "yesterday"',
    '(((',
    'userName eq "a" userName',
  ]) {
    const answer = await provider.find('Users', filter)
    assert.equal(answer.status, 400, `${filter}: ${answer.text}`)
  }
  assertScimError(await provider.find('Users', 'password eq "x"'), 400, 'invalidFilter')
  assertScimError(await provider.find('Users', `userName eq "${'\n'.repeat(200)}`), 400, 'invalidFilter')
})

test('lists have pages, and only the attributes that are asked for', async () => {
  for (const name of ['p1', 'p2', 'p3']) await provider.user(`${name}@pages.example`)
  const page = async (query: string) =>
    assertStatus(await provider.find('Users', 'userName ew "@pages.example"', query), 200).json
  const first = await page('&startIndex=1&count=2')
  assert.deepEqual([first.totalResults, first.startIndex, first.itemsPerPage], [3, 1, 2])
  const last = await page('&startIndex=3&count=2')
  assert.deepEqual([last.totalResults, last.startIndex, last.itemsPerPage], [3, 3, 1])
  assert.equal(last.Resources[0].userName, 'p3@pages.example')
  const beyond = await page('&startIndex=9')
  assert.deepEqual([beyond.totalResults, beyond.Resources], [3, []])
  assert.deepEqual((await page('&count=0')).Resources, [])
  assert.equal((await page('&startIndex=-5&count=-1')).totalResults, 3)
  assertScimError(await provider.get('/Users?count=many'), 400, 'invalidValue')
  const names = (await page('&count=1&attributes=userName,emails.value')).Resources[0]
  assert.deepEqual(Object.keys(names).sort(), ['emails', 'id', 'schemas', 'userName'])
  assert.deepEqual(names.emails, [{ value: 'p1@pages.example' }])
  const fewer = (await page('&count=1&excludedAttributes=emails.type,meta,Groups')).Resources[0]
  assert.deepEqual(fewer.emails, [{ value: 'p1@pages.example', primary: true }])
  assert.equal(fewer.meta, undefined)
})

test('names and addresses are unique, and wrong values change nothing', async () => {
  const id = await provider.user('dee@example.org')
  const other = await provider.user('eve@example.org')
  const twice = { userName: 'DEE@example.org', emails: [{ value: 'dee2@example.org' }] }
  assertScimError(await provider.call('POST', '/Users', twice), 409, 'uniqueness')
  const address = { userName: 'dee3', emails: [{ value: 'Dee@example.org' }] }
  assertScimError(await provider.call('POST', '/Users', address), 409, 'uniqueness')
  const rename = { op: 'replace', path: 'userName', value: 'dee@example.org' }
  assertScimError(await provider.patch(`/Users/${other}`, rename), 409, 'uniqueness')
  const before = (await provider.get(`/Users/${id}`)).json
  for (const [scimType, ...operations] of [
    ['invalidPath', { op: 'replace', path: 'actve', value: false }],
    ['invalidPath', { op: 'replace', path: '__proto__.polluted', value: 'x' }],
    ['invalidPath', { op: 'replace', value: { 'constructor.prototype.polluted': 'x' } }],
    ['invalidPath', { op: 'replace', path: 'emails.value', value: 'x@example.org' }],
    ['invalidPath', { op: 'replace', path: 'emails[type eq].value', value: 'x@example.org' }],
    ['invalidPath', { op: 'replace', path: 'active[x eq 1]', value: true }],
    ['invalidValue', { op: 'replace', path: 'active', value: 'maybe' }],
    ['invalidValue', { op: 'remove', path: 'userName' }],
    ['invalidValue', { op: 'replace', path: 'emails', value: 'x' }],
    ['invalidValue', { op: 'replace', path: 'emails[type eq "work"].value', value: 'no address' }],
    ['invalidValue', { op: 'add', path: 'name', value: ['x'] }],
    ['invalidValue', { op: 'add', value: 'x' }],
    ['noTarget', { op: 'remove' }],
    ['noTarget', { op: 'replace', path: 'emails[type co "z"].value', value: 'z@example.org' }],
    ['invalidSyntax', { op: 'move', path: 'active', value: true }],
    // The first operation is not applied either.
    ['invalidPath', { op: 'replace', path: 'active', value: false }, { op: 'add', path: 'none', value: 1 }],
  ] as const) {
    assertScimError(await provider.patch(`/Users/${id}`, ...operations), 400, scimType)
  }
  for (const body of [{}, { userName: '' }, { userName: 5 }, { userName: 'x', emails: [5] }, []]) {
    assertScimError(await provider.call('POST', '/Users', body), 400, 'invalidValue')
  }
  assertScimError(await provider.call('PATCH', `/Users/${id}`, { Operations: [] }), 400, 'invalidValue')
  assert.deepEqual((await provider.get(`/Users/${id}`)).json, before)
  assert.equal((Object.prototype as { polluted?: string }).polluted, undefined)
})

test('versions: If-None-Match, and changes with If-Match', async () => {
  const id = await provider.user('flo@example.org')
  const { version } = (await provider.get(`/Users/${id}`)).json.meta
  assertStatus(await provider.get(`/Users/${id}`, { 'if-none-match': version }), 304)
  assertScimError(await provider.call('PUT', `/Users/${id}`, { userName: 'f' }, { 'if-match': 'W/"old"' }), 412)
  const body = { userName: 'flo@example.org', displayName: 'Flo' }
  const changed = await provider.call('PUT', `/Users/${id}`, body, { 'if-match': version })
  assert.notEqual(assertStatus(changed, 200).json.meta.version, version)
  assertScimError(await provider.call('DELETE', `/Users/${id}`, undefined, { 'if-match': version }), 412)
})

test('people who were there before are found by their address and taken over; admins keep theirs', async () => {
  const email = 'gil@example.org'
  const person = { name: 'Gil', kind: 'human', email }
  const { id } = assertStatus(await admin.post('/admin/principals', person), 201).json
  const [found] = assertStatus(await provider.find('Users', `userName eq "${email}"`), 200).json.Resources
  assert.deepEqual([found.id, found.userName, found.displayName, found.active], [id, email, 'Gil', true])
  for (const filter of ['userName sw "GIL@"', 'displayName sw "gi" and userName co "gil@"']) {
    assert.deepEqual(userNames(await provider.find('Users', filter)), [email], filter)
  }
  assertScimError(await provider.call('POST', '/Users', { userName: email }), 409, 'uniqueness')
  const link = { op: 'replace', value: { externalId: 'gil-1', displayName: 'Gilbert' } }
  assert.equal(assertStatus(await provider.patch(`/Users/${id}`, link), 200).json.externalId, 'gil-1')
  assert.deepEqual([(await principal(id)).name, (await principal(id)).email], ['Gilbert', email])
  // Agents, and people without an address, are none of the provider's business.
  const ann = await newPerson(admin, 'Ann')
  for (const hidden of [ann.id, (await newPerson(admin, 'Bot', { kind: 'agent' })).id]) {
    assertScimError(await provider.get(`/Users/${hidden}`), 404)
    assertScimError(await provider.patch(`/Users/${hidden}`, { op: 'add', path: 'active', value: false }), 404)
  }
  // With another address, whoever has the token could choose an admin's password.
  assertStatus(await admin.patch(`/admin/principals/${id}`, { role: 'admin' }), 200)
  const address = { op: 'replace', path: 'emails[type eq "work"].value', value: 'mallory@example.org' }
  assertStatus(await provider.patch(`/Users/${id}`, address), 200)
  assert.equal((await principal(id)).email, email)
})

test('the last admin stays', async () => {
  const me = (await admin.get('/me')).json.id
  assertStatus(await admin.patch(`/admin/principals/${me}`, { email: 'root@example.org' }), 200)
  assertScimError(await provider.patch(`/Users/${me}`, { op: 'replace', path: 'active', value: false }), 409)
  assertScimError(await provider.call('DELETE', `/Users/${me}`), 409)
  assert.equal((await principal(me)).disabled, false)
})

test('people are found by an e-mail address with any characters, and by nothing like it', async () => {
  const [one] = await Promise.all([
    provider.user('quoted@example.org', { emails: [{ value: `Ülle.'x%_'@example.org` }] }),
    provider.user('other@example.org'),
  ])
  const found = await provider.find('Users', `emails.value eq "ÜLLE.'X%_'@example.org"`)
  assert.deepEqual(
    assertStatus(found, 200).json.Resources.map(({ id }: { id: string }) => id),
    [one],
  )
})
