import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rpc, tool } from '../access/route-rules/rule.ts'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { type Answer, assertProblem, assertStatus, type Client, type Options } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

const AUTHOR = 'Zebedee Quince'
let service: Service
let admin: Client
let nobody: Client
let visitor: Agent
before(async () => {
  service = await startService({ SVC_PUBLIC_SPACES: 'on', SVC_PUBLIC_RATE_LIMIT: '1000000' })
  admin = service.admin
  nobody = service.nobody
  const { id, client } = await newPerson(admin, AUTHOR)
  for (const slug of ['open', 'told', 'inner', 'closed']) {
    await admin.space(slug, { visibility: slug === 'closed' ? 'private' : 'org' })
    assertStatus(await admin.call('PUT', `/spaces/${slug}/members/${id}`, { json: { role: 'editor' } }), 201)
    const body = `# Page of ${slug}\n\nTo [next](./next) and [closed](/pages/closed/page).`
    const page = { body, note: 'A kept note', metadata: { secret: `kept-back-${slug}` } }
    const create = { json: page, headers: { 'if-none-match': '*' } }
    assertStatus(await client.call('PUT', `/pages/${slug}/page`, create), 201)
    assertStatus(await client.put(`/pages/${slug}/next`, '# Next'), 201)
    assertStatus(await client.put(`/pages/${slug}/gone`, 'x'), 201)
    assertStatus(await client.delete(`/pages/${slug}/gone`, { 'if-match': '*' }), 204)
    assertStatus(await client.put(`/pages/${slug}/hr/pay`, '# Pay'), 201)
    const file = { body: 'Public bytes', headers: { 'content-type': 'text/plain' } }
    assertStatus(await client.call('PUT', `/files/${slug}/file.txt`, file), 201)
    assertStatus(await client.call('PUT', `/files/${slug}/hr/file.txt`, file), 201)
    assertStatus(await admin.call('PUT', `/spaces/${slug}/rules/hr`, { json: { read: [], write: [] } }), 201)
  }
  assertStatus(await admin.patch('/spaces/open', { visibility: 'public' }), 200)
  assertStatus(await admin.patch('/spaces/told', { visibility: 'public', publicMetadata: true }), 200)
  visitor = await connectAgent(admin.base, undefined)
})
after(async () => {
  await visitor[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const send = (options: Options) => nobody.call('POST', '/mcp', options)
const callTool = (name: string, args: object) => send(tool(name, () => ({ ...args }))({ slug: '', marker: '' }))
const MAY_CALL = [
  'context_list_spaces',
  'context_list_pages',
  'context_find',
  'context_search',
  'context_get_page',
  'context_get_pages',
  'context_get_page_links',
  'context_get_file',
  'context_get_metadata',
]

test('a caller without an account has the tools that read public pages, each with the arguments for it', async () => {
  const { tools } = await visitor.client.listTools()
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), MAY_CALL.toSorted())
  const argumentsOf = (name: string) =>
    Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {})
  for (const { name } of tools) assert.ok(!argumentsOf(name).includes('changeRequest'), name)
  assert.ok(!argumentsOf('context_get_page').includes('version'))
  assert.ok(!argumentsOf('context_get_metadata').includes('history'))
  assert.match(visitor.client.getInstructions() ?? '', /\?sign-in/)
  const { prompts } = await visitor.client.listPrompts()
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ['summarize_space'],
  )
  const { resourceTemplates } = await visitor.client.listResourceTemplates()
  assert.deepEqual(
    resourceTemplates.map(({ name }) => name),
    ['page', 'space'],
  )
})

test('clients of both ages read pages of public spaces, and nobody is named', async () => {
  await using modern = await connectAgent(admin.base, undefined, true)
  const page = { space: 'open', path: 'page' }
  const calls: readonly (readonly [string, object, RegExp])[] = [
    ['context_get_page', page, /Page of open/],
    ['context_get_page', { ...page, view: 'outline' }, /Page of open/],
    ['context_get_pages', { pages: ['open/page', 'open/next'] }, /Page of open.*Next/s],
    ['context_get_page_links', page, /open\/next/],
    ['context_list_pages', { space: 'open' }, /open\/page/],
    ['context_list_pages', {}, /open\/page/],
    ['context_list_spaces', {}, /open/],
    ['context_find', { query: 'Page of' }, /open\/page/],
    ['context_search', { query: 'page' }, /open\/page/],
    ['context_search', { query: 'page', passages: true }, /open\/page/],
    ['context_get_file', { space: 'open', path: 'file.txt' }, /Public bytes/],
  ]
  await until(async () => textOf(await visitor.call('context_search', { query: 'page' })).includes('open/page'))
  for (const agent of [visitor, modern]) {
    for (const [name, args, expected] of calls) {
      const result = await agent.call(name, { ...args, format: 'detailed' })
      assert.ok(!result.isError, textOf(result))
      assert.match(textOf(result), expected, name)
      const all = JSON.stringify(result)
      assert.doesNotMatch(all, /"(?:createdBy|updatedBy|note|trust)":/, name)
      for (const hidden of [AUTHOR, 'kept note', 'kept-back', 'Page of inner', 'Page of closed', 'hr/pay']) {
        assert.ok(!all.includes(hidden), `${name} shows ${hidden}`)
      }
    }
    const { resources } = await agent.client.listResources()
    const spaces = new Set(resources.map(({ name }) => name.split('/')[0]))
    assert.deepEqual([...spaces].toSorted(), ['open', 'told'])
    const { contents } = await agent.client.readResource({ uri: 'recto://pages/open/page' })
    assert.match(JSON.stringify(contents), /Page of open/)
    const { messages } = await agent.client.getPrompt({ name: 'summarize_space', arguments: { space: 'open' } })
    assert.match(JSON.stringify(messages), /open\/page/)
  }
})

