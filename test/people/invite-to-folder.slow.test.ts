import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { openBrowser } from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'
import { formsIn } from '../support/web-session.ts'

const PASSWORD = 'quartz lantern vivid moss'
const EMPTY_RULE = { read: 'inherit', write: 'inherit', guests: [] }

let nodes: Nodes
let admin: Client
let number = 0
before(async () => {
  nodes = await startNodes({ SVC_TRUST_PROXY: '1' })
  admin = nodes.admins[0]
  await admin.space('docs', { name: 'Docs' })
  for (const path of ['hr', 'hr/pay', 'hr-x', 'top']) await admin.write(`docs/${path}`, `# ${path}`)
})
after(() => nodes[Symbol.asyncDispose]())

const freshEmail = () => `guest-${++number}@example.org`
const invite = async (input: object, client = admin) =>
  assertStatus(await client.post('/spaces/docs/invitations', { email: freshEmail(), guest: true, ...input }), 201).json

function accept({ url }: { readonly url: string }, node: 0 | 1 = 0) {
  const address = { 'x-forwarded-for': `192.0.2.${++number}` }
  return sendForm(nodes.as(node, undefined), new URL(url).pathname, { name: 'Gina', password: PASSWORD }, address)
}

/** Accepts, and returns what reads as the guest, and the id of the account. */
async function join(sent: { readonly url: string }) {
  const answer = assertStatus(await accept(sent), 303)
  const cookie = sessionCookieOf(answer)
  const get = (url: string) => nodes.as(1, undefined).get(url, { cookie })
  return { get, id: (await get('/me')).json.id as string, cookie, location: answer.headers.get('location') }
}

const rule = async (folder: string) => assertStatus(await admin.get(`/spaces/docs/rules/${folder}`), 200).json

test('a guest who accepts an invitation to a folder reads it, and nothing else of the space', async () => {
  const sent = await invite({ role: 'viewer', folder: 'hr' })
  assert.deepEqual(sent.invitation.spaces, [{ space: 'docs', role: 'viewer', folder: 'hr' }])
  assertProblem(await admin.get('/spaces/docs/rules/hr'), 404, 'not_found')
  const screen = await nodes.as(0, undefined).get(new URL(sent.url).pathname, { accept: 'text/html' })
  assert.match(screen.text, /invites you to <bdi>Docs<\/bdi> \(<code dir="auto">hr<\/code>\)/)
  const { get, id, location } = await join(sent)
  assert.equal(location, '/open/docs')
  for (const path of ['hr', 'hr/pay']) assertStatus(await get(`/pages/docs/${path}`), 200)
  for (const path of ['top', 'hr-x', 'none']) assertProblem(await get(`/pages/docs/${path}`), 404, 'not_found')
  const { read, write, guests, createdBy } = await rule('hr')
  assert.deepEqual([read, write], ['inherit', 'inherit'])
  assert.deepEqual(guests, [{ principal: { id, name: 'Gina', kind: 'human' }, role: 'viewer' }])
  assert.equal(createdBy.name, sent.invitation.invitedBy.name, 'the rule is in the name of the inviter')
  const entries = await admin.all('/admin/audit?action=space.rule_set')
  const entry = entries.find(({ details }) => details.invitation === sent.invitation.id)
  assert.deepEqual([entry.details.principal, entry.details.prefix], [id, 'hr'])
  assert.ok(!(await admin.all('/spaces/docs/members')).some(({ principal }) => principal.id === id))
})

test('the rule of the folder as it is at the acceptance gets the guest: changed, removed or made meanwhile', async () => {
  const [changed, removed] = [
    await invite({ role: 'editor', folder: 'a' }),
    await invite({ role: 'viewer', folder: 'b' }),
  ]
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/b', { json: EMPTY_RULE }), 201)
  assertStatus(await admin.call('DELETE', '/spaces/docs/rules/b'), 200)
  const lone = await newPerson(admin, 'Lone reader')
  const json = { read: [{ principal: lone.id }], write: [], guests: [] }
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/a', { json }), 201)
  const [first, second] = [await join(changed), await join(removed)]
  const { read, write, guests } = await rule('a')
  assert.deepEqual([read[0].principal.id, write], [lone.id, []])
  assert.deepEqual([guests[0].principal.id, guests[0].role], [first.id, 'editor'])
  assert.equal((await rule('b')).guests[0].principal.id, second.id)
})

