import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAgent, textOf } from '../support/agent.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { inPerson } from '../support/in-person.ts'
import { openBrowser } from '../support/oauth.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { formsIn } from '../support/web-session.ts'

// Verification: an editor says in person that a version of a page is right (decisions, section 15).

let service: Service
let admin: Client
let ann: Person
let session: Client
let agent: Person
before(async () => {
  service = await startService({ SVC_PUBLIC_SPACES: 'on' })
  admin = service.admin
  ann = await newPerson(admin, 'Ann')
  agent = await newPerson(admin, 'Helper', { kind: 'agent' })
  session = await inPerson(admin.base, ann.key)
})
after(() => service[Symbol.asyncDispose]())

async function newSpace(slug: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  await admin.space(slug, more)
  await setRole(slug, ann.id, 'editor')
  await setRole(slug, agent.id, 'editor')
  return slug
}
const setRole = async (space: string, id: string, role: string) =>
  assertStatus(await admin.call('PUT', `/spaces/${space}/members/${id}`, { json: { role } }), 201)
const put = (client: Client, page: string, json: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  client.call('PUT', `/verifications/${page}`, { json, headers })
const verify = async (page: string, json: object = {}) => assertStatus(await put(session, page, json), 200).json
const read = async (page: string, client: Client = admin) =>
  assertStatus(await client.page(`/pages/${page}`), 200).json.verification
const statusOf = async (page: string) => (await read(page))?.status ?? null

test('an editor in person verifies the present version, which a change ends, and takes it back', async () => {
  await newSpace('v1')
  await admin.write('v1/a', '# A')
  assert.equal(await read('v1/a'), null)
  const since = assertStatus(await admin.get('/changes?since=now'), 200).json.nextCursor
  const verification = await verify('v1/a', { until: '2999-01-31' })
  assert.deepEqual(
    [verification.version, verification.by, verification.until, verification.status],
    [1, { id: ann.id, name: 'Ann', kind: 'human' }, '2999-01-31T00:00:00.000Z', 'current'],
  )
  assert.deepEqual(await read('v1/a'), verification)
  // Repeating it changes nothing, another end does.
  assert.deepEqual(await verify('v1/a', { until: '2999-01-31T00:00:00Z' }), verification)
  assert.equal((await verify('v1/a')).until, null)
  assert.equal((await admin.get('/spaces/v1/pages')).json.items[0].verification.status, 'current')
  const changed = assertStatus(await admin.put('/pages/v1/a', '# A, too', { 'if-match': '*' }), 200).json
  assert.deepEqual([changed.verification.status, changed.verification.version], ['changed', 1])
  assert.equal(await statusOf('v1/a'), 'changed')
  assertProblem(await put(session, 'v1/a', {}, { 'if-match': '"1"' }), 412, 'precondition_failed')
  assertStatus(await put(session, 'v1/a', {}, { 'if-match': '"2"' }), 200)
  assert.equal(await statusOf('v1/a'), 'current')
  assertStatus(await session.delete('/verifications/v1/a'), 204)
  assertStatus(await session.delete('/verifications/v1/a'), 204)
  assert.equal(await read('v1/a'), null)
  // It made no version. The feed and the audit log have each change once.
  assert.equal((await admin.get('/pages/v1/a/versions')).json.items.length, 2)
  const { items } = (await admin.get(`/changes?since=${since}&space=v1`)).json
  assert.deepEqual(
    items.map(({ event, page, until: end }: { event: string; page: { version: number }; until?: string | null }) => [
      event,
      page.version,
      end,
    ]),
    [
      ['page.verified', 1, '2999-01-31T00:00:00.000Z'],
      ['page.verified', 1, null],
      ['page.updated', 2, undefined],
      ['page.verified', 2, null],
      ['page.unverified', 2, undefined],
    ],
  )
  const entries = [
    ...(await admin.all('/admin/audit?action=page.verified')),
    ...(await admin.all('/admin/audit?action=page.unverified')),
  ].filter(({ target }) => target.name === 'v1')
  assert.deepEqual(
    entries.map(({ action, details }) => [action, details.path, details.version]),
    [
      ['page.verified', 'a', 2],
      ['page.verified', 'a', 1],
      ['page.verified', 'a', 1],
      ['page.unverified', 'a', 2],
    ],
  )
})

test('nobody verifies with a key, as an agent, as a viewer, or what they cannot read', async () => {
  await newSpace('v2')
  await admin.write('v2/a', '# A')
  await admin.space('secret', { visibility: 'private' })
  await admin.write('secret/a', '# A')
  assertProblem(await put(ann.client, 'v2/a'), 403, 'forbidden')
  assertProblem(await put(agent.client, 'v2/a'), 403, 'forbidden')
  const viewer = await newPerson(admin, 'Viewer')
  const viewing = await inPerson(admin.base, viewer.key)
  assertProblem(await put(viewing, 'v2/a'), 403, 'forbidden')
  assertProblem(await viewing.delete('/verifications/v2/a'), 403, 'forbidden')
  for (const page of ['secret/a', 'secret/none', 'nowhere/a', 'v2/none']) {
    assertProblem(await put(session, page), 404, 'not_found')
    assertProblem(await session.delete(`/verifications/${page}`), 404, 'not_found')
  }
  for (const end of ['2001-01-01', '2001-01-01T00:00:00Z', 'tomorrow', '2999-13-01', '']) {
    assertProblem(await put(session, 'v2/a', { until: end }), 400, 'invalid_request')
  }
  assertProblem(await put(session, 'v2/a', { version: 1 }), 400, 'invalid_request')
  assert.equal(await read('v2/a'), null)
})

test('a verification expires, and a tag of the page object tells of each change', async () => {
  await newSpace('v3')
  await admin.write('v3/a', '# A')
  const get = (tag = '"none"') =>
    admin
      .get('/pages/v3/a', { accept: 'application/json', 'if-none-match': tag })
      .then(({ status, headers }) => ({ status, tag: headers.get('etag') ?? '' }))
  const before = await get()
  await verify('v3/a', { until: new Date(Date.now() + 1000).toISOString() })
  const verified = await get(before.tag)
  assert.equal(verified.status, 200)
  assert.equal((await get(verified.tag)).status, 304)
  await until(async () => (await statusOf('v3/a')) === 'expired')
  const expired = await get(verified.tag)
  assert.equal(expired.status, 200)
  // Any of them names the version.
  assertStatus(await admin.put('/pages/v3/a', '# B', { 'if-match': before.tag }), 200)
  assert.equal(await statusOf('v3/a'), 'changed')
  assertStatus(await session.delete('/verifications/v3/a'), 204)
  assertStatus(await admin.put('/pages/v3/a', '# B', { 'if-match': '*' }), 200)
})

test('a verification follows its page through moves, the trash and restoring, and copies have none', async () => {
  await newSpace('v4')
  await newSpace('v4b')
  for (const path of ['a', 'b']) await admin.write(`v4/${path}`, '# Page')
  const { by, at } = await verify('v4/a')
  const move = async (from: string, to: object) =>
    assertStatus(await admin.post(`/pages/${from}/move`, { to }, { 'if-match': '*' }), 200).json.page
  // Something was at the new address before, so that the page gets a higher version there.
  for (const text of ['1', '2', '3']) await admin.write('v4b/a', text)
  assertStatus(await admin.delete('/pages/v4b/a?purge=true', { 'if-match': '*' }), 204)
  const moved = await move('v4/a', { space: 'v4b', path: 'a' })
  assert.deepEqual([moved.version, moved.verification.version, moved.verification.status], [4, 4, 'current'])
  assert.deepEqual(await read('v4b/a'), moved.verification)
  assert.deepEqual([moved.verification.by, moved.verification.at], [by, at])
  assertStatus(await admin.delete('/pages/v4b/a', { 'if-match': '*' }), 204)
  assertProblem(await put(session, 'v4b/a'), 410, 'page_deleted')
  const restored = assertStatus(await admin.post('/pages/v4b/a/restore'), 200).json
  assert.deepEqual([restored.version, restored.verification.version, restored.verification.status], [5, 5, 'current'])
  assert.deepEqual(await read('v4b/a'), restored.verification)
  // A changed one stays that.
  assertStatus(await admin.put('/pages/v4b/a', '# Other', { 'if-match': '*' }), 200)
  const back = await move('v4b/a', { space: 'v4', path: 'c' })
  assert.deepEqual([back.verification.version, back.verification.status], [5, 'changed'])
  // An old version says what holds of the page.
  assert.equal((await read('v4/c?version=5')).status, 'changed')
  assertStatus(await admin.delete('/pages/v4/c', { 'if-match': '*' }), 204)
  await admin.write('v4/c', '# New')
  assert.equal(await read('v4/c'), null)
})

test('a page that is read through a change request has the verification of its base, a new one none', async () => {
  await newSpace('v5')
  await admin.write('v5/a', '# A')
  await verify('v5/a')
  const opened = await admin.put('/pages/v5/a?changeRequest=new&title=x', '# Proposed', { 'if-match': '"1"' })
  const { number } = assertStatus(opened, 202).json.changeRequest
  assertStatus(await admin.put(`/pages/v5/b?changeRequest=${number}`, '# B'), 202)
  assert.equal((await read(`v5/a?changeRequest=${number}`)).version, 1)
  assert.equal(await read(`v5/b?changeRequest=${number}`), null)
  const search = (more: string) => admin.get(`/search?q=${more}&space=v5&changeRequest=${number}`)
  assert.equal(assertStatus(await search('Proposed trust:person'), 200).json.items.length, 1)
  assert.equal(assertStatus(await search('Proposed trust:verified'), 200).json.items.length, 0)
  assertProblem(await search('Proposed&minTrust=verified'), 400, 'change_request_not_supported')
})

test('search tells how far people stand behind a page, and filters by it', async () => {
  await newSpace('v6')
  await agent.client.write('v6/by-agent', '# Falcon one')
  await admin.write('v6/by-person', '# Falcon two')
  await agent.client.write('v6/verified', '# Falcon three')
  await agent.client.write('v6/changed', '# Falcon four')
  await verify('v6/verified')
  await verify('v6/changed')
  await agent.client.write('v6/changed', '# Falcon five')
  const search = async (more = '', q = 'falcon') => {
    const { items } = assertStatus(await admin.get(`/search?q=${encodeURIComponent(q)}&space=v6${more}`), 200).json
    return items.map(({ path, trust }: { path: string; trust: object }) => [path, ...Object.values(trust)]).sort()
  }
  const [byAgent, byPerson, changed, verified] = [
    ['by-agent', 'agent', null],
    ['by-person', 'person', null],
    ['changed', 'agent', 'changed'],
    ['verified', 'agent', 'current'],
  ]
  assert.deepEqual(await search(), [byAgent, byPerson, changed, verified])
  assert.deepEqual(await search('&minTrust=verified'), [verified])
  assert.deepEqual(await search('&minTrust=person'), [byPerson, verified])
  assert.deepEqual(await search('', 'falcon trust:verified'), [verified])
  assert.deepEqual(await search('', 'falcon -trust:person'), [byAgent, changed])
  assert.deepEqual(await search('', 'trust:verified'), [verified])
  assertProblem(await admin.get('/search?q=falcon&minTrust=much'), 400, 'invalid_request')
  await using connection = await connectAgent(admin.base, agent.key)
  assert.match(textOf(await connection.call('context_get_page', { path: 'v6/verified' })), / \(verified\)\. 1 lines/)
  assert.deepEqual((await connection.data('context_get_page', { path: 'v6/by-person' })).trust, {
    lastEditBy: 'person',
    verification: null,
  })
  assert.match(
    textOf(await connection.call('context_get_pages', { pages: ['v6/changed'] })),
    /Falcon five \(changed since it was verified\)/,
  )
  assert.match(
    textOf(await connection.call('context_search', { query: 'falcon', space: 'v6' })),
    /Falcon one \(last edit by an agent, not verified\)/,
  )
})

test('the report lists the pages of each status that the caller can read, with counts', async () => {
  await newSpace('v7')
  for (const path of ['current', 'changed', 'expired', 'hidden/current', 'hidden/none', 'none']) {
    await admin.write(`v7/${path}`, '# Page')
  }
  await agent.client.write('v7/agents', '# By an agent')
  await agent.client.write('v7/hidden/agents', '# By an agent')
  await agent.client.write('v7/mixed', '# By an agent')
  await admin.write('v7/mixed', '# By a person')
  await agent.client.write('v7/mixed', '# By an agent again')
  for (const path of ['current', 'changed', 'hidden/current']) await verify(`v7/${path}`)
  await verify('v7/expired', { until: new Date(Date.now() + 500).toISOString() })
  await admin.write('v7/changed', '# Other')
  await until(async () => (await statusOf('v7/expired')) === 'expired')
  const rule = { read: [{ principal: ann.id }], write: 'inherit' }
  const reader = await newPerson(admin, 'Reader')
  const report = async (client: Client, status: string, more = '') =>
    assertStatus(await client.get(`/spaces/v7/reports/verification?status=${status}${more}`), 200).json
  const all = async (client: Client) => ({
    paths: Object.fromEntries(
      await Promise.all(
        ['current', 'changed', 'expired', 'none', 'agents'].map(async (status) => [
          status,
          (await report(client, status)).items.map(({ path }: { path: string }) => path),
        ]),
      ),
    ),
    counts: (await report(client, 'none')).counts,
  })
  const visible = {
    paths: {
      current: ['current'],
      changed: ['changed'],
      expired: ['expired'],
      none: ['agents', 'mixed', 'none'],
      agents: ['agents'],
    },
    counts: { current: 1, changed: 1, expired: 1, none: 3, agents: 1 },
  }
  assertStatus(await admin.call('PUT', '/spaces/v7/rules/hidden', { json: rule }), 201)
  assert.deepEqual(await all(reader.client), visible)
  assert.deepEqual(await all(admin), {
    paths: {
      ...visible.paths,
      current: ['current', 'hidden/current'],
      none: ['agents', 'hidden/agents', 'hidden/none', 'mixed', 'none'],
      agents: ['agents', 'hidden/agents'],
    },
    counts: { current: 2, changed: 1, expired: 1, none: 5, agents: 2 },
  })
  const first = await report(admin, 'none', '&limit=2')
  const second = await report(admin, 'none', `&limit=2&cursor=${first.nextCursor}`)
  assert.deepEqual([first.items.length, second.items.length, second.counts], [2, 2, undefined])
  assert.equal((await report(admin, 'agents')).items[0].updatedBy.name, 'Helper')
  const foreign = await reader.client.get(`/spaces/v7/reports/verification?status=none&cursor=${first.nextCursor}`)
  assertProblem(foreign, 400, 'invalid_cursor')
  assertProblem(await reader.client.get('/spaces/v7/reports/verification'), 400, 'invalid_request')
  await admin.space('v7hidden', { visibility: 'private' })
  assertProblem(await reader.client.get('/spaces/v7hidden/reports/verification?status=none'), 404, 'not_found')
  // The screen beside the other reports.
  const browser = await openBrowser(admin.base, reader.key)
  const { text } = await browser.open('/reports/v7?show=verification&status=agents')
  assert.match(text, />By agents alone <span class="quiet">1<\/span>/)
  assert.doesNotMatch(text, /hidden\//)
})

test('a person verifies a page on its screens, without script', async () => {
  await newSpace('v8')
  await admin.write('v8/a', '# A')
  const browser = await openBrowser(admin.base, ann.key)
  assert.match((await browser.open('/pages/v8/a')).text, /<a href="\/verify\/v8\/a">Verify this page<\/a>/)
  const form = async (index: number) => {
    const found = formsIn((await browser.open('/verify/v8/a')).text).filter(({ action }) => action === '/verify/v8/a')
    return found[index] ?? assert.fail('there is no such form')
  }
  const stale = await form(0)
  await browser.send(stale, { months: '3' })
  const { until: end } = await read('v8/a')
  assert.match(
    (await browser.open('/pages/v8/a')).text,
    new RegExp(`title="Verified by Ann until ${end.slice(0, 10)}"`),
  )
  const days = (Date.parse(end) - Date.now()) / 86_400_000
  assert.ok(days > 88 && days < 93, `${days} days`)
  await admin.write('v8/a', '# A, too')
  const { text } = await browser.open('/pages/v8/a')
  assert.match(text, /class="verified faded" [^>]*title="Version 1 was verified by Ann. The page has changed since"/)
  assert.equal((await browser.send(stale, { months: '' })).status, 412)
  await browser.send(await form(0), { months: '' })
  assert.deepEqual([await statusOf('v8/a'), (await read('v8/a')).until], ['current', null])
  await browser.send(await form(1))
  assert.equal(await read('v8/a'), null)
  assert.doesNotMatch((await browser.open('/pages/v8/a')).text, /class="verified/)
})

test('callers without an account see that a page is verified, not by whom', async () => {
  await newSpace('pub', { visibility: 'public' })
  await admin.write('pub/a', '# Falcon')
  await verify('pub/a', { until: '2999-01-31' })
  const get = async (path: string, accept = 'application/json') => {
    const response = await fetch(admin.base + path, { headers: { accept } })
    assert.equal(response.status, 200)
    return response.text()
  }
  const page = await get('/pages/pub/a')
  assert.equal(JSON.parse(page).verification.status, 'current')
  const [html, found] = [
    await get('/pages/pub/a', 'text/html'),
    await get('/search?space=pub&q=falcon%20trust:verified'),
  ]
  assert.match(html, /title="Verified until 2999-01-31"/)
  assert.deepEqual(JSON.parse(found).items, [])
  for (const text of [page, html, await get('/search?space=pub&q=falcon')]) assert.doesNotMatch(text, /Ann|lastEditBy/)
})
