import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deriveCsrfToken } from '../../packages/server/src/identity/sessions/csrf.ts'
import { initialize, NOTHING, type RouteRule, tool } from '../access/route-rules/rule.ts'
import { ROUTE_RULES } from '../access/route-rules.ts'
import { sendForm, sessionCookieOf } from '../support/browser-session.ts'
import { assertProblem, assertStatus, Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'

let nodes: Nodes
let admin: Client
let owner: Awaited<ReturnType<typeof signIn>>
let agent: Person
let editor: Person
before(async () => {
  nodes = await startNodes({ SVC_RATE_LIMIT: '0' })
  admin = nodes.admins[0]
  owner = await signIn((await newPerson(admin, 'chief', { role: 'admin' })).key)
  agent = await newPerson(admin, 'scout', { kind: 'agent', scopes: ['write'] })
  editor = await newPerson(admin, 'editor')
})
after(() => nodes[Symbol.asyncDispose]())

/** The calls of somebody who is signed in with a browser. */
async function signIn(key: string) {
  const client = new Client(admin.base, undefined)
  const cookie = sessionCookieOf(assertStatus(await sendForm(client, '/sign-in', { key }), 303))
  const csrf = deriveCsrfToken(cookie.split('=')[1] ?? '')
  const headers = { cookie, 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' }
  return (method: string, path: string, options: Parameters<Client['call']>[2] = {}) =>
    client.call(method, path, { ...options, headers: { ...headers, ...options.headers } })
}

async function prepare(space: string, review: object): Promise<void> {
  await admin.space(space, { visibility: 'private' })
  for (const { id } of [agent, editor]) {
    assertStatus(await admin.call('PUT', `/spaces/${space}/members/${id}`, { json: { role: 'editor' } }), 201)
  }
  assertStatus(await admin.put(`/pages/${space}/page`, '# Page\n\n- [ ] task\n'), 201)
  assertStatus(await admin.put(`/pages/${space}/templates/t`, '# T\n'), 201)
  assertStatus(await admin.put(`/pages/${space}/gone`, 'gone\n'), 201)
  assertStatus(await admin.delete(`/pages/${space}/gone`, { 'if-match': '*' }), 204)
  const png = { body: Buffer.from('text'), headers: { 'content-type': 'text/plain' } }
  assertStatus(await admin.call('PUT', `/files/${space}/file`, png), 201)
  assertStatus(await owner('PATCH', `/spaces/${space}`, { json: { review } }), 200)
}

/** What an editor does without a review: nothing of it changes a page, its metadata or a file. Forms propose. */
const UNREVIEWED =
  /\/order|\/arrange|\/shares|\/share\/|\/verifications\/|\/verify\/|^GET |^POST \/(files|upload|import)\/:\w+$|\/import$|^POST \/(new|edit|move|delete|metadata|history|(rename|delete|replace)-file)\//

test('where a review is required, no door of an editor changes a page or a file', async () => {
  await prepare('doors', { people: 'required', agents: 'required' })
  const routes = Object.entries(ROUTE_RULES).filter(
    ([route, { rule }]) => rule === 'editor' && !UNREVIEWED.test(route) && !route.startsWith('POST /mcp'),
  )
  assert.ok(routes.length > 12)
  const wrong: string[] = []
  for (const [route, rule] of routes) {
    const [method = '', path = ''] = toTarget(route, rule, 'doors')
    const { query: _, ...options } = rule.send?.({ slug: 'doors', marker: 'x' }) ?? {}
    const answer = await owner(method, path, options)
    const isReviewed = answer.status === 403 && answer.text.includes('reviews such changes')
    if (!isReviewed) wrong.push(`${route}: ${answer.status} ${answer.text.slice(0, 200)}`)
  }
  assert.deepEqual(wrong, [])
  const bundle = { format: 'page-bundle', formatVersion: 1, space: { slug: 'any', name: 'Any', description: '' } }
  for (const query of ['', '?dryRun=true']) {
    const sent = { json: { ...bundle, pages: [{ path: 'page', body: 'other\n', metadata: {} }] } }
    assertProblem(await owner('POST', `/spaces/doors/import${query}`, sent), 403, 'review_required')
  }
  const part = 'content-disposition: form-data; name="file"; filename="new.txt"\r\ncontent-type: text/plain'
  const body = `--b\r\n${part}\r\n\r\nx\r\n--b--\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  assertProblem(await owner('POST', '/files/doors', { body, headers }), 403, 'review_required')
  const history = assertStatus(await admin.get('/pages/doors/page/versions'), 200).json
  assert.equal(history.items.length, 1)
})

function toTarget(route: string, rule: RouteRule, slug: string): [string, string] {
  const [method = '', address = ''] = route.replace(/ \(.*\)$/, '').split(' ')
  const values: Record<string, string> = { space: slug, slug, path: 'page', n: '1', id: NOTHING, ...rule.params }
  const path = address.replace(/:(\w+)|\*$/g, (_, name = 'path') => encodeURIComponent(values[name] ?? `no ${name}`))
  const query = rule.send?.({ slug, marker: 'x' }).query
  return [method, query ? `${path}?${query}` : path]
}

test('the forms of a page and of files are shown, and propose, where the space reviews the writes of their sender', async () => {
  await prepare('forms', { people: 'direct' })
  assertStatus(await admin.put('/pages/forms/page', 'two\n', { 'if-match': '"1"' }), 200)
  assertStatus(await owner('PATCH', '/spaces/forms', { json: { review: { people: 'required' } } }), 200)
  const client = new Client(admin.base, undefined)
  const cookie = sessionCookieOf(assertStatus(await sendForm(client, '/sign-in', { key: editor.key }), 303))
  const screens = ['move/forms/page', 'delete/forms/page', 'metadata/forms/page', 'upload/forms', 'file/forms/file']
  for (const screen of screens) {
    const { text } = assertStatus(await client.get(`/${screen}`, { cookie, accept: 'text/html' }), 200)
    assert.match(text, /<form [^>]*method="post"/, screen)
  }
  const page = assertStatus(await client.get('/pages/forms/page', { cookie, accept: 'text/html' }), 200).text
  assert.match(page, /href="\/move\/forms\/page"[\s\S]*href="\/delete\/forms\/page"/)
  const part = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name=${name}\r\n\r\n${value}\r\n`
  const csrf = deriveCsrfToken(cookie.split('=')[1] ?? '')
  const upload = (path: string, ...fields: readonly string[]) => {
    const body = [part('csrf', csrf), ...fields, part('"file"; filename="f.txt"', 'new bytes'), '--b--\r\n'].join('')
    const headers = { cookie, 'content-type': 'multipart/form-data; boundary=b', 'sec-fetch-site': 'same-origin' }
    return client.call('POST', path, { body, headers })
  }
  const form = (path: string, fields: Record<string, string>) => sendForm(client, path, fields, { cookie })
  const [version, latest] = ['1', '2']
  const answers = [
    await form('/move/forms/page', { version: latest, path: 'there', withChildren: '1', rewriteLinks: '1' }),
    await form('/delete/forms/page', { version: latest }),
    await form('/metadata/forms/page', { act: 'append', key: 'tags', value: 'x' }),
    await form('/history/forms/page', { version, latest }),
    await form('/rename-file/forms/file', { version, path: 'renamed.txt' }),
    await form('/delete-file/forms/file', { version }),
    await upload('/upload/forms'),
    await upload('/replace-file/forms/file', part('version', version)),
  ]
  const told: unknown[] = []
  for (const answer of answers) {
    const location = assertStatus(answer, 303).headers.get('location') ?? ''
    const number = /^\/to-review\/forms\/(\d+)\?done=suggested$/.exec(location)?.[1]
    const { items } = (await admin.get(`/spaces/forms/change-requests/${number}/changes`)).json
    told.push(items.map(({ path, kind }: { path: string; kind: string }) => `${kind} ${path}`).join())
  }
  assert.deepEqual(told, [
    'moved there',
    'deleted page',
    'metadata page',
    'edited page',
    'moved renamed.txt',
    'deleted file',
    'created f.txt',
    'edited file',
  ])
  const check = await form('/move/forms/page', { version: latest, path: 'there', action: 'check' })
  assert.match(assertStatus(check, 200).text, /there/)
  // It opened no change request, and none that is deleted again.
  const { json: feed } = await admin.get('/changes?space=forms&kinds=changeRequest.opened,changeRequest.closed')
  assert.equal(feed.items.length, answers.length)
  const { items } = (await admin.get('/spaces/forms/pages')).json
  assert.deepEqual(items.map(({ path, version: n }: { path: string; version: number }) => `${path} ${n}`).sort(), [
    'page 2',
    'templates/t 1',
  ])
  assert.equal((await admin.get('/files/forms/file')).text, 'text')
})

test('the order of pages and the links that share them are no changes of pages', async () => {
  await prepare('order', { people: 'required' })
  assertStatus(await editor.client.call('PUT', '/spaces/order/order', { json: { folder: '', names: ['page'] } }), 200)
  assertStatus(await editor.client.get('/shares/order/page'), 200)
})

test('an agent is told how it proposes what the space reviews; a person merges it', async () => {
  await prepare('agents', { agents: 'required' })
  const first = { 'if-match': '"1"' }
  const refused = assertProblem(await agent.client.put('/pages/agents/page', 'two\n', first), 403, 'review_required')
  const [step] = refused.json.nextSteps
  assert.equal(step.method, 'PUT')
  const proposed = await agent.client.put(step.url.replace(admin.base, ''), 'two\n', first)
  const { number } = assertStatus(proposed, 202).json.changeRequest
  // People write, by keys, too, unless the space counts their keys as agents.
  assertStatus(await editor.client.put('/pages/agents/page', '# Page\n\nmore\n', first), 200)
  const request = `/spaces/agents/change-requests/${number}`
  const tag = async () => ({ 'if-match': (await admin.get(request)).json.etag })
  assertStatus(await agent.client.put('/pages/agents/new?changeRequest=1', 'new\n'), 202)
  const send = { json: { paths: ['new'] } }
  const merge = async (by: Client) => by.call('POST', `${request}/merge`, { ...send, headers: await tag() })
  assertProblem(await merge(agent.client), 403, 'review_required')
  assertProblem(await merge(editor.client), 403, 'review_required')
  assertStatus(await owner('POST', `${request}/merge`, { ...send, headers: await tag() }), 200)
  assert.equal(
    assertStatus(await admin.get('/pages/agents/new', { accept: 'application/json' }), 200).json.createdBy.name,
    'scout',
  )

  const begun = await agent.client.call('POST', '/mcp', initialize())
  const call = tool('context_write_page', () => ({ space: 'agents', path: 'page', body: 'x', version: 2 }))
  const { headers, ...message } = call({ slug: 'agents', marker: 'x' })
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
  const told = await agent.client.call('POST', '/mcp', { ...message, headers: { ...headers, ...session } })
  assert.match(told.text, /changeRequest/)
  assert.match(told.text, /review_required/)
})

test('approvals of what agents wrote count in person', async () => {
  await prepare('approvals', { agents: 'required', approvals: 1 })
  assertStatus(await agent.client.put('/pages/approvals/new?changeRequest=new&title=New', 'new\n'), 202)
  const request = '/spaces/approvals/change-requests/1'
  const tag = async () => ({ 'if-match': (await admin.get(request)).json.etag })
  const status = async () =>
    (await admin.get(request)).json.checks.find((check: { name: string }) => check.name === 'approvals').status
  const approve = { json: { verdict: 'approve' } }
  assertStatus(await editor.client.call('POST', `${request}/reviews`, { ...approve, headers: await tag() }), 200)
  assert.equal(await status(), 'pending')
  assertStatus(await owner('POST', `${request}/reviews`, { ...approve, headers: await tag() }), 200)
  assert.equal(await status(), 'passed')
})

test('the space says as whose changes those by keys of people count', async () => {
  await prepare('keys', { agents: 'required', keys: 'agents' })
  const put = (by: Client, path: string) => by.put(`/pages/keys/${path}`, 'x\n')
  assertProblem(await put(editor.client, 'one'), 403, 'review_required')
  const direct = { json: { body: 'x' } }
  assertStatus(await owner('PUT', '/pages/keys/one', direct), 201)
  assertStatus(await owner('PATCH', '/spaces/keys', { json: { review: { keys: 'people' } } }), 200)
  assertStatus(await put(editor.client, 'two'), 201)
})

test('a move elsewhere leaves the links of pages whose changes are reviewed, and says so', async () => {
  await prepare('kept', { agents: 'required' })
  await admin.space('moving', { visibility: 'private' })
  assertStatus(await admin.call('PUT', `/spaces/moving/members/${agent.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await agent.client.put('/pages/moving/target', 'target\n'), 201)
  assertStatus(await admin.put('/pages/kept/linking', '[to](/pages/moving/target)\n'), 201)
  const move = { json: { to: { path: 'elsewhere' } }, headers: { 'if-match': '"1"' } }
  const { left } = assertStatus(await agent.client.call('POST', '/pages/moving/target/move', move), 200).json
  assert.deepEqual(
    left.map(({ path, reason }: { path: string; reason: string }) => [path, reason]),
    [['linking', 'review_required']],
  )
})

test('screens: a space is set to review, a new page opens a change request, and is approved there', async () => {
  await prepare('screens', {})
  const browser = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields).toString()
    return owner('POST', path, { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  }
  const rules = { people: 'required', agents: 'required', approvals: '1', checks: 'prose', owners: '/hr/**: editor' }
  const unknown = await browser('/settings/screens/review', { ...rules, owners: '/hr/**: nobody' })
  assert.equal(unknown.status, 400)
  assert.match(unknown.text, /nobody/)
  assertStatus(await browser('/settings/screens/review', rules), 303)
  const { review } = assertStatus(await admin.get('/spaces/screens'), 200).json
  assert.deepEqual(review.owners, [{ path: '/hr/**', principals: [editor.id], groups: [] }])
  assert.match((await owner('GET', '/settings/screens/review')).text, /\/hr\/\*\*: editor/)
  const opened = assertStatus(await browser('/new/screens', { title: 'Plan', body: 'text' }), 303)
  assert.equal(opened.headers.get('location'), '/to-review/screens/1?done=suggested')
  assertProblem(await admin.get('/pages/screens/plan'), 404, 'not_found')
  const edit = assertStatus(await owner('GET', '/edit/screens/page'), 303)
  assert.match(edit.headers.get('location') ?? '', /changeRequest=new/)
  const screen = assertStatus(await owner('GET', '/to-review/screens/1'), 200).text
  assert.match(screen, /prose/)
  const etag = (await admin.get('/spaces/screens/change-requests/1')).json.etag
  assertStatus(await browser('/to-review/screens/1', { act: 'review', verdict: 'comment', body: 'Good', etag }), 303)
  assert.match((await owner('GET', '/to-review/screens/1')).text, /Good/)
})

test('a merge leaves the links of other spaces, whatever the merger may do there', async () => {
  await prepare('watched', { people: 'required' })
  for (const space of ['plain', 'source']) await admin.space(space)
  assertStatus(await admin.put('/pages/source/target', 'target\n'), 201)
  const linking = '[to](/pages/source/target)\n'
  assertStatus(await admin.put('/pages/source/near', '[to](./target)\n'), 201)
  assertStatus(await admin.put('/pages/plain/linking', linking), 201)
  assertStatus(await owner('PATCH', '/spaces/watched', { json: { review: { people: 'direct' } } }), 200)
  assertStatus(await admin.put('/pages/watched/linking', linking), 201)
  assertStatus(await owner('PATCH', '/spaces/watched', { json: { review: { people: 'required' } } }), 200)
  const move = { json: { to: { path: 'elsewhere' } }, headers: { 'if-match': '"1"' } }
  assertStatus(await owner('POST', '/pages/source/target/move?changeRequest=new&title=Move', move), 202)
  const request = '/spaces/source/change-requests/1'
  const headers = { 'if-match': (await admin.get(request)).json.etag }
  const { left } = assertStatus(await owner('POST', `${request}/merge`, { json: {}, headers }), 200).json
  const leftPages = left.map(({ space, path }: { space: string; path: string }) => `${space}/${path}`)
  assert.deepEqual(leftPages.sort(), ['plain/linking', 'watched/linking'])
  assert.equal((await admin.get('/pages/source/near.md')).text, '[to](./elsewhere)\n')
  for (const space of ['plain', 'watched']) {
    assert.equal((await admin.get(`/pages/${space}/linking.md`)).text, linking, space)
  }
})

test('where people are reviewed, a merge writes, moves and creates pages, and links follow', async () => {
  await prepare('merged', { people: 'required' })
  const direct = { review: { people: 'direct' } }
  assertStatus(await owner('PATCH', '/spaces/merged', { json: direct }), 200)
  assertStatus(await admin.put('/pages/merged/linking', '[to](./page)\n'), 201)
  assertStatus(await owner('PATCH', '/spaces/merged', { json: { review: { people: 'required' } } }), 200)
  const first = { 'if-match': '"1"' }
  const { client } = editor
  const at = (path: string) => `/pages/merged/${path}?changeRequest=1`
  assertStatus(await client.put('/pages/merged/gone?changeRequest=new&title=All', 'back\n'), 202)
  const move = { json: { to: { path: 'moved' } }, headers: first }
  assertStatus(await client.call('POST', '/pages/merged/page/move?changeRequest=1', move), 202)
  assertStatus(await client.put(at('linking'), '[to](./page) now\n', first), 202)
  assertStatus(await client.patch('/pages/merged/templates/t/metadata?changeRequest=1', { set: { a: 1 } }), 202)
  const file = { 'content-type': 'text/plain', ...first }
  assertStatus(await client.call('PUT', '/files/merged/file?changeRequest=1', { body: 'other', headers: file }), 202)
  const request = '/spaces/merged/change-requests/1'
  const headers = { 'if-match': (await client.get(request)).json.etag }
  assertStatus(await client.call('POST', `${request}/merge`, { json: {}, headers }), 200)
  assert.equal((await admin.get('/pages/merged/linking.md')).text, '[to](./moved) now\n')
  assert.equal((await admin.get('/pages/merged/gone.md')).text, 'back\n')
  assert.equal((await admin.get('/files/merged/file')).text, 'other')
})
