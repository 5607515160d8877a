import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { putBytes, someBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

const ANY = { 'if-match': '*' }

let nodes: Nodes
let admin: Client
let other: Client
before(async () => {
  nodes = await startNodes()
  ;[admin, other] = nodes.admins
})
after(() => nodes[Symbol.asyncDispose]())

/** Answers a request that waits for an open transaction with these statements; meanwhile something else may happen. */
async function during(
  statements: string,
  request: () => Promise<Answer>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Answer> {
  const holder = new pg.Client(nodes.connection)
  await holder.connect()
  try {
    await holder.query(`begin; ${statements}`)
    const [{ pid }] = (await holder.query('select pg_backend_pid() as pid')).rows
    const answer = request()
    const waiting = 'select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))'
    await until(async () => ((await nodes.query(waiting, [pid])).rowCount ?? 0) > 0)
    await meanwhile()
    await holder.query('commit')
    return await answer
  } finally {
    await holder.end()
  }
}

/** Runs statements at the end of the transaction that inserts or updates a row. */
async function atCommit(table: string, statements: string, work: () => Promise<void>): Promise<void> {
  await nodes.query(`create function interfere() returns trigger language plpgsql as
    $$ begin ${statements}; return null; end $$`)
  await nodes.query(`create constraint trigger interfere after insert or update on ${table}
    deferrable initially deferred for each row when (pg_trigger_depth() = 0) execute function interfere()`)
  try {
    await work()
  } finally {
    await nodes.query('drop function interfere() cascade')
  }
}

async function newestEntry(action: string) {
  const { items } = assertStatus(await admin.get(`/admin/audit?action=${action}&limit=1`), 200).json
  return items[0]
}

async function newKey(principal: string) {
  const input = { principal, name: 'key', scopes: ['read'] }
  return assertStatus(await admin.post('/admin/api-keys', input), 201).json.apiKey
}

async function newGroup(name: string): Promise<string> {
  return assertStatus(await admin.post('/admin/groups', { name }), 201).json.id
}

async function newWebhook(): Promise<string> {
  const body = { url: 'https://old.example.org/x', events: ['*'] }
  return assertStatus(await admin.post('/admin/webhooks', body), 201).json.webhook.id
}

test('the audit log names a space as it is when a member, a group, a page or a file is removed', async () => {
  const { id } = await newPerson(admin, 'Guest')
  const group = await newGroup('Readers')
  const json = { role: 'viewer' }
  const removals = [
    ['space.member_removed', 'space_member', `/spaces/SLUG/members/${id}`],
    ['space.group_removed', 'space_group', `/spaces/SLUG/groups/${group}`],
    ['page.purged', 'page', '/pages/SLUG/a?purge=true'],
    ['file.purged', 'file', '/files/SLUG/a.bin?purge=true'],
  ] as const
  for (const [action, table, path] of removals) {
    const slug = `before-${table.replace('_', '-')}`
    await admin.space(slug)
    assertStatus(await admin.call('PUT', `/spaces/${slug}/members/${id}`, { json }), 201)
    assertStatus(await admin.call('PUT', `/spaces/${slug}/groups/${group}`, { json }), 201)
    assertStatus(await admin.put(`/pages/${slug}/a`, 'x'), 201)
    assertStatus(await putBytes(admin, `/files/${slug}/a.bin`, someBytes(10)), 201)
    const removed = await during(
      `select from ${table} where space_id = (select id from space where slug = '${slug}') for update`,
      () => admin.delete(path.replace('SLUG', slug), ANY),
      async () => assertStatus(await other.patch(`/spaces/${slug}`, { slug: `new-${slug}`, name: 'New' }), 200),
    )
    assertStatus(removed, 204)
    const { target } = await newestEntry(action)
    assert.deepEqual([target.id, target.name], [`new-${slug}`, 'New'], action)
  }
})

test('a member or a group gets its role in the space that has the slug under the lock', async () => {
  const { id } = await newPerson(admin, 'Late')
  const group = await newGroup('Late ones')
  for (const [kind, who] of [
    ['members', id],
    ['groups', group],
  ] as const) {
    await admin.space(`first-${kind}`)
    await admin.space(`second-${kind}`)
    const set = await during(
      `update space set slug = 'third-${kind}' where slug = 'first-${kind}';
       update space set slug = 'first-${kind}' where slug = 'second-${kind}'`,
      () => admin.call('PUT', `/spaces/first-${kind}/${kind}/${who}`, { json: { role: 'editor' } }),
    )
    assertStatus(set, 201)
    const idsAt = async (slug: string) => JSON.stringify(await admin.all(`/spaces/${slug}/${kind}`))
    assert.match(await idsAt(`first-${kind}`), new RegExp(who))
    assert.doesNotMatch(await idsAt(`third-${kind}`), new RegExp(who))
    const gone = await during(`delete from space_member; delete from space where slug = 'third-${kind}'`, () =>
      admin.call('PUT', `/spaces/third-${kind}/${kind}/${who}`, { json: { role: 'editor' } }),
    )
    assertProblem(gone, 404, 'not_found')
  }
})

test('a role of a group, or an invitation into it, that waits for the deletion of the group says that there is none', async () => {
  await admin.space('grouped')
  const requests = [
    (id: string) => admin.call('PUT', `/spaces/grouped/groups/${id}`, { json: { role: 'viewer' } }),
    (id: string) => admin.post('/admin/invitations', { email: 'late@example.org', groups: [id] }),
  ]
  for (const request of requests) {
    const id = await newGroup('Short-lived')
    assertProblem(await during(`delete from principal_group where id = '${id}'`, () => request(id)), 404, 'not_found')
  }
})

test('the audit log names the spaces of an invitation as they are', async () => {
  await admin.space('invites')
  const input = { email: 'named@example.org', spaces: [{ space: 'invites', role: 'viewer' }] }
  const sent = await during(`update space set slug = 'invites-new' where slug = 'invites'`, () =>
    admin.post('/admin/invitations', input),
  )
  const spaces = [{ space: 'invites-new', role: 'viewer' }]
  assert.deepEqual(assertStatus(sent, 201).json.invitation.spaces, spaces)
  assert.deepEqual((await newestEntry('invitation.created')).details.spaces, spaces)
})

test('a space that gets another slug after its creation from a template is told as it was created', async () => {
  await atCommit('space', `update space set slug = 'moved-on' where id = new.id`, async () => {
    const made = await admin.post('/space-templates/builtin/agent-memory/spaces', { slug: 'templated' })
    assert.equal(assertStatus(made, 201).json.space.slug, 'templated')
  })
})

test('a template is made of the space that has the slug under the lock, and replaces its language', async () => {
  await admin.space('shown', { name: 'Shown', language: 'de' })
  await admin.space('next', { name: 'Next', language: 'fr' })
  assertStatus(await admin.put('/pages/next/a', 'x'), 201)
  assertStatus(await admin.post('/space-templates/org', { space: 'shown' }), 201)
  const made = await during(
    `update space set slug = 'shown-before' where slug = 'shown'; update space set slug = 'shown' where slug = 'next'`,
    () => admin.post('/space-templates/org', { space: 'shown' }),
  )
  const { title, pageCount } = assertStatus(made, 201).json
  assert.deepEqual([title, pageCount], ['Next', 1])
  const copy = await admin.post('/space-templates/org/shown/spaces', { slug: 'shown-copy' })
  assert.equal(assertStatus(copy, 201).json.space.language, 'fr')
})

test('a move tells the spaces of the pages whose links it rewrote by the slugs that they have', async () => {
  await admin.space('moving')
  await admin.space('linking')
  assertStatus(await admin.put('/pages/moving/a', 'x'), 201)
  assertStatus(await admin.put('/pages/linking/b', '[a](/pages/moving/a)'), 201)
  const moved = await during(
    `select from page where path = 'a' and space_id = (select id from space where slug = 'moving') for update`,
    () => admin.post('/pages/moving/a/move', { to: { path: 'c' } }, ANY),
    async () => assertStatus(await other.patch('/spaces/linking', { slug: 'linking-new' }), 200),
  )
  const { rewritten } = assertStatus(moved, 200).json
  assert.deepEqual(
    rewritten.map(({ space, path }: { space: string; path: string }) => `${space}/${path}`),
    ['linking-new/b'],
  )
})

test('the audit log names a webhook by the host that it has when it is changed', async () => {
  const requests = [
    ['updated', (id: string) => admin.patch(`/admin/webhooks/${id}`, { description: 'New' })],
    ['secret_rotated', (id: string) => admin.post(`/admin/webhooks/${id}/rotate-secret`, {})],
    ['deleted', (id: string) => admin.delete(`/admin/webhooks/${id}`)],
  ] as const
  for (const [verb, request] of requests) {
    const id = await newWebhook()
    const answer = await during(`update webhook set url = 'https://new.example.org/x'`, () => request(id))
    assert.ok([200, 204].includes(answer.status), answer.text)
    assert.equal((await newestEntry(`webhook.${verb}`)).target.name, 'new.example.org', verb)
    const ended = await newWebhook()
    assertProblem(await during(`delete from webhook where id = '${ended}'`, () => request(ended)), 404, 'not_found')
  }
})

test('a webhook, a group or a key that ends after a change is told as it was after the change', async () => {
  await atCommit('webhook', 'delete from webhook where id = new.id', async () => {
    await newWebhook()
  })
  const webhook = await newWebhook()
  await atCommit('webhook', 'delete from webhook where id = new.id', async () => {
    assertStatus(await admin.patch(`/admin/webhooks/${webhook}`, { description: 'Last' }), 200)
  })
  const group = await newGroup('Lasting')
  await atCommit('principal_group', 'delete from principal_group where id = new.id', async () => {
    await newGroup('Passing')
    const { json } = assertStatus(await admin.patch(`/admin/groups/${group}`, { name: 'Last' }), 200)
    assert.equal(json.name, 'Last')
  })
  const { id } = await newPerson(admin, 'Merged', { kind: 'agent' })
  const { id: into } = await newPerson(admin, 'Remaining', { kind: 'agent' })
  await atCommit('api_key', `update api_key set principal_id = '${into}' where id = new.id`, async () => {
    assert.equal((await newKey(id)).principal.id, id)
  })
})

test('the audit log names a deleted group, and the owner of a revoked key, as they are under the lock', async () => {
  const group = await newGroup('Old name')
  const deleted = await during(`update principal_group set name = 'New name' where id = '${group}'`, () =>
    admin.delete(`/admin/groups/${group}`),
  )
  assertStatus(deleted, 204)
  assert.equal((await newestEntry('group.deleted')).target.name, 'New name')

  const { id } = await newPerson(admin, 'Owner', { kind: 'agent' })
  const { id: into } = await newPerson(admin, 'New owner', { kind: 'agent' })
  const { id: key } = await newKey(id)
  const revoked = await during(`update api_key set principal_id = '${into}' where id = '${key}'`, () =>
    admin.delete(`/admin/api-keys/${key}`),
  )
  assertStatus(revoked, 204)
  assert.equal((await newestEntry('api_key.revoked')).details.principal.id, into)
})

test('a new member of a group has the name that the person has under the lock', async () => {
  const { id } = await newPerson(admin, 'Maiden name')
  const group = await newGroup('Renaming')
  const added = await during(
    `select from principal_group where id = '${group}' for update`,
    () => admin.call('PUT', `/admin/groups/${group}/members/${id}`),
    async () => assertStatus(await other.patch(`/admin/principals/${id}`, { name: 'Married name' }), 200),
  )
  assert.equal(assertStatus(added, 201).json.principal.name, 'Married name')
  assert.equal((await newestEntry('group.member_added')).details.principal.name, 'Married name')
})

for (const resource of ['page', 'file'] as const) {
  test(`a restored ${resource} names the redirect that it ends under the lock`, async () => {
    const space = `ended-${resource}s`
    await admin.space(space)
    const at = (path: string) => `/${resource}s/${space}/${path}`
    const create = async (client: Client) =>
      assertStatus(await client.call('PUT', at('a'), { body: 'x', headers: { 'content-type': 'text/plain' } }), 201)
    const move = async (client: Client, path: string) =>
      assertStatus(await client.post(`${at('a')}/move`, { to: { path } }, ANY), 200)
    await create(admin)
    assertStatus(await admin.delete(at('a'), ANY), 204)
    await create(admin)
    await move(admin, 'b')
    const restored = await during(
      `select from ${resource} where path = 'a' and deleted_at is not null
         and space_id = (select id from space where slug = '${space}') for update`,
      () => admin.post(`${at('a')}/restore`),
      async () => {
        await create(other)
        await move(other, 'c')
      },
    )
    assert.deepEqual(assertStatus(restored, 200).json.redirectEnded, { space, path: 'c' })
  })
}
