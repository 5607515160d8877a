import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { deleteExpired } from '../../packages/server/src/access/idempotency/store.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { autocommit, createDb } from '../../packages/server/src/platform/database/database.ts'
import { type Answer, assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newKey, newPerson } from '../support/people.ts'
import { holdSweep } from '../support/sweeps.ts'

let nodes: Nodes
let admin: Client
let other: Client
before(async () => {
  nodes = await startNodes()
  ;[admin, other] = nodes.admins
  await admin.space('docs')
  await admin.put('/pages/docs/list', 'a list')
})
after(() => nodes[Symbol.asyncDispose]())

const keyed = (key: string) => ({ 'idempotency-key': key })
const append = (client: Client, key: string, value: unknown, path = '/pages/docs/list/metadata') =>
  client.patch(path, { append: { all: value } }, keyed(key))
const isReplay = (answer: Answer) => answer.headers.get('idempotency-replayed') === 'true'

async function appended(): Promise<unknown[]> {
  return (await admin.get('/pages/docs/list/metadata')).json.metadata.all ?? []
}

/** The nodes of the tests have no common address. */
const withoutOrigin = (header: string | null) => header?.replace(/^http:\/\/[^/]+/, '')

/** Asserts that the second answer is the first one, told again. */
function assertReplay(first: Answer, second: Answer): void {
  assert.ok(!isReplay(first) && isReplay(second), second.text)
  assert.equal(second.status, first.status)
  assert.equal(second.text, first.text)
  for (const name of ['etag', 'location', 'content-type']) {
    assert.equal(withoutOrigin(second.headers.get(name)), withoutOrigin(first.headers.get(name)), name)
  }
}

test('a retry gets the stored response, on any node, and is applied once', async () => {
  const key = randomUUID()
  const first = assertStatus(await append(admin, key, 'once'), 200)
  assertReplay(first, await append(admin, key, 'once'))
  assertReplay(first, await append(other, `"${key}"`, 'once'))
  assert.deepEqual(
    (await appended()).filter((value) => value === 'once'),
    ['once'],
  )
})

test('a page is written once: the retry has the status, ETag and Location of the first response', async () => {
  const put = (client: Client, headers: Record<string, string>, body = 'one') =>
    client.put('/pages/docs/put', body, headers)
  const created = assertStatus(await put(admin, keyed('create')), 201)
  assert.equal(created.headers.get('location'), `${admin.base}/pages/docs/put`)
  assertReplay(created, await put(other, keyed('create')))
  const headers = { ...keyed('update'), 'if-match': '"1"' }
  const updated = assertStatus(await put(admin, headers, 'two'), 200)
  assert.equal(updated.headers.get('etag'), '"2"')
  assertReplay(updated, await put(other, headers, 'two'))
  // Without the key the same request meets what it did itself.
  assertProblem(await put(admin, { 'if-match': '"1"' }, 'two'), 412, 'precondition_failed')
  assert.equal((await admin.page('/pages/docs/put')).json.version, 2)
})

