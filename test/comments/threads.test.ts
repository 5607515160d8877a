import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { connectAgent } from '../support/agent.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'

// Comments: threads about pages, passages of them, files, change requests and their changes (decisions, section 15).

let nodes: Nodes
let admin: Client
let ada: Person
let bob: Person
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  ada = await newPerson(admin, 'Ada')
  bob = await newPerson(admin, 'Bob', { scopes: ['propose'] })
})
after(() => nodes[Symbol.asyncDispose]())

const BODY = '# Plan\n\nThe *quick* brown fox jumps over the dog.\n\nA line.\n\nA line.\n'

const comment = async (client: Client, page: string, thread: object) =>
  assertStatus(await client.post(`/threads/${page}`, thread), 201).json
const threads = async (client: Client, page: string) => client.all(`/threads/${page}`)
const read = async (client: Client, id: string) => assertStatus(await client.get(`/threads/by-id/${id}`), 200).json

test('a thread is begun, answered, resolved, opened again, edited and deleted', async () => {
  await admin.space('t1')
  await admin.write('t1/plan', BODY)
  const answer = assertStatus(await bob.client.post('/threads/t1/plan', { body: 'Why a **fox**?' }), 201)
  const thread = answer.json
  assert.equal(new URL(answer.headers.get('location') ?? '').pathname, `/threads/by-id/${thread.id}`)
  assert.deepEqual(thread.subject, { kind: 'page', space: 't1', path: 'plan' })
  assert.deepEqual([thread.quote, thread.place, thread.outdated, thread.state], [null, null, false, 'open'])
  assert.equal(thread.author.name, 'Bob')
  assert.equal(thread.comments[0].body, 'Why a **fox**?')
  const replied = assertStatus(await ada.client.post(`/threads/by-id/${thread.id}/replies`, { body: 'Because.' }), 201)
  assert.deepEqual(
    replied.json.comments.map(({ author, body }: { author: { name: string }; body: string }) => [author.name, body]),
    [
      ['Bob', 'Why a **fox**?'],
      ['Ada', 'Because.'],
    ],
  )
  const [first, second] = replied.json.comments
  // The author of the thread has no role but that of a reader; another reader may not resolve it.
  const eve = await newPerson(admin, 'Eve')
  const resolve = (client: Client, verb = 'resolve') => client.post(`/threads/by-id/${thread.id}/${verb}`)
  assertProblem(await resolve(eve.client), 403, 'forbidden')
  const resolved = assertStatus(await resolve(bob.client), 200).json
  assert.deepEqual([resolved.state, resolved.resolvedBy.name], ['resolved', 'Bob'])
  assert.equal(assertStatus(await resolve(admin), 200).json.resolvedBy.name, 'Bob')
  assert.deepEqual((await admin.get('/threads/t1/plan?state=open')).json.items, [])
  assert.equal((await admin.get('/threads/t1/plan?state=resolved')).json.items.length, 1)
  assert.deepEqual(assertStatus(await resolve(admin, 'reopen'), 200).json.resolvedBy, null)
  // Only its author edits a comment; its author and admins delete it.
  assertProblem(await admin.patch(`/comments/${first.id}`, { body: 'Hm.' }), 403, 'forbidden')
  const edited = assertStatus(await bob.client.patch(`/comments/${first.id}`, { body: 'Why?' }), 200).json
  assert.deepEqual([edited.body, edited.thread, typeof edited.editedAt], ['Why?', thread.id, 'string'])
  assertProblem(await bob.client.delete(`/comments/${second.id}`), 403, 'forbidden')
  assertStatus(await admin.delete(`/comments/${second.id}`), 204)
  // That somebody else deleted it is in the audit log.
  const [entry] = (await admin.get('/admin/audit?action=comment.deleted')).json.items
  assert.deepEqual(entry.details, { id: second.id, author: 'Ada', path: 'plan' })
  assertProblem(await admin.delete(`/comments/${second.id}`), 404, 'not_found')
  assert.equal((await read(ada.client, thread.id)).comments.length, 1)
  assertStatus(await bob.client.delete(`/comments/${first.id}`), 204)
  assertProblem(await admin.get(`/threads/by-id/${thread.id}`), 404, 'not_found')
  assert.deepEqual(await threads(admin, 't1/plan'), [])
})

