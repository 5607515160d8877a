import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { deleteOldNotifications } from '../../packages/server/src/content/notifications/store.ts'
import { tellDue } from '../../packages/server/src/content/notifications/store-fan-out.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { autocommit, createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { readInbox, watchInboxes } from '../support/inbox.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'
import { holdSweep } from '../support/sweeps.ts'
import { formsIn, linksIn, openWebSession } from '../support/web-session.ts'

// The inbox: who is told of what, and why (decisions, section 15).

let nodes: Nodes
let admin: Client
let ada: Person
let bob: Person
let allTold: () => Promise<void>
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
  ada = await newPerson(admin, 'Ada')
  bob = await newPerson(admin, 'Bob')
  allTold = await watchInboxes(admin)
})
after(() => nodes[Symbol.asyncDispose]())

const watch = async (client: Client, what: string) => assertStatus(await client.call('PUT', `/me/watches/${what}`), 204)
const unwatch = async (client: Client, what: string) => assertStatus(await client.delete(`/me/watches/${what}`), 204)
const comment = async (client: Client, page: string, body: string): Promise<string> =>
  assertStatus(await client.post(`/threads/${page}`, { body }), 201).json.id
const reply = async (client: Client, thread: string, body: string) =>
  assertStatus(await client.post(`/threads/by-id/${thread}/replies`, { body }), 201)
const mention = (person: Person) => `[@${person.name}](/people/${person.id})`
/** Their inbox about one space, once they have been told of everything. */
const inbox = async ({ client }: Person, space: string, query = '') => {
  await allTold()
  return (await readInbox(client, query)).filter((line) => line.replace('thread ', '').startsWith(space))
}

test('who watches a page, a folder or a space is told of it, once for each page, and never of what they do', async () => {
  await admin.space('n1', { defaultRole: 'editor' })
  await watch(ada.client, 'n1/docs/plan')
  await admin.write('n1/docs/plan', 'One.\n')
  await watch(ada.client, 'n1/docs/plan')
  await allTold()
  await watch(bob.client, 'n1')
  await admin.write('n1/other', 'One.\n')
  for (const body of ['Two.\n', 'Three.\n']) await admin.write('n1/docs/plan', body)
  assert.deepEqual(await inbox(bob, 'n1'), [
    'n1/docs/plan: watching page.updated 2 Admin',
    'n1/other: watching page.created 1 Admin',
  ])
  await bob.client.write('n1/docs/plan', 'Four.\n')
  assert.deepEqual(await inbox(ada, 'n1'), ['n1/docs/plan: watching page.updated 4 Bob'])
  assert.equal((await inbox(bob, 'n1')).length, 2)
  // The page is where it is now.
  const move = { to: { space: 'n1', path: 'moved' } }
  assertStatus(await admin.post('/pages/n1/docs/plan/move', move, { 'if-match': '*' }), 200)
  assert.deepEqual(await inbox(ada, 'n1'), ['n1/moved: watching page.moved 5 Admin'])
  await unwatch(ada.client, 'n1/moved')
  await admin.write('n1/moved', 'Five.\n')
  assert.deepEqual(await inbox(ada, 'n1'), ['n1/moved: watching page.moved 5 Admin'])
  assert.deepEqual(
    (await ada.client.all('/me/watches')).map(({ subject, muted }) => [subject.kind, subject.path, muted]),
    [
      ['page', 'moved', true],
      ['folder', 'docs/plan', false],
    ],
  )
})

test('what was written before one watches is not counted, also where both are told of at once', async () => {
  await admin.space('n8')
  // The feed waits for an older transaction, which may have written something.
  const older = new pg.Client(nodes.connection)
  await older.connect()
  await older.query('begin; select pg_current_xact_id()')
  for (const body of ['One.\n', 'Two.\n']) await admin.write('n8/plan', body)
  await watch(bob.client, 'n8/plan')
  await admin.write('n8/plan', 'Three.\n')
  await older.query('commit')
  await older.end()
  assert.deepEqual(await inbox(bob, 'n8'), ['n8/plan: watching page.updated 1 Admin'])
})

test('a page tells whom it mentions, once, who can read it then', async () => {
  await admin.space('m1', { visibility: 'private' })
  const [eve, fay] = [await newPerson(admin, 'Eve'), await newPerson(admin, 'Fay')]
  const join = { json: { role: 'viewer' } }
  assertStatus(await admin.call('PUT', `/spaces/m1/members/${eve.id}`, join), 201)
  await admin.write('m1/plan', `Ask ${mention(eve)} and ${mention(fay)}, [@Eve](${admin.base}/people/${eve.id}).\n`)
  assert.deepEqual(await inbox(eve, 'm1'), ['m1/plan: mention page.created 1 Admin'])
  await admin.write('m1/plan', `Ask ${mention(eve)} and ${mention(fay)}. Now.\n`)
  assert.deepEqual(await inbox(eve, 'm1'), ['m1/plan: mention page.created 1 Admin'])
  assertStatus(await admin.call('PUT', `/spaces/m1/members/${fay.id}`, join), 201)
  assert.deepEqual(await inbox(fay, 'm1'), [])
  await admin.write('m1/plan', `Ask ${mention(fay)}.\n`)
  assert.deepEqual(await inbox(fay, 'm1'), ['m1/plan: mention page.updated 1 Admin'])
})