test('retries of every kind of change are applied once', async () => {
  await admin.put('/pages/docs/all', '# All')
  await admin.put('/pages/docs/all', '# All 2', { 'if-match': '"1"' })
  const person = await newPerson(admin, 'Ann')
  const group = assertStatus(await admin.post('/admin/groups', { name: 'Writers' }), 201).json
  const webhook = { url: 'https://example.org/', events: ['page.created'] }
  const hook = assertStatus(await admin.post('/admin/webhooks', webhook), 201).json.webhook
  await admin.put('/pages/docs/gone', 'x')
  await admin.delete('/pages/docs/gone', { 'if-match': '*' })
  await admin.put('/pages/docs/from', 'x')
  const requests: [string, string, unknown, Record<string, string>?][] = [
    ['PATCH', '/pages/docs/all', { edits: [{ op: 'append', text: 'x' }] }, { 'if-match': '*' }],
    ['POST', '/pages/docs/all/versions/1/make-latest', undefined],
    ['POST', '/pages/docs/gone/restore', undefined],
    ['POST', '/pages/docs/from/move', { to: { path: 'to' } }, { 'if-match': '*' }],
    ['POST', '/spaces', { slug: 'made' }],
    ['PATCH', '/spaces/made', { slug: 'renamed' }],
    ['PUT', `/spaces/docs/members/${person.id}`, { role: 'viewer' }],
    ['POST', '/admin/groups', { name: 'Readers' }],
    ['PATCH', `/admin/groups/${group.id}`, { name: 'Authors' }],
    ['PUT', `/admin/groups/${group.id}/members/${person.id}`, undefined],
    ['PUT', `/spaces/docs/groups/${group.id}`, { role: 'viewer' }],
    ['POST', '/space-templates/builtin/research-notes/spaces', { slug: 'notes' }],
    ['POST', '/space-templates/org', { space: 'docs', id: 'docs' }],
    ['POST', '/admin/principals', { name: 'New', kind: 'agent' }],
    ['PATCH', `/admin/principals/${person.id}`, { name: 'Anna' }],
    ['PATCH', `/admin/webhooks/${hook.id}`, { description: 'x' }],
    ['POST', '/links/rebuild?space=docs', undefined],
  ]
  const { rows } = await nodes.query('select count(*)::int as n from event')
  const acts = async () => (await admin.all('/admin/audit')).length
  const [eventsBefore, actsBefore] = [rows[0].n, await acts()]
  const first: Answer[] = []
  for (const [method, path, json, headers] of requests) {
    const key = keyed(`${method} ${path}`.replaceAll(' ', '-'))
    const answer = await admin.call(method, path, { json, headers: { ...headers, ...key } })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    first.push(answer)
  }
  const events = async () => (await nodes.query('select count(*)::int as n from event')).rows[0].n
  const [eventsThen, actsThen] = [await events(), await acts()]
  assert.ok(eventsThen > eventsBefore && actsThen > actsBefore)
  for (const [index, [method, path, json, headers]] of requests.entries()) {
    const key = keyed(`${method} ${path}`.replaceAll(' ', '-'))
    const again = await other.call(method, path, { json, headers: { ...headers, ...key } })
    const before = first[index]
    assert.ok(before)
    assertReplay(before, again)
  }
  assert.deepEqual([await events(), await acts()], [eventsThen, actsThen])
})

test('of concurrent equal requests on two nodes one is applied, and all succeed', async () => {
  const keys = Array.from({ length: 8 }, () => randomUUID())
  const answers = await Promise.all(
    keys.flatMap((key) => Array.from({ length: 12 }, (_, index) => append(index % 2 === 0 ? admin : other, key, key))),
  )
  for (const answer of answers) {
    if (answer.status === 200) continue
    assertProblem(answer, 409, 'idempotency_in_flight')
    assert.equal(answer.headers.get('retry-after'), '1')
  }
  for (const key of keys) {
    assert.ok(isReplay(assertStatus(await append(other, key, key), 200)))
    assert.equal((await appended()).filter((value) => value === key).length, 1)
  }
  assert.equal(answers.filter((answer) => answer.status === 200 && !isReplay(answer)).length, keys.length)
})

test('another body with the same key is an error; another method, URL or principal is another request', async () => {
  const bea = await newPerson(admin, 'Bea')
  await admin.call('PUT', `/spaces/docs/members/${bea.id}`, { json: { role: 'editor' } })
  await admin.put('/pages/docs/second', 'x')
  assertStatus(await append(admin, 'shared', 'mine'), 200)
  assertProblem(await append(admin, 'shared', 'other'), 422, 'idempotency_key_reused')
  assertStatus(await append(admin, 'shared', 'mine', '/pages/docs/second/metadata'), 200)
  assertStatus(await admin.put('/pages/docs/third', 'x', keyed('shared')), 201)
  const hers = assertStatus(await append(bea.client, 'shared', 'hers'), 200)
  assert.ok(!isReplay(hers))
  assert.equal(hers.json.entries.find(({ key }: { key: string }) => key === 'all').updatedBy.name, 'Bea')
})

test('an error response is not stored: the same key may be sent again', async () => {
  const missing = append(admin, 'rejected', 'x', '/pages/docs/not-yet/metadata')
  assertProblem(await missing, 404, 'not_found')
  await admin.put('/pages/docs/not-yet', 'x')
  // Even with another body: nothing came of the first.
  assert.ok(!isReplay(assertStatus(await append(admin, 'rejected', 'y', '/pages/docs/not-yet/metadata'), 200)))
  const stale = await admin.put('/pages/docs/not-yet', 'y', { ...keyed('stale'), 'if-match': '"9"' })
  assertProblem(stale, 412, 'precondition_failed')
  assert.equal(stale.headers.get('etag'), null)
  const { rows } = await nodes.query('select count(*)::int as n from idempotency where not done')
  assert.equal(rows[0].n, 0)
})