test('a quote is matched in the body as written, once, in the version that is named', async () => {
  await admin.space('t2')
  await admin.write('t2/plan', BODY)
  const at = (thread: object) => admin.post('/threads/t2/plan', { body: 'Hm.', ...thread })
  const { quote, place } = assertStatus(await at({ quote: { exact: '*quick* brown' } }), 201).json
  assert.deepEqual(place, { version: 1, startLine: 3, endLine: 3 })
  assert.deepEqual(quote, {
    exact: '*quick* brown',
    prefix: '# Plan\n\nThe ',
    suffix: ' fox jumps over the dog.\n\nA line',
  })
  assertProblem(await at({ quote: { exact: 'quick brown' } }), 400, 'quote_not_found')
  const ambiguous = assertProblem(await at({ quote: { exact: 'A line.' } }), 400, 'quote_ambiguous')
  assert.deepEqual(ambiguous.json.lines, [5, 7])
  const second = assertStatus(await at({ quote: { exact: 'A line.', prefix: 'A line.\n\n' } }), 201).json
  assert.deepEqual(second.place, { version: 1, startLine: 7, endLine: 7 })
  assertStatus(await admin.put('/pages/t2/plan', 'All new.\n', { 'if-match': '"1"' }), 200)
  assertProblem(await at({ quote: { exact: '# Plan' } }), 400, 'quote_not_found')
  const old = assertStatus(await at({ quote: { exact: '# Plan' }, version: 1 }), 201).json
  assert.deepEqual([old.place, old.outdated], [{ version: 1, startLine: 1, endLine: 1 }, false])
  assert.deepEqual([(await read(admin, old.id)).place, (await read(admin, old.id)).outdated], [null, true])
  assertProblem(await at({ quote: { exact: 'x' }, version: 9 }), 404, 'not_found')
  for (const quote of [{ exact: '' }, { exact: 'x'.repeat(1001) }, { exact: 'x', other: 1 }]) {
    assertProblem(await at({ quote }), 400, 'invalid_request')
  }
  for (const body of ['', ' \n', 'x'.repeat(10_001)]) {
    assertProblem(await at({ body }), 400, 'invalid_request')
  }
})

test('a passage keeps its place when the page is written, restored and moved', async () => {
  await admin.space('t3')
  await admin.space('t3-other')
  await admin.write('t3/plan', BODY)
  const { id } = await comment(admin, 't3/plan', { body: 'Which?', quote: { exact: '*quick* brown fox' } })
  const put = async (body: string, version: number) =>
    assertStatus(await admin.put('/pages/t3/plan', body, { 'if-match': `"${version}"` }), 200)
  await put(`Before.\n\n${BODY}`, 1)
  const place = async () => {
    const { place, outdated } = await read(admin, id)
    return outdated ? 'outdated' : [place.version, place.startLine]
  }
  assert.deepEqual(await place(), [2, 5])
  await put(`Before.\n\n${BODY.replace('jumps', 'leaps')}`, 2)
  assert.deepEqual(await place(), [3, 5])
  await put('Nothing of it.\n', 3)
  assert.deepEqual(await place(), 'outdated')
  assert.equal((await read(admin, id)).quote.exact, '*quick* brown fox')
  assertStatus(await admin.post('/pages/t3/plan/versions/2/make-latest'), 200)
  assert.deepEqual(await place(), [5, 5])
  assertStatus(await admin.post('/pages/t3/plan/move', { to: { path: 'dir/plan' } }, { 'if-match': '"5"' }), 200)
  assert.deepEqual((await read(admin, id)).subject, { kind: 'page', space: 't3', path: 'dir/plan' })
  assert.deepEqual(
    (await threads(admin, 't3/dir/plan')).map((each) => each.id),
    [id],
  )
  assertStatus(
    await admin.post('/pages/t3/dir/plan/move', { to: { space: 't3-other', path: 'plan' } }, { 'if-match': '"5"' }),
    200,
  )
  assert.deepEqual((await read(admin, id)).subject, { kind: 'page', space: 't3-other', path: 'plan' })
  // The trash hides it, and a purge deletes it.
  assertStatus(await admin.delete('/pages/t3-other/plan', { 'if-match': '*' }), 204)
  assertProblem(await admin.get(`/threads/by-id/${id}`), 404, 'not_found')
  assertStatus(await admin.post('/pages/t3-other/plan/restore'), 200)
  assert.equal((await read(admin, id)).comments.length, 1)
  assertStatus(await admin.delete('/pages/t3-other/plan?purge=true', { 'if-match': '*' }), 204)
  assertProblem(await admin.get(`/threads/by-id/${id}`), 404, 'not_found')
  const { rows } = await nodes.query('select count(*)::int as count from comment where thread_id = $1', [id])
  assert.equal(rows[0].count, 0)
})