test('metadata is read where it is public, and is absent elsewhere', async () => {
  const answer = await visitor.call('context_get_metadata', { space: 'told', path: 'page', format: 'detailed' })
  assert.match(textOf(answer), /kept-back-told/)
  assert.doesNotMatch(JSON.stringify(answer), new RegExp(`${AUTHOR}|updatedBy`))
  const http = assertStatus(await nobody.get('/pages/told/page/metadata'), 200)
  assert.deepEqual(http.json.metadata, { secret: 'kept-back-told' })
  assert.doesNotMatch(http.text, new RegExp(`${AUTHOR}|updatedBy`))
  const absent = await visitor.rejected('not_found', 'context_get_metadata', { space: 'open', path: 'absent' })
  const hidden = await visitor.rejected('not_found', 'context_get_metadata', { space: 'open', path: 'page' })
  assert.equal(hidden.detail, absent.detail)
  assertProblem(await nobody.get('/pages/open/page/metadata'), 404, 'not_found')
  assertProblem(await nobody.get('/pages/inner/page/metadata'), 401, 'unauthorized')
})

/** What an answer says, but for what differs in any case. */
const told = ({ status, headers, text }: Answer, ...words: readonly string[]) => ({
  status,
  challenge: headers.get('www-authenticate'),
  text: words
    .reduce((rest, word) => rest.replaceAll(word, 'WORD'), text)
    .replace(/\\?"requestId\\?":\\?"[\w-]*\\?"|Request [\w-]+/g, ''),
})

test('in a public space what is hidden, deleted or absent is told alike', async () => {
  for (const [name, path, others] of [
    ['context_get_page', 'absent', ['hr/pay', 'hr', 'gone']],
    ['context_get_page_links', 'absent', ['hr/pay', 'gone']],
    ['context_get_metadata', 'absent', ['hr/pay', 'gone']],
    ['context_get_file', 'absent.txt', ['hr/file.txt', 'gone']],
  ] as const) {
    const absent = told(assertStatus(await callTool(name, { space: 'open', path }), 200), path)
    assert.match(absent.text, /not_found/)
    for (const other of others) {
      assert.deepEqual(told(await callTool(name, { space: 'open', path: other }), other), absent, `${name} ${other}`)
      const url = `/${name === 'context_get_file' ? 'files' : 'pages'}/open/${other}`
      assert.deepEqual(told(await callTool(name, { path: url }), other), absent, `${name} ${url}`)
    }
  }
  const some = await visitor.data('context_get_pages', {
    pages: ['open/page', 'open/gone', 'open/hr/pay', 'open/absent', 'closed/page', 'none/page'],
  })
  const errors = some.items.map(({ error }: { error?: string }) => error)
  assert.equal(errors[0], undefined)
  assert.deepEqual(new Set(errors.slice(1, 4)).size, 1)
  assert.equal(errors[4], errors[5])
})

test('outside of public spaces a call is 401 with the challenge, whether or not the thing exists', async () => {
  const challenge = new RegExp(`resource_metadata="${admin.base}/.well-known/oauth-protected-resource/mcp"`)
  const calls = (slug: string, path: string): readonly Options[] => [
    ...['context_get_page', 'context_get_page_links', 'context_get_metadata', 'context_get_file'].map((name) =>
      rpc('tools/call', { name, arguments: { space: slug, path } }),
    ),
    rpc('tools/call', { name: 'context_get_page', arguments: { path: `${slug}/${path}` } }),
    rpc('tools/call', { name: 'context_get_page', arguments: { path: `${admin.base}/pages/${slug}/${path}` } }),
    rpc('tools/call', { name: 'context_get_file', arguments: { path: `/files/${slug}/${path}` } }),
    rpc('tools/call', { name: 'context_get_pages', arguments: { pages: [`${slug}/${path}`] } }),
    rpc('tools/call', { name: 'context_list_pages', arguments: { space: slug } }),
    rpc('tools/call', { name: 'context_search', arguments: { space: slug, query: 'page' } }),
    rpc('resources/read', { uri: `recto://pages/${slug}/${path}` }),
    rpc('resources/read', { uri: `recto://pages/${slug}` }),
    rpc('prompts/get', { name: 'summarize_space', arguments: { space: slug } }),
  ]
  const absent = await Promise.all(calls('none', 'page').map(send))
  for (const [slug, path] of [
    ['closed', 'page'],
    ['inner', 'page'],
    ['inner', 'absent'],
    ['personal', 'page'],
  ] as const) {
    for (const [index, options] of calls(slug, path).entries()) {
      const answer = assertProblem(await send(options), 401, 'unauthorized')
      assert.match(answer.headers.get('www-authenticate') ?? '', challenge)
      assert.deepEqual(told(answer), told(absent[index] as Answer), JSON.stringify(options.json))
    }
  }
})