test('an invalid key is an error, and so is a key on a route without support', async () => {
  for (const key of ['""', 'two words', '"open', 'x'.repeat(256), 'a, b']) {
    assertProblem(await append(admin, key, 'x'), 400, 'idempotency_key_invalid')
  }
  for (const [path, json] of [
    ['/me/api-keys', { name: 'k', scopes: ['read'] }],
    ['/admin/webhooks', { url: 'https://example.org/', events: ['*'] }],
    ['/spaces/docs/import', { format: 'page-bundle' }],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ] as const) {
    assertProblem(await admin.post(path, json, keyed('k')), 400, 'idempotency_key_unsupported')
  }
  // What is safe to be sent again anyway does not mind.
  assertStatus(await admin.get('/me', keyed('k')), 200)
  await admin.put('/pages/docs/delete-me', 'x')
  assertStatus(await admin.delete('/pages/docs/delete-me', { ...keyed('k'), 'if-match': '*' }), 204)
})

test('every route that changes something accepts a key, or is a listed exception', async () => {
  const { paths } = (await admin.get('/openapi.json')).json
  const without = Object.entries<Record<string, { parameters?: { name: string }[] }>>(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, route]) => ({ path, method, route })))
    .filter(({ method }) => ['post', 'put', 'patch'].includes(method))
    .filter(({ route }) => !route.parameters?.some(({ name }) => name === 'Idempotency-Key'))
    .map(({ path, method }) => `${method} ${path}`)
  assert.deepEqual(
    without.sort(),
    [
      // Secrets, which are told once.
      'post /admin/api-keys',
      'post /admin/invitations',
      'post /admin/invitations/{id}/resend',
      'post /admin/principals/{id}/password-link',
      'post /admin/scim/token',
      'post /admin/webhooks',
      'post /admin/webhooks/{id}/rotate-secret',
      'post /me/api-keys',
      'post /shares/{space}/{path}',
      'post /pages/batch-get', // it reads
      'post /spaces/{space}/invitations',
      'post /spaces/{space}/invitations/{id}/resend',
      // The same request again has the same effect.
      'patch /me/passkeys/{id}',
      'put /verifications/{space}/{path}',
      'put /me/favourites/{space}',
      'put /me/favourites/{space}/{path}',
      'patch /me/notifications',
      'patch /me/notification-settings',
      'put /me/watches/by-id/{id}',
      'put /me/watches/{space}',
      'put /me/watches/{space}/{path}',
      'put /me/unsaved/{space}',
      'put /me/unsaved/{space}/{path}',
      'patch /spaces/{space}/change-requests/{number}', // with If-Match
      'post /spaces/{space}/change-requests/{number}/close',
      'post /spaces/{space}/change-requests/{number}/reopen',
      'post /spaces/{space}/change-requests/{number}/checks',
      'post /spaces/{space}/change-requests/{number}/reviews', // with If-Match
      'post /spaces/{space}/change-requests/{number}/update', // with If-Match
      'post /threads/by-id/{id}/resolve',
      'post /threads/by-id/{id}/reopen',
      'patch /comments/{id}',
      'post /access-requests',
      // Repeating it is harmless: a job that ended says so, and a merged account or an ended request is gone.
      'post /spaces/{space}/access-requests/{id}/approve',
      'post /spaces/{space}/access-requests/{id}/decline',
      'post /admin/jobs/{id}/cancel',
      'post /admin/principals/{id}/merge',
      'post /admin/files/migrate',
      // Streams, and messages of another protocol.
      'post /mcp',
      'post /spaces/{space}/import',
    ].sort(),
  )
})

test('a caller that lost access does not get the stored response', async () => {
  const cat = await newPerson(admin, 'Cat')
  await admin.space('secret', { visibility: 'private' })
  const set = (role: string) => admin.call('PUT', `/spaces/secret/members/${cat.id}`, { json: { role } })
  assertStatus(await set('editor'), 201)
  const write = (client: Client) => client.put('/pages/secret/x', '# Marked', keyed('mine'))
  assertStatus(await write(cat.client), 201)
  assert.ok(isReplay(await write(cat.client)))
  // A narrower key of the same principal speaks for it only as far as it goes.
  const narrow = await newKey(admin, cat.id, { scopes: ['read'] })
  assertProblem(await write(new Client(admin.base, narrow.secret)), 403, 'forbidden')
  const elsewhere = await newKey(admin, cat.id, { scopes: ['write'], spaces: ['docs'] })
  assertProblem(await write(new Client(admin.base, elsewhere.secret)), 404, 'not_found')
  assertStatus(await set('viewer'), 200)
  assertProblem(await write(cat.client), 403, 'forbidden')
  assertStatus(await admin.delete(`/spaces/secret/members/${cat.id}`), 204)
  const gone = assertProblem(await write(cat.client), 404, 'not_found')
  assert.ok(!gone.text.includes('Marked'))
})

