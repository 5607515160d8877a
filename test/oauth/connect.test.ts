import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { putBytes } from '../support/files.ts'
import { authorizationRequest, callTool, connect, decide, openBrowser, redeem, registerApp } from '../support/oauth.ts'
import { newOwner, newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
let ada: Person
before(async () => {
  service = await startService()
  ada = await newOwner(service.admin, 'Ada')
})
after(() => service[Symbol.asyncDispose]())

test('metadata names the resource, the authorization server, PKCE and how clients register', async () => {
  const { base } = service.admin
  for (const path of ['', '/mcp']) {
    const { json } = assertStatus(await service.nobody.get(`/.well-known/oauth-protected-resource${path}`), 200)
    assert.equal(json.resource, `${base}/mcp`)
    assert.deepEqual(json.authorization_servers, [base])
  }
  const { json } = assertStatus(await service.nobody.get('/.well-known/oauth-authorization-server'), 200)
  assert.equal(json.issuer, base)
  assert.deepEqual(json.code_challenge_methods_supported, ['S256'])
  assert.equal(json.client_id_metadata_document_supported, true)
  assert.equal(json.authorization_response_iss_parameter_supported, true)
  assert.equal(json.registration_endpoint, `${base}/oauth/register`)
  assert.equal(json.token_endpoint, `${base}/oauth/token`)
  const methods = ['none', 'client_secret_basic', 'client_secret_post']
  assert.deepEqual(json.token_endpoint_auth_methods_supported, methods)
  assert.deepEqual(json.revocation_endpoint_auth_methods_supported, methods)
  assert.deepEqual(json.response_modes_supported, ['query'])
  for (const scope of ['read', 'propose', 'write']) {
    assert.ok(json.scopes_supported.includes(scope), String(json.scopes_supported))
  }
})

test('/mcp without a credential returns 401 with a challenge that links to the authorization server', async () => {
  const answer = await callTool(service.nobody, 'oat_wrong', 'context_list_spaces')
  assert.equal(answer.status, 401)
  const challenge = answer.headers.get('www-authenticate') ?? ''
  assert.match(
    challenge,
    /^Bearer realm="recto", error="invalid_token", scope="read propose write", resource_metadata="/,
  )
  assert.ok(challenge.includes(`resource_metadata="${service.admin.base}/.well-known/oauth-protected-resource/mcp"`))
})

test('an app that a person connects acts for the person, with the scope and the spaces of the consent', async () => {
  const open = await service.admin.space('open')
  await service.admin.space('closed')
  const clientId = await registerApp(service.nobody)
  const browser = await openBrowser(service.admin.base, ada.key)
  const { url, verifier } = authorizationRequest(service.admin.base, clientId)
  const back = await decide(browser, url, { decision: 'allow', scope: 'write', access: 'some', 'spaces[]': [open] })
  assert.equal(back.searchParams.get('state'), 'a state')
  assert.equal(back.searchParams.get('iss'), service.admin.base)
  const code = back.searchParams.get('code') ?? ''
  const tokens = assertStatus(await redeem(service.nobody, { clientId, code, verifier }), 200).json
  assert.equal(tokens.scope, 'read propose write')
  assert.match(tokens.access_token, /^oat_/)

  const { text } = assertStatus(await callTool(service.nobody, tokens.access_token, 'context_list_spaces'), 200)
  assert.match(text, /open/)
  assert.doesNotMatch(text, /closed/)
  // The token is for MCP: the API does not take it.
  const api = await service.as(tokens.access_token).get('/me')
  assert.equal(api.status, 401)
})

test('a person lists and ends connections; the tokens stop working', async () => {
  const clientId = await registerApp(service.nobody, { client_name: 'Short <b>lived</b>' })
  const browser = await openBrowser(service.admin.base, ada.key)
  const { access_token } = await connect(service.nobody, browser, clientId)
  assertStatus(await callTool(service.nobody, access_token, 'context_list_spaces'), 200)
  const { json } = assertStatus(await ada.client.get('/me/connections'), 200)
  const connection = json.items.find((one: { app: { id: string } }) => one.app.id === clientId)
  assert.equal(connection.app.name, 'Short <b>lived</b>')
  const { text } = await browser.open('/account')
  assert.match(text, /Short &lt;b&gt;lived/)
  assertStatus(await ada.client.delete(`/me/connections/${connection.id}`), 204)
  assert.equal((await ada.client.delete(`/me/connections/${connection.id}`)).status, 404)
})

test('every text of MCP that names an author says whether it is a person or an agent, and by which app it wrote', async () => {
  await service.admin.space('told', { defaultRole: 'editor' })
  const clientId = await registerApp(service.nobody, { client_name: 'Quill' })
  const browser = await openBrowser(service.admin.base, ada.key)
  const { access_token } = await connect(service.nobody, browser, clientId)
  const robot = await newPerson(service.admin, 'Robot', { kind: 'agent', role: 'admin' })
  const at = { space: 'told', path: 'one' }
  const call = async (token: string | undefined, name: string, args: object): Promise<string> => {
    const { result } = assertStatus(await callTool(service.nobody, token ?? '', name, args), 200).json
    const text = result.content.map((piece: { text: string }) => piece.text).join('\n')
    assert.ok(!result.isError, text)
    return text
  }
  const writers = [
    { token: access_token, by: 'Ada (human, via Quill)' },
    { token: ada.key, by: 'Ada (human)' },
    { token: robot.key, by: 'Robot (agent)' },
  ]
  for (const [version, { token, by }] of writers.entries()) {
    const guard = version === 0 ? {} : { version }
    await call(token, 'context_write_page', { ...at, body: `# ${by}\n`, ...guard })
    await call(token, 'context_patch_metadata', { ...at, set: { state: version } })
    for (const name of ['context_get_page', 'context_get_metadata']) {
      const [text] = (await call(ada.key, name, at)).split('\n# ')
      assert.ok(text?.includes(by), `${name}: ${text}`)
    }
  }
  const lists: readonly (readonly [name: string, args: object, entry: RegExp])[] = [
    ['context_get_page_history', at, /^version \d/],
    ['context_get_metadata', { ...at, history: true }, / "?state"? by /],
    ['context_get_metadata', { ...at, history: true, key: 'state' }, / "?state"? by /],
    ['context_get_changes', { space: 'told', kinds: ['page.created', 'page.updated'] }, / page\.(?:created|updated) /],
    ['context_get_changes', { space: 'told', kinds: ['page.metadata.updated'] }, / page\.metadata\.updated /],
  ]
  for (const [name, args, entry] of lists) {
    // An event is listed once no open transaction can precede it.
    await until(async () => {
      const lines = (await call(ada.key, name, args)).split('\n').filter((line) => entry.test(line))
      return writers.every(({ by }) => lines.filter((line) => line.includes(by)).length === 1)
    })
  }
  await call(access_token, 'context_write_page', { space: 'told', path: 'two', body: '# Two' })
  const { result } = assertStatus(
    await callTool(service.nobody, ada.key, 'context_list_pages', { space: 'told', format: 'detailed' }),
    200,
  ).json
  assert.deepEqual(
    result.structuredContent.items.map((page: { updatedBy: string }) => page.updatedBy),
    ['Robot (agent)', 'Ada (human, via Quill)'],
  )
  const env = { RECTO_URL: service.admin.base, RECTO_API_KEY: ada.key }
  const lines: readonly (readonly [words: string, line: RegExp])[] = [
    ['ls told', /^two .* Ada \(human, via Quill\)$/m],
    ['log told/one', /^ +1 .* Ada \(human, via Quill\) /m],
    ['log told/one --patch', /^version 3 .* Robot \(agent\)$/m],
    ['meta get told/one', /^state +2 .* Robot \(agent\)$/m],
    ['meta history told/one', / Ada \(human, via Quill\) +state /],
    ['changes --space told', / page\.created .* by Ada \(human, via Quill\)$/m],
    ['audit', / app\.connected +Ada \(human\) /],
  ]
  for (const [words, line] of lines) {
    const asked = { ...env, ...(words === 'audit' && { RECTO_API_KEY: service.admin.key ?? '' }) }
    const { out, err } = await runCommand(words.split(' '), asked)
    assert.match(out, line, `${words}: ${err}`)
  }
})

test('what an app writes is by the person, via the app: in pages, history, metadata, the change feed and the audit log', async () => {
  await service.admin.space('shared', { defaultRole: 'editor' })
  const clientId = await registerApp(service.nobody, { client_name: 'Scribe' })
  const browser = await openBrowser(service.admin.base, ada.key)
  const { access_token } = await connect(service.nobody, browser, clientId, { resource: service.admin.base })
  const app = service.as(access_token)
  const by = { id: ada.id, name: 'Ada', kind: 'human', via: 'Scribe' }
  const made = assertStatus(await app.put('/pages/shared/one', '# One\n'), 201).json
  assert.deepEqual([made.createdBy, made.updatedBy], [by, by])
  const edited = assertStatus(await ada.client.put('/pages/shared/one', '# Two\n', { 'if-match': '*' }), 200).json
  assert.deepEqual([edited.createdBy, edited.updatedBy.via], [by, undefined])
  assertStatus(await app.put('/pages/shared/one', '# Three\n', { 'if-match': '*' }), 200)
  const page = (await ada.client.page('/pages/shared/one')).json
  assert.deepEqual([page.createdBy, page.updatedBy], [by, by])
  const versions = (await ada.client.get('/pages/shared/one/versions')).json.items
  assert.deepEqual(
    versions.map(({ createdBy }: { createdBy: { via?: string } }) => createdBy.via),
    ['Scribe', undefined, 'Scribe'],
  )
  assertStatus(await app.patch('/pages/shared/one/metadata', { set: { state: 'new' } }), 200)
  const [entry] = (await ada.client.get('/pages/shared/one/metadata/history')).json.items
  assert.deepEqual(entry.actor, by)
  const readEntries = async (path: string) =>
    assertStatus(await ada.client.get(`/pages/shared/${path}/metadata`), 200).json.entries
  const authors = async (path: string) =>
    (await readEntries(path)).map((one: { key: string; updatedBy: object }) => [one.key, one.updatedBy])
  assert.deepEqual(await authors('one'), [['state', by]])
  // A patch answers as a read does, by whichever way it is written; only the changed key has another author.
  const { via: _, ...own } = by
  for (const set of [{ other: 1 }, { state: 'newer', other: 2 }, { state: 'newest' }]) {
    const { json } = assertStatus(await ada.client.patch('/pages/shared/one/metadata', { set }), 200)
    assert.deepEqual(json.entries, await readEntries('one'))
    const byApp = assertStatus(await app.patch('/pages/shared/one/metadata', { set: { last: set } }), 200).json
    assert.deepEqual(byApp.entries, await readEntries('one'))
  }
  assert.deepEqual(await authors('one'), [
    ['last', by],
    ['other', own],
    ['state', own],
  ])
  const metadata = { state: 'first' }
  assertStatus(await app.call('PUT', '/pages/shared/two', { json: { body: '# Two', metadata } }), 201)
  assert.deepEqual(await authors('two'), [['state', by]])
  assertStatus(await app.post('/metadata/batch', { pages: [{ space: 'shared', path: 'two' }], set: { more: 1 } }), 200)
  assert.deepEqual(await authors('two'), [
    ['more', by],
    ['state', by],
  ])
  assert.match((await browser.open('/metadata/shared/two')).text, /by Ada via Scribe/)
  assert.match((await browser.open('/metadata/shared/two')).text, />Ada<[^\n]* via Scribe/)
  // An event is returned once no open transaction can precede it.
  const changed = async () => (await ada.client.get('/changes?space=shared&kinds=page.metadata.updated')).json.items
  await until(async () => (await changed()).length > 0)
  assert.deepEqual((await changed())[0].actor, by)
  const { text } = await browser.open('/history/shared/one')
  assert.match(text, /via Scribe/)
  const put = async (client: typeof app) =>
    assertStatus(await putBytes(client, '/files/shared/a.txt', Buffer.from('a'), { 'if-match': '*' }), 200).json
  const file = assertStatus(await putBytes(app, '/files/shared/a.txt', Buffer.from('a')), 201).json
  assert.deepEqual([file.createdBy, file.updatedBy], [by, by])
  const replaced = await put(ada.client)
  assert.deepEqual([replaced.createdBy, replaced.updatedBy.via], [by, undefined])
  await put(app)
  assertStatus(await app.delete('/files/shared/a.txt', { 'if-match': '*' }), 204)
  assert.deepEqual(assertStatus(await app.post('/files/shared/a.txt/restore'), 200).json.updatedBy, by)
  const [listed] = await ada.client.all('/spaces/shared/files')
  assert.deepEqual([listed.createdBy, listed.updatedBy], [by, by])
  assert.deepEqual(
    (await ada.client.all('/files/shared/a.txt/versions')).map(({ createdBy }) => createdBy.via),
    ['Scribe', 'Scribe', undefined, 'Scribe'],
  )
  const bundle = assertStatus(await service.admin.get('/spaces/shared/export?history=true'), 200).json
  assert.deepEqual(
    bundle.pages[0].revisions.map(({ createdBy }: { createdBy: { via?: string } }) => createdBy.via),
    ['Scribe', undefined, 'Scribe'],
  )
  // What the export has can be imported.
  await service.admin.space('copied')
  assertStatus(await service.admin.call('POST', '/spaces/copied/import', { json: bundle }), 200)
  const again = assertStatus(await service.admin.get('/spaces/copied/export?history=true'), 200).json
  assert.deepEqual(again.pages[0].revisions, bundle.pages[0].revisions)
  const copy = (await service.admin.page(`/pages/copied/${bundle.pages[0].path}`)).json
  assert.deepEqual([copy.createdBy.via, copy.updatedBy.via], ['Scribe', 'Scribe'])
  const log = (await service.admin.get(`/admin/audit?actor=${ada.id}&action=app.connected`)).json.items
  assert.equal(log[0].details.clientId, clientId)
})

test('an app with read-only scope gets insufficient_scope when it calls a tool that writes', async () => {
  const clientId = await registerApp(service.nobody)
  const browser = await openBrowser(service.admin.base, ada.key)
  const decision = { decision: 'allow', scope: 'read', access: 'all' }
  const { access_token, scope } = await connect(service.nobody, browser, clientId, { scope: 'read', decision })
  assert.equal(scope, 'read')
  const answer = await callTool(service.nobody, access_token, 'context_write_page', { space: 'personal', path: 'x' })
  assert.equal(answer.status, 403)
  const challenge = answer.headers.get('www-authenticate') ?? ''
  assert.match(challenge, /error="insufficient_scope", scope="read propose write", resource_metadata="/)
  const more = await connect(service.nobody, browser, clientId)
  assertStatus(
    await callTool(service.nobody, more.access_token, 'context_write_page', {
      space: 'personal',
      path: 'x',
      body: '# X',
    }),
    200,
  )
})

test('a person lets an app propose changes that asked for writing; an app that asked for less gets no more', async () => {
  const browser = await openBrowser(service.admin.base, ada.key)
  const connectFor = async (asked: string, chosen: string) => {
    const decision = { decision: 'allow', scope: chosen, access: 'all' }
    return connect(service.nobody, browser, await registerApp(service.nobody), { scope: asked, decision })
  }
  const cases = [
    ['read write', 'propose', 'read propose'],
    ['write', 'propose', 'read propose'],
    ['propose', 'propose', 'read propose'],
    ['propose', 'read', 'read'],
    ['read propose', 'write', 'read propose'],
  ] as const
  for (const [asked, chosen, expected] of cases) {
    const { scope, access_token } = await connectFor(asked, chosen)
    assert.equal(scope, expected, `${chosen} of ${asked}`)
    const { result } = (await callTool(service.nobody, access_token, 'context_whoami', {})).json
    assert.match(result.content[0].text, new RegExp(`Scopes of the key: ${expected.replace(' ', ', ')}\\.`))
    const written = await callTool(service.nobody, access_token, 'context_write_page', { space: 'personal', path: 'x' })
    assert.equal(written.status, 403)
  }
  const [latest] = (await ada.client.get('/me/connections')).json.items.slice(-1)
  assert.deepEqual(latest.scopes, ['read', 'propose'])
  assert.match((await browser.open('/account')).text, /read and propose/)
})