test('files, change requests and their changes have threads', async () => {
  await admin.space('t4')
  await admin.write('t4/plan', BODY)
  assertStatus(await admin.put('/files/t4/plan', 'bytes'), 201)
  await comment(admin, 't4/plan', { body: 'Of the page.' })
  const file = await comment(admin, 't4/plan?resource=file', { body: 'Of the file.' })
  assert.deepEqual(file.subject, { kind: 'file', space: 't4', path: 'plan' })
  const bodies = async (url: string) => (await admin.all(url)).map(({ comments }) => comments[0].body)
  assert.deepEqual(await bodies('/threads/t4/plan'), ['Of the page.'])
  assert.deepEqual(await bodies('/threads/t4/plan?resource=file'), ['Of the file.'])
  assertProblem(
    await admin.post('/threads/t4/plan?resource=file', { body: 'x', quote: { exact: 'b' } }),
    400,
    'invalid_request',
  )
  assertStatus(
    await ada.client.put('/pages/t4/plan?changeRequest=new&title=Better', 'New.\n', { 'if-match': '"1"' }),
    202,
  )
  const request = '/spaces/t4/change-requests/1/threads'
  const whole = assertStatus(await bob.client.post(request, { body: 'All of it.' }), 201).json
  const change = assertStatus(await bob.client.post(request, { body: 'This.', path: 'plan' }), 201).json
  assert.deepEqual(whole.subject, { kind: 'changeRequest', space: 't4', number: 1 })
  assert.deepEqual(change.subject, { kind: 'change', space: 't4', number: 1, path: 'plan' })
  assertProblem(await bob.client.post(request, { body: 'This.', path: 'other' }), 404, 'not_found')
  assert.deepEqual(await bodies(request), ['All of it.', 'This.'])
  assert.deepEqual(await bodies(`${request}?path=plan`), ['This.'])
  assertProblem(await admin.get('/spaces/t4/change-requests/2/threads'), 404, 'not_found')
  // The thread stays when the change is withdrawn, and where it was decides who reads it.
  await nodes.query('delete from draft where space_id = (select id from space where slug = $1)', ['t4'])
  assert.deepEqual(await bodies(request), ['All of it.', 'This.'])
})