test('the stored response of a move is replayed only while every space in it is visible', async () => {
  const dan = await newPerson(admin, 'Dan')
  for (const slug of ['here', 'there', 'linking']) {
    await admin.space(slug, { visibility: 'private' })
    await admin.call('PUT', `/spaces/${slug}/members/${dan.id}`, { json: { role: 'editor' } })
  }
  await admin.put('/pages/here/page', 'x')
  await admin.put('/pages/linking/page', '[x](/pages/here/page)')
  const move = () =>
    dan.client.post(
      '/pages/here/page/move',
      { to: { space: 'there', path: 'page' }, rewriteLinks: true },
      { ...keyed('move'), 'if-match': '"1"' },
    )
  const moved = assertStatus(await move(), 200)
  assert.equal(moved.json.rewritten[0].space, 'linking')
  assertReplay(moved, await move())
  await admin.delete(`/spaces/linking/members/${dan.id}`)
  assertProblem(await move(), 404, 'not_found')
})

test('a stored response is replayed only while no folder rule hides a place in it', async () => {
  const eve = await newPerson(admin, 'Eve')
  await admin.space('ruled', { defaultRole: 'editor' })
  for (const path of ['f/a', 'f/b']) await admin.put(`/pages/ruled/${path}`, 'x')
  const { client } = eve
  const bytes = { ...keyed('upload'), 'if-none-match': '*' }
  const operations = ['f/c', 'f/d'].map((path) => ({ op: 'put', space: 'ruled', path, body: 'new' }))
  const requests = [
    () => client.put('/pages/ruled/f/new', '# Marked', keyed('write')),
    () => client.put('/files/ruled/f/new.txt', 'marked', bytes),
    () => client.post('/pages/batch', { operations }, keyed('batch')),
    () => client.post('/pages/ruled/f/a/move', { to: { path: 'g/a' } }, { ...keyed('move-page'), 'if-match': '"1"' }),
    () => client.post('/spaces/ruled/move-folder', { path: 'g', to: { path: 'f/g' } }, keyed('move-folder')),
    () => client.post('/spaces/ruled/delete-folder', { path: 'f/g' }, keyed('delete-folder')),
  ]
  for (const request of requests) {
    const first = await request()
    assert.ok(first.status < 300, first.text)
    assertReplay(first, await request())
  }
  const setRule = async (json: object, status: number) =>
    assertStatus(await admin.call('PUT', '/spaces/ruled/rules/f', { json }), status)
  await setRule({ read: 'inherit', write: [] }, 201)
  for (const request of requests) assertProblem(await request(), 403, 'forbidden')
  await setRule({ read: [], write: 'inherit' }, 200)
  for (const request of requests) {
    const gone = assertProblem(await request(), 404, 'not_found')
    assert.ok(!/marked/i.test(gone.text), gone.text)
  }
})

test('a key is free again after a day', async () => {
  assertStatus(await append(admin, 'daily', 'day one'), 200)
  await nodes.query(`update idempotency set expires_at = now()`)
  assert.ok(!isReplay(assertStatus(await append(admin, 'daily', 'day two'), 200)))
  assert.ok(isReplay(assertStatus(await append(admin, 'daily', 'day two'), 200)))
})

/** Holds the metadata of every page, so that whoever would change it waits in the middle of a transaction. */
async function holdMetadata(): Promise<AsyncDisposable> {
  const client = new pg.Client({ ...nodes.connection })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from page_metadata for update')
  return { [Symbol.asyncDispose]: () => client.end() }
}

/** Waits until so many writers wait for the metadata. */
async function untilWaiting(count: number): Promise<void> {
  await until(async () => {
    const { rows } = await nodes.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%page_metadata%'`,
    )
    return rows[0].n === count
  })
}

test('while a request is in progress its key is in use, for another body too', async () => {
  assertStatus(await append(admin, randomUUID(), 'first'), 200)
  let slow: Promise<Answer>
  {
    await using _held = await holdMetadata()
    slow = append(admin, 'slow', 'slow')
    await untilWaiting(1)
    const rejected = assertProblem(await append(other, 'slow', 'slow'), 409, 'idempotency_in_flight')
    assert.equal(rejected.headers.get('retry-after'), '1')
    assertProblem(await append(other, 'slow', 'fast'), 422, 'idempotency_key_reused')
    // However long it takes: the lease is renewed before it ends.
    const state = 'select leased_until, now() as now from idempotency where not done'
    const first = (await nodes.query(state)).rows[0].leased_until
    await until(async () => {
      const { leased_until: leased, now } = (await nodes.query(state)).rows[0]
      assert.ok(leased > now)
      return leased > first
    })
  }
  assertReplay(assertStatus(await slow, 200), await append(other, 'slow', 'slow'))
})