test('acceptances and changes of one rule at the same moment lose nothing', async () => {
  const invitations = await Promise.all(Array.from({ length: 4 }, () => invite({ role: 'viewer', folder: 'busy' })))
  const others = ['x', 'y', 'z'].map((name) => `/spaces/docs/rules/busy%2F${name}`)
  const [answers] = await Promise.all([
    Promise.all(invitations.map((sent, n) => accept(sent, n % 2 ? 1 : 0))),
    Promise.all(others.map((url) => admin.call('PUT', url, { json: EMPTY_RULE }))),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303, 303, 303],
  )
  assert.equal((await rule('busy')).guests.length, 4)
  for (const answer of answers) {
    const cookie = sessionCookieOf(answer)
    assertProblem(await nodes.as(0, undefined).get('/pages/docs/busy', { cookie }), 404, 'not_found')
    assertStatus(await nodes.as(0, undefined).get('/spaces/docs', { cookie }), 200)
  }
})

test('an invitation to a folder ends with the right of its inviter, and with its space', async () => {
  const lead = await newPerson(admin, 'Lead')
  const membership = `/spaces/docs/members/${lead.id}`
  assertStatus(await admin.call('PUT', membership, { json: { role: 'admin' } }), 201)
  const sent = await invite({ role: 'viewer', folder: 'hr' }, lead.client)
  assert.ok((await lead.client.all('/spaces/docs/invitations')).some(({ id }) => id === sent.invitation.id))
  const wide = { email: freshEmail(), guest: true, spaces: [{ space: 'docs', role: 'viewer', folder: 'hr' }] }
  await admin.space('gone')
  wide.spaces.push({ space: 'gone', role: 'viewer', folder: 'x' })
  const both = assertStatus(await admin.post('/admin/invitations', wide), 201).json
  const listed = await lead.client.all('/spaces/docs/invitations')
  assert.ok(!listed.some(({ id }) => id === both.invitation.id), 'it names a space that is not theirs')
  assertStatus(await admin.call('PUT', membership, { json: { role: 'editor' } }), 200)
  assertProblem(await accept(sent), 404, 'link_invalid')
  assertStatus(await admin.delete('/spaces/gone?force=true'), 204)
  const { get } = await join(both)
  assertStatus(await get('/pages/docs/hr/pay'), 200)
})

test('where the space has as many rules as it may have, the guest joins without the folder, or with one that has a rule', async () => {
  await admin.space('full')
  await nodes.query(`insert into folder_rule (space_id, prefix, inherits_read, inherits_write, opens_read, opens_write, places,
      created_at, created_by, updated_at, updated_by)
    select space.id, 'f' || n, true, true, true, true, '{}', now(), space.created_by, now(), space.created_by
    from space cross join generate_series(1, 1000) n where slug = 'full'`)
  const spaces = ['none', 'f7'].map((folder) => ({ space: 'full', role: 'viewer', folder }))
  const input = { email: freshEmail(), guest: true, spaces }
  const { id } = await join(assertStatus(await admin.post('/admin/invitations', input), 201).json)
  assertProblem(await admin.get('/spaces/full/rules/none'), 404, 'not_found')
  const { guests } = assertStatus(await admin.get('/spaces/full/rules/f7'), 200).json
  assert.equal(guests[0].principal.id, id)
})