test('a thread tells its participants, the authors of the page and its watchers; a mention comes through a mute', async () => {
  await admin.space('n2', { defaultRole: 'editor' })
  const [cid, dan] = [await newPerson(admin, 'Cid'), await newPerson(admin, 'Dan')]
  await ada.client.write('n2/plan', 'One.\n')
  const thread = await comment(bob.client, 'n2/plan', 'Why?')
  await reply(cid.client, thread, `Ask ${mention(dan)} and ${mention(cid)}.`)
  assert.deepEqual(await inbox(ada, 'n2'), ['thread n2/plan: author comment.created 2 Cid'])
  assert.deepEqual(await inbox(bob, 'n2'), ['thread n2/plan: thread comment.created 1 Cid'])
  assert.deepEqual(await inbox(cid, 'n2'), [])
  assert.deepEqual(await inbox(dan, 'n2'), ['thread n2/plan: mention comment.created 1 Cid'])
  await unwatch(ada.client, 'n2/plan')
  await unwatch(bob.client, `by-id/${thread}`)
  await reply(cid.client, thread, 'Nothing new.')
  assert.deepEqual(await inbox(ada, 'n2'), ['thread n2/plan: author comment.created 2 Cid'])
  assert.deepEqual(await inbox(bob, 'n2'), ['thread n2/plan: thread comment.created 1 Cid'])
  const { json } = await reply(cid.client, thread, `Now ${mention(ada)}.`)
  assert.deepEqual(await inbox(ada, 'n2'), ['thread n2/plan: mention comment.created 3 Cid'])
  // An edit mentions whom the comment did not before.
  const last = json.comments.at(-1).id
  assertStatus(await cid.client.patch(`/comments/${last}`, { body: `Now ${mention(ada)} and ${mention(bob)}.` }), 200)
  assert.deepEqual(await inbox(ada, 'n2'), ['thread n2/plan: mention comment.created 3 Cid'])
  assert.deepEqual(await inbox(bob, 'n2'), ['thread n2/plan: mention comment.updated 2 Cid'])
  assertStatus(await cid.client.post(`/threads/by-id/${thread}/resolve`), 200)
  assertStatus(await cid.client.post(`/threads/by-id/${thread}/resolve`), 200)
  assert.deepEqual(
    (await admin.get('/changes?space=n2&kinds=comment.created,comment.updated,thread.resolved')).json.items.map(
      ({ event, comment: said, thread: about }: Record<string, { thread?: string; id: string; path: string }>) => [
        event,
        said?.thread ?? about?.id,
        (said ?? about)?.path,
      ],
    ),
    [...Array(4).fill('comment.created'), 'comment.updated', 'thread.resolved'].map((kind) => [kind, thread, 'plan']),
  )
})

test('notifications are read, unread again by a newer event, and counted', async () => {
  await admin.space('n3')
  const cid = await newPerson(admin, 'Cid')
  await watch(cid.client, 'n3')
  for (const page of ['a', 'b', 'c']) await admin.write(`n3/${page}`, 'One.\n')
  await allTold()
  const count = async () => assertStatus(await cid.client.get('/me/notifications/count'), 200).json.unread
  assert.equal(await count(), 3)
  const [first, second] = await cid.client.all('/me/notifications?limit=2')
  assert.deepEqual([first.title, first.url, first.readAt], ['c', `${admin.base}/pages/n3/c`, null])
  const mark = (json: object) => cid.client.patch('/me/notifications', json)
  assert.equal(assertStatus(await mark({ ids: [first.id, second.id], read: true }), 200).json.unread, 1)
  assert.deepEqual(await inbox(cid, 'n3', '?unread=true'), ['n3/a: watching page.created 1 Admin'])
  await admin.write('n3/c', 'Two.\n')
  assert.equal((await inbox(cid, 'n3'))[0], 'n3/c: watching page.updated 1 Admin')
  // What came after `before` stays unread.
  assert.equal(assertStatus(await mark({ all: true, before: second.at, read: true }), 200).json.unread, 1)
  assert.equal(assertStatus(await mark({ ids: [second.id], read: false }), 200).json.unread, 2)
  assert.equal(assertStatus(await mark({ all: true, read: true }), 200).json.unread, 0)
  for (const json of [
    { read: true, all: true, before: 'soon' },
    { read: true },
    { read: true, all: true, ids: [first.id] },
    { read: true, ids: [] },
  ])
    assertProblem(await mark(json), 400, 'invalid_request')
  // Those of others are not there.
  assertStatus(await bob.client.patch('/me/notifications', { ids: [first.id], read: false }), 200)
  assert.equal(await count(), 0)
})