test('nobody reads or writes a thread about what they may not read', async () => {
  await admin.space('t5', { defaultRole: 'editor' })
  await admin.write('t5/hr/pay', BODY)
  await admin.write('t5/open', BODY)
  const rule = { read: [{ principal: ada.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/t5/rules/hr', { json: rule }), 201)
  const eve = await newPerson(admin, 'Eve 5')
  const hidden = await comment(ada.client, 't5/hr/pay', { body: 'Secret.' })
  assertStatus(await ada.client.put('/pages/t5/hr/pay?changeRequest=new&title=x', 'New.\n', { 'if-match': '"1"' }), 202)
  const request = '/spaces/t5/change-requests/1/threads'
  const change = assertStatus(await ada.client.post(request, { body: 'Secret.', path: 'hr/pay' }), 201).json
  const moved = await comment(ada.client, 't5/open', { body: 'Open.' })
  const unknown = randomUUID()
  const forms = (thread: string, comment: string): [string, string, object?][] => [
    ['GET', `/threads/by-id/${thread}`],
    ['POST', `/threads/by-id/${thread}/replies`, { body: 'x' }],
    ['POST', `/threads/by-id/${thread}/resolve`],
    ['POST', `/threads/by-id/${thread}/reopen`],
    ['PATCH', `/comments/${comment}`, { body: 'x' }],
    ['DELETE', `/comments/${comment}`],
  ]
  const answers = (client: Client, thread: string, comment: string) =>
    Promise.all(
      forms(thread, comment).map(async ([method, path, json]) => {
        const { status, json: problem } = await client.call(method, path, json ? { json } : {})
        return [status, problem.detail]
      }),
    )
  const none = await answers(eve.client, unknown, unknown)
  assert.ok(none.every(([status]) => status === 404))
  for (const { id, comments } of [hidden, change]) {
    assert.deepEqual(await answers(eve.client, id, comments[0].id), none)
  }
  assert.deepEqual((await eve.client.get(request)).json, { items: [], nextCursor: null })
  assert.deepEqual(
    (await eve.client.post('/threads/t5/hr/pay', { body: 'x' })).json.detail,
    (await eve.client.post('/threads/t5/hr/pay', { body: 'x' })).json.detail,
  )
  for (const path of ['hr/pay', 'hr/none']) {
    assertProblem(await eve.client.get(`/threads/t5/${path}`), 404, 'not_found')
    assertProblem(await eve.client.post(`/threads/t5/${path}`, { body: 'x' }), 404, 'not_found')
  }
  // What moves out of sight takes its threads with it.
  assert.equal((await read(eve.client, moved.id)).id, moved.id)
  assertStatus(await admin.post('/pages/t5/open/move', { to: { path: 'hr/open' } }, { 'if-match': '"1"' }), 200)
  assertProblem(await eve.client.get(`/threads/by-id/${moved.id}`), 404, 'not_found')
})

test('the scope `propose` comments, `read` does not, and a space says who does', async () => {
  await admin.space('t6', { defaultRole: 'viewer' })
  await admin.write('t6/plan', BODY)
  const reader = await newPerson(admin, 'Reader', { scopes: ['read'] })
  assertProblem(await reader.client.post('/threads/t6/plan', { body: 'x' }), 403, 'forbidden')
  const { id } = await comment(bob.client, 't6/plan', { body: 'x' })
  assertStatus(await reader.client.get(`/threads/by-id/${id}`), 200)
  assertProblem(await nodes.as(0, undefined).get(`/threads/by-id/${id}`), 401, 'unauthorized')
  const editor = await newPerson(admin, 'Editor', { scopes: ['propose'] })
  assertStatus(await admin.call('PUT', `/spaces/t6/members/${editor.id}`, { json: { role: 'editor' } }), 201)
  assert.equal(assertStatus(await admin.patch('/spaces/t6', { comments: 'editors' }), 200).json.comments, 'editors')
  assertProblem(await bob.client.post(`/threads/by-id/${id}/replies`, { body: 'x' }), 403, 'forbidden')
  assertStatus(await editor.client.post(`/threads/by-id/${id}/replies`, { body: 'x' }), 201)
  assertStatus(await admin.patch('/spaces/t6', { comments: 'off' }), 200)
  assertProblem(await admin.post('/threads/t6/plan', { body: 'x' }), 403, 'forbidden')
  assert.equal((await threads(bob.client, 't6/plan')).length, 1)
})

test('a repeated request with one Idempotency-Key comments once, and numbers are limited', async () => {
  await admin.space('t7')
  await admin.write('t7/plan', BODY)
  const key = { 'idempotency-key': randomUUID() }
  const [once, again] = [
    await admin.post('/threads/t7/plan', { body: 'x' }, key),
    await admin.post('/threads/t7/plan', { body: 'x' }, key),
  ]
  assert.equal(assertStatus(once, 201).json.id, assertStatus(again, 201).json.id)
  const { id } = once.json
  await nodes.query(
    `insert into comment (space_id, thread_id, id, author_id, body, created_at)
     select space_id, thread_id, gen_random_uuid(), author_id, body, created_at from comment, generate_series(1, 499) where thread_id = $1`,
    [id],
  )
  assertProblem(await admin.post(`/threads/by-id/${id}/replies`, { body: 'x' }), 409, 'too_many_comments')
  await nodes.query(
    `insert into thread (space_id, id, page_id, author_id, created_at, updated_at)
     select space_id, gen_random_uuid(), page_id, author_id, created_at, updated_at from thread, generate_series(1, 998) where id = $1`,
    [id],
  )
  const answers = await Promise.all([1, 2, 3].map((n) => admin.post('/threads/t7/plan', { body: `${n}` })))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409])
  assert.equal((await threads(admin, 't7/plan')).length, 1000)
})

test('search finds pages with comments, and those that somebody has commented on', async () => {
  await admin.space('t8', { defaultRole: 'editor' })
  for (const path of ['one', 'two', 'three']) await admin.write(`t8/${path}`, 'zebra')
  await comment(ada.client, 't8/one', { body: 'x' })
  await comment(bob.client, 't8/two', { body: 'x' })
  const find = async (client: Client, q: string) => {
    const query = `q=${encodeURIComponent(`zebra ${q}`)}&space=t8`
    const { items } = assertStatus(await client.get(`/search?${query}`), 200).json
    return items.map(({ path }: { path: string }) => path).toSorted()
  }
  assert.deepEqual(await find(admin, 'has:comments'), ['one', 'two'])
  assert.deepEqual(await find(admin, '-has:comments'), ['three'])
  assert.deepEqual(await find(admin, 'commented-by:ada'), ['one'])
  assert.deepEqual(await find(admin, 'commented-by:"Ada"'), ['one'])
  assert.deepEqual(await find(bob.client, 'commented-by:me'), ['two'])
  assert.deepEqual(await find(bob.client, '-commented-by:me'), ['one', 'three'])
})

test('a page of a list of long threads ends early, and the next one goes on', async () => {
  await admin.space('t9')
  await admin.write('t9/plan', BODY)
  const { id } = await comment(admin, 't9/plan', { body: 'x'.repeat(10_000) })
  await nodes.query(
    `insert into comment (space_id, thread_id, id, author_id, body, created_at)
     select space_id, thread_id, gen_random_uuid(), author_id, body, created_at from comment, generate_series(1, 80) where thread_id = $1`,
    [id],
  )
  await nodes.query(
    `with copy as (insert into thread (space_id, id, page_id, author_id, created_at, updated_at)
       select space_id, gen_random_uuid(), page_id, author_id, created_at + n * interval '1 second', updated_at
       from thread, generate_series(1, 5) n where id = $1 returning space_id, id)
     insert into comment (space_id, thread_id, id, author_id, body, created_at)
     select copy.space_id, copy.id, gen_random_uuid(), author_id, body, created_at from copy cross join comment where thread_id = $1`,
    [id],
  )
  const first = assertStatus(await admin.get('/threads/t9/plan?limit=3'), 200)
  assert.deepEqual(
    first.json.items.map((each: { id: string }) => each.id),
    [id],
  )
  assert.ok(first.text.length < 2 ** 20)
  const all = await threads(admin, 't9/plan')
  assert.deepEqual([all.length, new Set(all.map((each) => each.id)).size], [6, 6])
  assert.ok(all.every(({ comments }) => comments.length === 81))
})

test('an agent comments, replies, resolves and lists, in results of bounded length', async () => {
  await admin.space('t10', { defaultRole: 'editor' })
  await admin.write('t10/plan', BODY)
  await using agent = await connectAgent(admin.base, bob.key)
  const at = { space: 't10', path: 'plan' }
  const { id } = await agent.data('context_comment', { ...at, body: 'Why?', quote: { exact: '*quick* brown' } })
  await agent.data('context_comment', { thread: id, body: 'y'.repeat(10_000) })
  for (let n = 0; n < 3; n++) await agent.data('context_comment', { thread: id, body: `${n}`.repeat(10_000) })
  const resolved = await agent.data('context_comment', { thread: id, resolve: true })
  assert.deepEqual([resolved.state, resolved.comments.length, resolved.earlierComments], ['resolved', 2, 3])
  assert.deepEqual((await agent.data('context_list_comments', { ...at, state: 'open' })).items, [])
  const { items } = await agent.data('context_list_comments', at)
  assert.deepEqual([items[0].id, items[0].place.startLine], [id, 3])
  assert.ok(JSON.stringify(items).length < 10_000)
  assert.equal((await read(admin, id)).comments.length, 5)
  await agent.rejected('invalid_request', 'context_comment', { thread: id })
  await agent.rejected('invalid_request', 'context_comment', { body: 'x' })
  await agent.rejected('not_found', 'context_comment', { space: 't10', path: 'none', body: 'x' })
})