test('what needs an account in a public space is 401, too', async () => {
  const page = { space: 'open', path: 'page' }
  const { tools } = await (await connectAgent(admin.base, admin.key)).client.listTools()
  const others = tools.map(({ name }) => name).filter((name) => !MAY_CALL.includes(name))
  assert.ok(others.length > 10)
  for (const name of others) assertProblem(await callTool(name, page), 401, 'unauthorized')
  for (const options of [
    rpc('tools/call', { name: 'context_get_page', arguments: { ...page, version: 1 } }),
    rpc('tools/call', { name: 'context_get_page', arguments: { path: '/pages/open/page?version=1' } }),
    rpc('tools/call', { name: 'context_get_page', arguments: { ...page, changeRequest: '1' } }),
    rpc('tools/call', { name: 'context_get_metadata', arguments: { ...page, history: true } }),
    rpc('resources/read', { uri: 'recto://change-requests/open/1' }),
    rpc('resources/subscribe', { uri: 'recto://pages/open/page' }),
    rpc('prompts/get', { name: 'mend_links', arguments: { space: 'open' } }),
    rpc('prompts/get', { name: 'open/none' }),
    rpc('subscriptions/listen', { notifications: { resourcesListChanged: true } }),
  ]) {
    assertProblem(await send(options), 401, 'unauthorized')
  }
})

test('a wrong key is 401 where no key is 200', async () => {
  assertProblem(await service.as('svc_wrong').call('POST', '/mcp', rpc('ping', {})), 401, 'unauthorized')
  assertStatus(await send(rpc('ping', {})), 200)
})

test('a client that wants to sign in finds the challenge and the metadata of its URL', async () => {
  const answer = assertProblem(await nobody.call('POST', '/mcp?sign-in', rpc('ping', {})), 401, 'unauthorized')
  const [, url = ''] = /resource_metadata="([^"]*)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? []
  assert.equal(url, `${admin.base}/.well-known/oauth-protected-resource/mcp?sign-in`)
  const { json } = assertStatus(await nobody.get(url.slice(admin.base.length)), 200)
  assert.equal(json.resource, `${admin.base}/mcp?sign-in`)
  assertStatus(await admin.call('POST', '/mcp?sign-in', rpc('ping', {})), 200)
})

test('callers without an account have no session and no stream, and their messages are short', async () => {
  const clientInfo = { name: 'test', version: '1' }
  const begun = await send(rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }))
  assert.equal(assertStatus(begun, 200).headers.get('mcp-session-id'), null)
  assert.equal('subscribe' in begun.json.result.capabilities.resources, false)
  const stream = await nobody.get('/mcp', { accept: 'text/event-stream', 'mcp-session-id': 'x' })
  assertProblem(stream, 405, 'method_not_allowed')
  const query = 'x'.repeat(64 * 1024)
  assertProblem(await callTool('context_find', { query }), 413, 'payload_too_large')
})

test('messages count for the limit of the address, and so do the pages of a call', async () => {
  await using limited = await startService({ SVC_PUBLIC_SPACES: 'on', SVC_PUBLIC_RATE_LIMIT: '5' })
  await limited.admin.space('open', { visibility: 'public' })
  const call = (options: Options) => limited.nobody.call('POST', '/mcp', options)
  assertStatus(await call(rpc('ping', {})), 200)
  const pages = ['open/a', 'open/b', 'open/c', 'open/d', 'open/e']
  const many = assertStatus(await call(rpc('tools/call', { name: 'context_get_pages', arguments: { pages } })), 200)
  assert.match(many.text, /too_many_requests/)
  const few = rpc('tools/call', { name: 'context_get_pages', arguments: { pages: pages.slice(0, 3) } })
  assert.match(assertStatus(await call(few), 200).text, /not_found/)
  assertProblem(await call(rpc('ping', {})), 429, 'too_many_requests')
  assertStatus(await limited.admin.call('POST', '/mcp', rpc('ping', {})), 200)
})

test('where nothing is public, MCP is 401 as without public spaces', async () => {
  await using empty = await startService({ SVC_PUBLIC_SPACES: 'on' })
  await empty.admin.space('inner', { visibility: 'org' })
  for (const options of [rpc('ping', {}), rpc('tools/list', {})]) {
    const answer = assertProblem(await empty.nobody.call('POST', '/mcp', options), 401, 'unauthorized')
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
  }
  assertProblem(await empty.nobody.get('/mcp'), 401, 'unauthorized')
})