test('the inbox is a screen without script: it leads to what it is about, marks, and watches', async () => {
  await admin.space('n7', { name: 'Seven' })
  const cid = await newPerson(admin, 'Cid')
  await admin.write('n7/guide/plan', '# The plan\n')
  const web = await openWebSession(admin.base, cid.key)
  const press = async (url: string, action: RegExp) => {
    const form = formsIn((await web.get(url)).text).find((each) => action.test(each.action))
    assert.ok(form, url)
    const { status, location } = await web.send({ ...form, fields: [...form.fields, ['on', 'yes']] })
    assert.equal(status, 303)
    return location
  }
  assert.equal(await press('/watch/n7/guide/plan', /^\/watch/), '/pages/n7/guide/plan')
  assert.equal(await press('/browse/n7?prefix=guide/', /^\/watch/), '/browse/n7?prefix=guide%2F')
  assert.match((await web.get('/watch/n7/guide/plan')).text, /You watch this/)
  assert.match((await web.get('/fragments/star/n7/guide/plan')).text, /Watching: you are told of changes/)
  await admin.write('n7/guide/plan', '# The plan\n\nMore.\n')
  await admin.write('n7/guide/new', '# New\n')
  await allTold()
  const { text } = await web.get('/inbox?unread=yes')
  assert.match(text, /Admin changed the page · <bdi>n7<\/bdi> · you watch it/)
  const url = linksIn(text).find((href) => href.startsWith('/inbox/')) ?? ''
  assert.equal((await web.get(url)).location, '/pages/n7/guide/new')
  assert.deepEqual(await inbox(cid, 'n7', '?unread=true'), ['n7/guide/plan: watching page.updated 1 Admin'])
  assert.equal(await press('/inbox', /^\/inbox$/), '/inbox')
  assert.match((await web.get('/inbox?unread=yes')).text, /You have read everything/)
  assert.equal((await web.get(`/inbox/${cid.id}`)).status, 404)
})

test('nobody is told of what they cannot read now, by a list, a count, or later', async () => {
  await admin.space('n4', { visibility: 'private' })
  const cid = await newPerson(admin, 'Cid')
  const member = (role: string) => admin.call('PUT', `/spaces/n4/members/${cid.id}`, { json: { role } })
  assertStatus(await member('viewer'), 201)
  await watch(cid.client, 'n4')
  const told = ['n4/team/plan: watching page.created 1 Admin', 'n4/open: watching page.created 1 Admin']
  await admin.write('n4/open', 'One.\n')
  await admin.write('n4/team/plan', 'One.\n')
  assert.deepEqual(await inbox(cid, 'n4'), told)
  const count = async () => (await cid.client.get('/me/notifications/count')).json.unread
  const rule = { read: [], write: [] }
  assertStatus(await admin.call('PUT', '/spaces/n4/rules/team', { json: rule }), 201)
  await admin.write('n4/team/plan', 'Two.\n')
  const thread = await comment(admin, 'n4/team/plan', `Look, ${mention(cid)}.`)
  assert.deepEqual([await inbox(cid, 'n4'), await count()], [told.slice(1), 1])
  assertProblem(await cid.client.call('PUT', `/me/watches/by-id/${thread}`), 404, 'not_found')
  // Whether something is hidden there is not told.
  await watch(cid.client, 'n4/team/x')
  assert.equal((await cid.client.all('/me/watches')).length, 2)
  assertStatus(await admin.delete('/spaces/n4/rules/team'), 200)
  // They are told of what was before, and of nothing that came meanwhile.
  assert.deepEqual([await inbox(cid, 'n4'), await count()], [told, 2])
  assertStatus(await admin.delete('/pages/n4/open', { 'if-match': '*' }), 204)
  assert.deepEqual([await inbox(cid, 'n4'), await count()], [told.slice(0, 1), 1])
  assertStatus(await admin.delete(`/spaces/n4/members/${cid.id}`), 204)
  await admin.write('n4/team/plan', 'Three.\n')
  assert.deepEqual([await inbox(cid, 'n4'), await count()], [[], 0])
  assert.deepEqual(await cid.client.all('/me/watches'), [])
  assertStatus(await member('viewer'), 201)
  assert.deepEqual(await inbox(cid, 'n4'), told.slice(0, 1))
})

