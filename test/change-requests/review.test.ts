import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { png, putBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'

let nodes: Nodes
let admin: Client
let owner: Awaited<ReturnType<typeof signIn>>
let author: Person
let editor: Person
let other: Person
let agent: Person
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  const chief = await newPerson(admin, 'chief', { role: 'admin' })
  owner = await signIn(chief.key)
  author = await newPerson(admin, 'author')
  editor = await newPerson(admin, 'editor')
  other = await newPerson(admin, 'other')
  agent = await newPerson(admin, 'checker', { kind: 'agent', scopes: ['propose'] })
})
after(() => nodes[Symbol.asyncDispose]())

/** The calls of somebody who is signed in with a browser. */
async function signIn(key: string) {
  const client = new Client(admin.base, undefined)
  const cookie = sessionCookieOf(assertStatus(await sendForm(client, '/sign-in', { key }), 303))
  const csrf = deriveCsrfToken(cookie.split('=')[1] ?? '')
  const headers = { cookie, 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' }
  return {
    patch: (path: string, json: unknown) => client.call('PATCH', path, { json, headers }),
    post: (path: string, json: unknown, more: Record<string, string>) =>
      client.call('POST', path, { json, headers: { ...headers, ...more } }),
  }
}

const DIRECT = { people: 'direct', agents: 'direct', keys: 'people' }

/** A space where the people are editors, with a request of the author that changes `a` and creates `hr/b`. */
async function prepare(space: string, review: object = {}) {
  await admin.space(space, { visibility: 'private' })
  for (const { id } of [author, editor, other]) {
    assertStatus(await admin.call('PUT', `/spaces/${space}/members/${id}`, { json: { role: 'editor' } }), 201)
  }
  assertStatus(await admin.call('PUT', `/spaces/${space}/members/${agent.id}`, { json: { role: 'viewer' } }), 201)
  assertStatus(await admin.put(`/pages/${space}/a`, 'one\n'), 201)
  if (Object.keys(review).length > 0) assertStatus(await owner.patch(`/spaces/${space}`, { review }), 200)
  const one = { 'if-match': '"1"' }
  assertStatus(await author.client.put(`/pages/${space}/a?changeRequest=new&title=Words`, 'two\n', one), 202)
  assertStatus(await author.client.put(`/pages/${space}/hr/b?changeRequest=1`, 'new\n'), 202)
  const url = `/spaces/${space}/change-requests/1`
  const read = async (client = admin) => assertStatus(await client.get(url), 200).json
  const send = async (client: Pick<Client, 'post'>, action: string, body: object) =>
    client.post(`${url}/${action}`, body, { 'if-match': (await read()).etag })
  return { url, read, send }
}

const statuses = ({ checks }: { checks: { name: string; status: string }[] }) =>
  Object.fromEntries(checks.map(({ name, status }) => [name, status]))

test('a merge needs approvals of what is there now, by others than its authors', async () => {
  const { url, read, send } = await prepare('r1', { approvals: 1 })
  const blocked = assertProblem(await send(editor.client, 'merge', {}), 409, 'merge_blocked')
  assert.deepEqual(blocked.json.checks[0].paths, ['a', 'hr/b'])
  assertProblem(await editor.client.post(`${url}/reviews`, { verdict: 'approve' }), 428, 'precondition_required')
  const stale = { 'if-match': '"1"' }
  assertProblem(await editor.client.post(`${url}/reviews`, { verdict: 'approve' }, stale), 412, 'precondition_failed')
  assertProblem(await send(author.client, 'reviews', { verdict: 'approve' }), 403, 'forbidden')
  assertProblem(await send(agent.client, 'reviews', { verdict: 'approve' }), 403, 'forbidden')
  const commented = assertStatus(await send(agent.client, 'reviews', { verdict: 'comment', body: 'Hm' }), 200).json
  assert.deepEqual(
    commented.reviews.map(
      ({ author: by, verdict, body }: { author: { id: string }; verdict: string; body: string }) => [
        by.id,
        verdict,
        body,
      ],
    ),
    [[agent.id, 'comment', 'Hm']],
  )
  const approved = assertStatus(await send(editor.client, 'reviews', { verdict: 'approve' }), 200).json
  assert.deepEqual(statuses(approved), { conflicts: 'passed', approvals: 'passed', links: 'passed' })
  assert.equal(approved.mergeable, true)
  assert.equal(approved.etag, commented.etag)
  // Who changes a draft makes the approval of it stale.
  assertStatus(await author.client.put('/pages/r1/a?changeRequest=1', 'three\n', { 'if-match': '"draft-1-1"' }), 202)
  const changed = await read()
  assert.deepEqual(changed.checks[1].paths, ['a'])
  assert.equal(changed.reviews.at(-1).stale, true)
  assert.equal(changed.mergeable, false)
  // The other change is approved still, and can be merged alone.
  assertStatus(await send(other.client, 'merge', { paths: ['hr/b'] }), 200)
  assertProblem(await send(other.client, 'merge', {}), 409, 'merge_blocked')
  assertStatus(await send(other.client, 'reviews', { verdict: 'requestChanges' }), 200)
  assertStatus(await send(editor.client, 'reviews', { verdict: 'approve' }), 200)
  assertProblem(await send(editor.client, 'merge', {}), 409, 'merge_blocked')
  assertStatus(await send(other.client, 'reviews', { verdict: 'approve' }), 200)
  // Who is no editor any more does not approve.
  const roles = (role: string) => admin.call('PUT', `/spaces/r1/members/${editor.id}`, { json: { role } })
  assertStatus(await owner.patch('/spaces/r1', { review: { approvals: 2 } }), 200)
  assert.equal((await read()).mergeable, true)
  assertStatus(await roles('viewer'), 200)
  assert.equal((await read()).mergeable, false)
  assertStatus(await roles('editor'), 200)
  assert.equal(assertStatus(await send(editor.client, 'merge', {}), 200).json.state, 'merged')
  assertProblem(await send(editor.client, 'reviews', { verdict: 'comment' }), 409, 'change_request_closed')
})

test('owners approve their pages; where the author is the only one, an admin does', async () => {
  const hr = { path: '/hr', principals: [other.id], groups: [] }
  const { read, send } = await prepare('r2', { owners: [{ path: '*', principals: [editor.id], groups: [] }, hr] })
  assertStatus(await send(editor.client, 'reviews', { verdict: 'approve' }), 200)
  assert.deepEqual((await read()).checks[1].paths, ['hr/b'])
  assertStatus(await send(other.client, 'reviews', { verdict: 'approve' }), 200)
  assert.equal((await read()).mergeable, true)
  const rules = { owners: [{ ...hr, principals: [author.id] }] }
  assertStatus(await owner.patch('/spaces/r2', { review: rules }), 200)
  assert.deepEqual((await read()).checks[1].paths, ['hr/b'])
  assertStatus(await send(admin, 'reviews', { verdict: 'approve' }), 200)
  assert.equal((await read()).mergeable, true)
  // A move is approved by the owners of both places.
  const both = { owners: [hr, { path: '/a', principals: [editor.id], groups: [] }] }
  assertStatus(await owner.patch('/spaces/r2', { review: both }), 200)
  const draft = { 'if-match': '"draft-1-1"' }
  assertStatus(await author.client.post('/pages/r2/a/move?changeRequest=1', { to: { path: 'hr/a' } }, draft), 202)
  assertStatus(await send(editor.client, 'reviews', { verdict: 'approve' }), 200)
  assert.deepEqual((await read()).checks[1].paths, ['hr/a'])
  assertStatus(await send(other.client, 'reviews', { verdict: 'approve' }), 200)
  assert.equal((await read()).mergeable, true)
  assertStatus(await owner.patch('/spaces/r2', { review: rules }), 200)
  // Their patterns are for admins alone.
  assert.deepEqual((await admin.get('/spaces/r2')).json.review, { ...DIRECT, approvals: 0, checks: [], ...rules })
  assert.deepEqual((await editor.client.get('/spaces/r2')).json.review, { ...DIRECT, approvals: 0, checks: [] })
})

test('checks that the space names have to be passed, for the changes as they are', async () => {
  const { url, read, send } = await prepare('r3', { checks: ['spelling'] })
  assert.deepEqual(statuses(await read()), {
    conflicts: 'passed',
    approvals: 'passed',
    spelling: 'pending',
    links: 'passed',
  })
  assertProblem(await send(editor.client, 'merge', {}), 409, 'merge_blocked')
  const passed = { name: 'spelling', status: 'passed', url: 'https://ci.example.org/7' }
  assertProblem(await agent.client.post(`${url}/checks`, passed), 428, 'precondition_required')
  assertProblem(await send(agent.client, 'checks', { ...passed, name: 'approvals' }), 400, 'invalid_request')
  assertProblem(await send(agent.client, 'checks', { ...passed, url: 'javascript:alert(1)' }), 400, 'invalid_request')
  assert.equal(statuses(assertStatus(await send(author.client, 'checks', passed), 200).json).spelling, 'pending')
  assertStatus(await send(agent.client, 'checks', { ...passed, status: 'failed', details: 'teh' }), 200)
  assertProblem(await send(editor.client, 'merge', {}), 409, 'merge_blocked')
  const { checks, mergeable } = assertStatus(await send(agent.client, 'checks', passed), 200).json
  assert.equal(checks[2].url, passed.url)
  assert.equal(mergeable, true)
  assertStatus(await author.client.put('/pages/r3/c?changeRequest=1', 'more\n'), 202)
  assert.equal(statuses(await read()).spelling, 'pending')
})

test('what a reader cannot read is in no check and no approval that they see', async () => {
  const { url } = await prepare('r4', { approvals: 1 })
  const rule = { read: [{ principal: author.id }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/r4/rules/hr', { json: rule }), 201)
  const seen = assertStatus(await editor.client.get(url), 200).json
  assert.deepEqual(seen.checks[1].paths, ['a'])
  const verdict = { verdict: 'approve' }
  const approval = await editor.client.post(`${url}/reviews`, verdict, { 'if-match': seen.etag })
  const approved = assertStatus(approval, 200).json
  assert.equal(approved.mergeable, true)
  assert.equal(approved.reviews[0].stale, false)
  const whole = assertStatus(await admin.get(url), 200).json
  assert.deepEqual(whole.checks[1].paths, ['hr/b'])
  assert.equal(whole.reviews[0].stale, true)
})

test('readers of the space are told what happens to a request', async () => {
  const { read, send, url } = await prepare('r7')
  const stranger = await newPerson(admin, 'r7-stranger')
  assertStatus(await send(editor.client, 'reviews', { verdict: 'requestChanges' }), 200)
  assertStatus(await editor.client.post(`${url}/close`, {}), 403)
  assertStatus(await author.client.post(`${url}/close`, {}), 200)
  assertStatus(await author.client.post(`${url}/reopen`, {}), 200)
  assertStatus(await send(editor.client, 'merge', {}), 200)
  const kinds = ['opened', 'updated', 'reviewed', 'merged', 'closed'].map((what) => `changeRequest.${what}`).join(',')
  const ofSpace = async (client: Client) => {
    const { json: feed } = assertStatus(await client.get(`/changes?limit=200&kinds=${kinds}`), 200)
    return (feed.items as { event: string; changeRequest: { space: string } }[]).filter(
      (event) => event.changeRequest.space === 'r7',
    )
  }
  await until(async () => (await ofSpace(editor.client)).length === 7)
  const told = await ofSpace(editor.client)
  assert.deepEqual(
    told.map(({ event }) => event.split('.')[1]),
    ['opened', 'updated', 'updated', 'reviewed', 'closed', 'opened', 'merged'],
  )
  const request = { space: 'r7', number: 1, url: (await read()).url, title: 'Words', state: 'merged' }
  assert.deepEqual(told.at(-1)?.changeRequest, request)
  assert.deepEqual(await ofSpace(stranger.client), [])
})

test('hidden drafts neither keep a request open nor are told of, and those who can read them merge them later', async () => {
  const { url, read, send } = await prepare('r10')
  const rule = { read: [{ principal: author.id }], write: [{ principal: author.id }] }
  assertStatus(await admin.call('PUT', '/spaces/r10/rules/hr', { json: rule }), 201)
  const countTold = async (client: Client, what: string) => {
    const { items } = (await client.get(`/changes?space=r10&limit=200&kinds=changeRequest.${what}`)).json
    return items.length
  }
  // The second draft of `prepare`.
  await until(async () => (await countTold(editor.client, 'updated')) === 1)
  const draft = { 'if-match': '"draft-1-1"' }
  assertStatus(await author.client.put('/pages/r10/hr/b?changeRequest=1', 'newer\n', draft), 202)
  assertStatus(await author.client.post('/pages/r10/a/move?changeRequest=1', { to: { path: 'hr/a' } }, draft), 202)
  assertStatus(
    await author.client.post(
      '/pages/r10/hr/a/move?changeRequest=1',
      { to: { path: 'c' } },
      { 'if-match': '"draft-1-2"' },
    ),
    202,
  )
  // Events come when no transaction before them runs any more.
  await until(async () => (await countTold(author.client, 'updated')) === 3)
  assert.equal(await countTold(editor.client, 'updated'), 1)
  const merged = assertStatus(
    await editor.client.post(`${url}/merge`, {}, { 'if-match': (await read(editor.client)).etag }),
    200,
  ).json
  assert.deepEqual([merged.state, merged.merged.map(({ path }: { path: string }) => path)], ['merged', ['c']])
  assert.deepEqual([(await read(editor.client)).changes, (await read(editor.client)).mergeable], [1, false])
  const whole = await read()
  assert.deepEqual([whole.state, whole.changes, whole.mergeable], ['merged', 2, true])
  assertProblem(await author.client.put('/pages/r10/d?changeRequest=1', 'd\n'), 409, 'change_request_closed')
  const rest = assertStatus(await send(admin, 'merge', {}), 200).json
  assert.deepEqual(
    rest.merged.map(({ path }: { path: string }) => path),
    ['hr/b'],
  )
  assert.equal((await author.client.get('/pages/r10/hr/b.md')).text, 'newer\n')
  assert.equal(assertStatus(await send(admin, 'merge', {}), 200).json.merged.length, 2)
  await until(async () => (await countTold(author.client, 'merged')) === 1)
  assert.equal(await countTold(editor.client, 'merged'), 1)
})

test('a key that only proposes updates the drafts of its own request', async () => {
  await admin.space('r11', { defaultRole: 'editor' })
  assertStatus(await admin.put('/pages/r11/a', 'a\n\nb\n'), 201)
  const one = { 'if-match': '"1"' }
  assertStatus(await agent.client.put('/pages/r11/a?changeRequest=new&title=Own', 'A\n\nb\n', one), 202)
  assertStatus(await other.client.put('/pages/r11/a?changeRequest=new&title=Other', 'a\n\nX\n', one), 202)
  assertStatus(await admin.put('/pages/r11/a', 'a\n\nB\n', one), 200)
  const update = async (number: number) => {
    const url = `/spaces/r11/change-requests/${number}`
    return agent.client.post(`${url}/update`, {}, { 'if-match': (await agent.client.get(url)).json.etag })
  }
  assertStatus(await update(1), 200)
  assert.equal((await agent.client.get('/pages/r11/a.md?changeRequest=1')).text, 'A\n\nB\n')
  assertProblem(await update(2), 403, 'forbidden')
})

test('reviewers are asked for, and found by', async () => {
  const { url } = await prepare('r5')
  const stranger = await newPerson(admin, 'stranger')
  const request = { title: 'Empty', reviewers: [editor.id, other.id] }
  const made = assertStatus(await author.client.post('/spaces/r5/change-requests', request), 201).json
  assert.deepEqual(made.reviewers.map(({ id }: { id: string }) => id).toSorted(), [editor.id, other.id].toSorted())
  const find = async (query: string) =>
    assertStatus(await editor.client.get(`/change-requests?space=r5&${query}`), 200).json.items.map(
      ({ title }: { title: string }) => title,
    )
  assert.deepEqual(await find('reviewer=me'), ['Empty'])
  assert.deepEqual(await find('reviewer=nobody'), [])
  const etag = { 'if-match': (await author.client.get(url)).json.etag }
  assertProblem(await author.client.patch(url, { reviewers: [stranger.id] }, etag), 400, 'invalid_request')
  assertProblem(await author.client.patch(url, { reviewers: ['ada'] }, etag), 400, 'invalid_request')
  assertStatus(await author.client.patch(url, { reviewers: [editor.id] }, etag), 200)
  assert.deepEqual(await find('reviewer=me'), ['Words', 'Empty'])
})

test('an admin of the space says who proposes, and in person what a merge needs', async () => {
  const { send } = await prepare('r6')
  assertProblem(await admin.patch('/spaces/r6', { review: { approvals: 1 } }), 403, 'forbidden')
  const nobody = { owners: [{ path: 'a', principals: ['00000000-0000-4000-8000-000000000000'], groups: [] }] }
  assertProblem(await owner.patch('/spaces/r6', { review: nobody }), 400, 'invalid_request')
  assertProblem(await owner.patch('/spaces/r6', { review: { approvals: 6 } }), 400, 'invalid_request')
  const noId = { owners: [{ path: 'a', principals: ['ada'], groups: [] }] }
  assertProblem(await owner.patch('/spaces/r6', { review: noId }), 400, 'invalid_request')
  const set = async (proposals: string) => {
    const { json: space } = assertStatus(await admin.patch('/spaces/r6', { proposals }), 200)
    assert.equal(space.proposals, proposals)
  }
  const open = (client: Client) => client.post('/spaces/r6/change-requests', { title: 'Mine' })
  assertStatus(await open(agent.client), 201)
  await set('editors')
  assertProblem(await open(agent.client), 403, 'forbidden')
  assertStatus(await open(author.client), 201)
  await set('off')
  assertProblem(await open(author.client), 403, 'forbidden')
  assertStatus(await send(editor.client, 'merge', {}), 200)
})

test('the links that a merge would break are a check, of the pages that its reader can read', async () => {
  await admin.space('r9', { defaultRole: 'editor' })
  const bodies = {
    gone: 'g',
    kept: 'k',
    a: '[g](./gone) [x](./missing)\n',
    b: '[k](./kept)\n',
    'hr/c': '[g](../gone)\n',
    d: '![](i.png)\n',
  }
  for (const [path, body] of Object.entries({ ...bodies, mended: '[g](./gone)\n' })) {
    assertStatus(await admin.put(`/pages/r9/${path}`, body), 201)
  }
  assertStatus(await putBytes(admin, '/files/r9/i.png', png(2, 2)), 201)
  assertStatus(await admin.call('PUT', '/spaces/r9/rules/hr', { json: { read: [], write: [] } }), 201)
  assertStatus(await admin.post('/spaces/r9/change-requests', { title: 'Tidy' }), 201)
  const url = '/spaces/r9/change-requests/1'
  const linksOf = async (client = admin) => {
    const { checks, mergeable } = assertStatus(await client.get(url), 200).json
    assert.equal(mergeable, true)
    return checks.find(({ name }: { name: string }) => name === 'links')
  }
  const one = { 'if-match': '"1"' }
  assert.deepEqual(await linksOf(), { name: 'links', status: 'passed', required: false, details: '' })
  assertStatus(await admin.delete('/pages/r9/gone?changeRequest=1', one), 202)
  assertStatus(await admin.delete('/files/r9/i.png?changeRequest=1', one), 202)
  assertStatus(await admin.put('/pages/r9/b?changeRequest=1', '[k](./kept) [new](./nowhere)\n', one), 202)
  assertStatus(await admin.put('/pages/r9/mended?changeRequest=1', 'nothing\n', one), 202)
  const check = await linksOf()
  assert.deepEqual([check.status, check.paths], ['failed', ['a', 'b', 'd', 'hr/c']])
  assert.deepEqual((await linksOf(other.client)).paths, ['a', 'b', 'd'])
  assertStatus(await admin.post('/pages/r9/kept/move?changeRequest=1', { to: { path: 'gone' } }, one), 202)
  assert.deepEqual((await linksOf()).paths, ['b', 'd'])
})