test('an attempt whose lease expired changes nothing after another attempt took over', async () => {
  let slow: Promise<Answer>
  let second: Promise<Answer>
  {
    await using _held = await holdMetadata()
    slow = append(admin, 'fenced', 'fenced')
    await untilWaiting(1)
    await nodes.query(`update idempotency set leased_until = now() where not done`)
    second = append(other, 'fenced', 'fenced')
    await untilWaiting(2)
  }
  assertProblem(await slow, 409, 'idempotency_in_flight')
  assertReplay(assertStatus(await second, 200), await append(admin, 'fenced', 'fenced'))
  assert.equal((await appended()).filter((value) => value === 'fenced').length, 1)
})

test('a retry that straddles the end of the lease of a dead attempt is applied, not told that it succeeded before', async () => {
  const value = 'straddling'
  const first = assertStatus(await append(admin, value, value), 200)
  // As if that attempt had died before it changed anything.
  await nodes.query(`update idempotency set done = false, status = null, headers = null, body = null,
    attempt = gen_random_uuid(), leased_until = now() + interval '1 second' where status = 200`)
  let retry: Promise<Answer>
  {
    await using _held = await holdKeys()
    retry = append(other, value, value)
    // Its statement begins before the end of the lease, and ends after it.
    await until(async () => (await nodes.query(WAITING_FOR_KEYS)).rows[0].n === 1)
    await until(async () => (await nodes.query(LEASES)).rows[0].ended)
  }
  const answer = assertStatus(await retry, 200)
  assert.ok(!isReplay(answer) && !isReplay(first))
  assert.equal((await appended()).filter((each) => each === value).length, 2)
  assertReplay(answer, await append(admin, value, value))
})

const LEASES = 'select bool_and(leased_until <= now()) as ended from idempotency where not done'
const WAITING_FOR_KEYS = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into idempotency%'`

/** Holds the rows of all keys. */
async function holdKeys(): Promise<AsyncDisposable> {
  const client = new pg.Client({ ...nodes.connection })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from idempotency for update')
  return { [Symbol.asyncDispose]: () => client.end() }
}

test('if the response was lost the change is not repeated, and the error says so', async () => {
  const create = () => admin.post('/spaces', { slug: 'once-only' }, keyed('lost'))
  assertStatus(await create(), 201)
  // As when the process dies between the change and the keeping of its answer.
  await nodes.query('update idempotency set status = null, headers = null, body = null where status = 201')
  assertProblem(await create(), 409, 'idempotency_in_flight')
  await nodes.query('update idempotency set leased_until = now()')
  assertProblem(await create(), 409, 'idempotency_answer_lost')
})

test('the response to a write of a page or its metadata is committed with the change', async () => {
  await nodes.query('delete from idempotency')
  assertStatus(await admin.put('/pages/docs/kept', 'x', keyed('kept')), 201)
  assertStatus(await append(admin, 'kept', 'kept'), 200)
  const { rows } = await nodes.query(
    'select i.status, exists (select from event e where e.xmin = i.xmin) as together from idempotency i order by status',
  )
  assert.deepEqual(rows, [
    { status: 200, together: true },
    { status: 201, together: true },
  ])
})

test('idempotency keys are deleted after a day', async () => {
  await nodes.query('delete from idempotency')
  for (const key of ['a', 'b', 'c']) assertStatus(await append(admin, key, key), 200)
  await holdSweep(nodes, 'idempotency sweep')
  await nodes.query(
    `update idempotency set expires_at = now() - interval '1 second' where ctid in (select ctid from idempotency limit 2)`,
  )
  const pool = createPool({ server: new DatabaseServer(nodes.connection), size: 1, prepared: false, onError: () => {} })
  const db = autocommit(createDb(pool))
  try {
    assert.equal(await deleteExpired(db, new Date(), 1), 1)
    assert.equal(await deleteExpired(db, new Date(), 10), 1)
    assert.equal(await deleteExpired(db, new Date(), 10), 0)
  } finally {
    await pool.end()
  }
})