test('a rule names at most 500 guests, whichever way they come at the same moment', async () => {
  await admin.write('docs/crowd/page', '# Page')
  await nodes.query(`insert into principal (id, name, kind, role, guest, created_at)
    select gen_random_uuid(), 'Crowd ' || n, 'human', 'member', true, now() from generate_series(1, 499) n`)
  const { rows } = await nodes.query(`select id from principal where name like 'Crowd %'`)
  const role = 'viewer'
  const listed = rows.map(({ id }) => ({ principal: id, role }))
  const put = (guests: object[]) => admin.call('PUT', '/spaces/docs/rules/crowd', { json: { ...EMPTY_RULE, guests } })
  assertStatus(await put(listed), 201)
  const asker = await newPerson(admin, 'Asker')
  assertStatus(await admin.patch(`/admin/principals/${asker.id}`, { guest: true }), 200)
  assertStatus(await asker.client.post('/access-requests', { space: 'docs', path: 'crowd/page' }), 202)
  const [request] = await admin.all('/spaces/docs/access-requests')
  const approve = () => admin.post(`/spaces/docs/access-requests/${request.id}/approve`, { role, folder: 'crowd' })
  const invitations = await Promise.all(Array.from({ length: 3 }, () => invite({ role, folder: 'crowd' })))
  const [approval, ...joined] = await Promise.all([
    approve(),
    ...invitations.map((sent, n) => accept(sent, n % 2 ? 1 : 0)),
  ])
  for (const { status } of joined) assert.equal(status, 303)
  const { guests } = await rule('crowd')
  assert.equal(guests.length, 500)
  const isAskerListed = guests.some(({ principal }: { principal: { id: string } }) => principal.id === asker.id)
  assert.equal(approval.status, isAskerListed ? 204 : 400)

  assertStatus(await put([...listed, { principal: asker.id, role }]), 200)
  await join(await invite({ role, folder: 'crowd' }))
  assert.equal((await rule('crowd')).guests.length, 500, 'who joins does so without the folder')
  assertProblem(await put([...listed, ...listed.slice(0, 2)]), 400, 'invalid_request')
})

test('the readers of a rule are at most 500, too', async () => {
  const { rows } = await nodes.query(`insert into principal (id, name, kind, role, created_at)
    select gen_random_uuid(), 'Reader ' || n, 'human', 'member', now() from generate_series(1, 500) n returning id`)
  const put = (read: object[]) => admin.call('PUT', '/spaces/docs/rules/readers', { json: { ...EMPTY_RULE, read } })
  const readers = rows.map(({ id }) => ({ principal: id }))
  await admin.write('docs/readers', '# Readers')
  assertStatus(await put(readers), 201)
  const asker = await newPerson(admin, 'Other')
  assertStatus(await asker.client.post('/access-requests', { space: 'docs', path: 'readers' }), 202)
  const { id } = (await admin.all('/spaces/docs/access-requests')).find(({ path }) => path === 'readers')
  const approve = () => admin.post(`/spaces/docs/access-requests/${id}/approve`, { role: 'viewer', folder: 'readers' })
  assertProblem(await approve(), 400, 'invalid_request')
  assertStatus(await put(readers.slice(1)), 200)
  assertStatus(await approve(), 204)
})

test('only guests are invited to a folder, as viewers or editors, and by a path that a folder can have', async () => {
  const send = (input: object) =>
    admin.post('/spaces/docs/invitations', { email: freshEmail(), role: 'viewer', guest: true, folder: 'hr', ...input })
  assertProblem(await send({ guest: false }), 400, 'invalid_request')
  assertProblem(await send({ role: 'admin' }), 400, 'invalid_request')
  for (const folder of ['../x', 'a//b']) assertProblem(await send({ folder }), 400, 'invalid_path')
  const spaces = [{ space: 'docs', role: 'viewer', folder: 'hr' }]
  assertProblem(await admin.post('/admin/invitations', { email: freshEmail(), spaces }), 400, 'invalid_request')
})

test('the form of a rule leads to the form that invites a guest to its folder', async () => {
  const browser = await openBrowser(admin.base, admin.key ?? '')
  assertStatus(await admin.call('PUT', '/spaces/docs/rules/clients%2Facme', { json: EMPTY_RULE }), 201)
  const form = await browser.open('/settings/docs/rules/edit?folder=clients%2Facme')
  const [, url = ''] = /href="([^"]*)">Invite a guest to this folder/.exec(form.text) ?? []
  const screen = await browser.open(url)
  assert.match(screen.text, /name="folder"[^>]* value="clients\/acme"/)
  assert.match(screen.text, /name="guest\[\]" value="yes" checked/)
  const inviteForm = formsIn(screen.text).find(({ action }) => action === '/settings/docs/invitations')
  assert.ok(inviteForm)
  const fields = { email: freshEmail(), spaceRole: 'viewer', 'guest[]': 'yes', folder: 'clients/acme' }
  const sent = await browser.send(inviteForm, fields)
  assert.equal(sent.status, 201)
  assert.match(sent.text, /docs\/clients\/acme \(viewer\)/)
})