test('a change request tells its reviewers, its author and who comments, as far as they read its changes', async () => {
  await admin.space('n5', { defaultRole: 'editor' })
  await admin.write('n5/plan', 'One.\n')
  const opened = await ada.client.post('/spaces/n5/change-requests', { title: 'Better', reviewers: [bob.id] })
  const { number } = assertStatus(opened, 201).json
  assert.deepEqual(await inbox(bob, 'n5'), ['n5#1: reviewer changeRequest.opened 1 Ada'])
  const draft = await ada.client.put(`/pages/n5/plan?changeRequest=${number}`, 'Two.\n', { 'if-match': '"1"' })
  assertStatus(draft, 202)
  assert.deepEqual(await inbox(bob, 'n5'), ['n5#1: reviewer changeRequest.updated 2 Ada'])
  const request = `/spaces/n5/change-requests/${number}`
  const { etag } = assertStatus(await bob.client.get(request), 200).json
  assertStatus(await bob.client.post(`${request}/reviews`, { verdict: 'approve' }, { 'if-match': etag }), 200)
  assertStatus(await bob.client.post(`${request}/threads`, { path: 'plan', body: 'Fine.' }), 201)
  assert.deepEqual(await inbox(ada, 'n5'), [
    'thread n5/plan#1: author comment.created 1 Bob',
    'n5#1: author changeRequest.reviewed 1 Bob',
  ])
  const { etag: reviewed } = assertStatus(await bob.client.get(request), 200).json
  assertStatus(await bob.client.post(`${request}/merge`, {}, { 'if-match': reviewed }), 200)
  assert.match((await inbox(ada, 'n5')).join('\n'), /n5#1: author changeRequest.merged 2 Bob/)
})

test('agents have no inbox, and what is muted twice or watched by none is no error', async () => {
  await admin.space('n6')
  const agent = await newPerson(admin, 'Robot', { kind: 'agent' })
  await watch(agent.client, 'n6')
  await admin.write('n6/a', 'One.\n')
  assert.deepEqual(await inbox(agent, 'n6'), [])
  for (const what of ['n6/a', 'n6/a', 'n6', 'n6?', 'n6/none']) await unwatch(ada.client, what)
  assertProblem(await ada.client.delete('/me/watches/nowhere'), 404, 'not_found')
  assertProblem(await ada.client.call('PUT', '/me/watches/n6/none?kind=page'), 404, 'not_found')
  assertProblem(await nodes.as(0, undefined).get('/me/notifications'), 401, 'unauthorized')
})

test('who verified a page is told when that has ended, if they still read it', async () => {
  await admin.space('n10', { visibility: 'private' })
  const [cid, dan] = [await newPerson(admin, 'Cid'), await newPerson(admin, 'Dan')]
  const role = { json: { role: 'viewer' } }
  assertStatus(await admin.call('PUT', `/spaces/n10/members/${cid.id}`, role), 201)
  for (const page of ['a', 'b']) await admin.write(`n10/${page}`, 'One.\n')
  const verify = (path: string, { id }: Person) =>
    nodes.query(
      `update page set verified_version = version, verified_by = $2, verified_at = now(), verified_until = clock_timestamp()
       where path = $1 and space_id = (select id from space where slug = 'n10')`,
      [path, id],
    )
  await verify('a', cid)
  await verify('b', dan)
  const pool = createPool({ server: new DatabaseServer(nodes.connection), prepared: false, onError: () => {}, size: 1 })
  try {
    for (let n = 0; n < 2; n++) await tellDue.first(autocommit(createDb(pool)), { mails: false })
  } finally {
    await pool.end()
  }
  assert.deepEqual(await inbox(cid, 'n10'), ['n10/a: verifier verification.due 1 Cid'])
  assert.deepEqual(await inbox(dan, 'n10'), [])
})

test('read notifications are deleted after 90 days, and unread ones stay', async () => {
  await admin.space('n9')
  const cid = await newPerson(admin, 'Cid')
  await watch(cid.client, 'n9')
  for (const page of ['a', 'b']) await admin.write(`n9/${page}`, 'One.\n')
  await allTold()
  const [newest] = await cid.client.all('/me/notifications')
  assertStatus(await cid.client.patch('/me/notifications', { ids: [newest.id], read: true }), 200)
  await holdSweep(nodes, 'notification sweep')
  const pool = createPool({ server: new DatabaseServer(nodes.connection), prepared: false, onError: () => {}, size: 1 })
  try {
    const sweep = (days: number) =>
      deleteOldNotifications(autocommit(createDb(pool)), new Date(Date.now() + days * 24 * 3600_000), 1000)
    await sweep(89)
    assert.equal((await inbox(cid, 'n9')).length, 2)
    assert.ok((await sweep(91)) >= 1)
    assert.deepEqual(await inbox(cid, 'n9'), ['n9/a: watching page.created 1 Admin'])
  } finally {
    await pool.end()
  }
})
