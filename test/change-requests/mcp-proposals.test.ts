import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { until } from '../support/embedded.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let agent: Agent
let merger: Agent
let author: Person

/** The tools by which a key with the scope `propose` writes. */
const PROPOSING = [
  'context_delete_page',
  'context_edit_page',
  'context_move_page',
  'context_replace_text',
  'context_restore_page',
  'context_update_metadata',
  'context_write_page',
]

const COMMENTING = ['context_review_change_request', 'context_comment']

before(async () => {
  service = await startService()
  author = await newPerson(service.admin, 'Ada', { kind: 'agent', scopes: ['propose'] })
  agent = await connectAgent(service.app.address, author.key)
  merger = await connectAgent(service.app.address, service.admin.key)
})
after(async () => {
  await agent?.[Symbol.asyncDispose]()
  await merger?.[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const text = async (name: string, args: object, by = agent) => {
  const result = await by.call(name, { ...args })
  assert.ok(!result.isError, textOf(result))
  return textOf(result)
}
const resource = async ({ client }: Agent, uri: string) => {
  const [content] = (await client.readResource({ uri }, { cacheMode: 'bypass' })).contents
  return content && 'text' in content ? content.text : ''
}
const read = async (path: string) => (await service.admin.get(`/pages/${path}.md`)).text

test('who may only propose sees the writing tools with the change request required', async () => {
  const { tools } = await agent.client.listTools()
  const writing = tools.filter(
    ({ name, annotations }) => annotations?.readOnlyHint !== true && !COMMENTING.includes(name),
  )
  assert.equal(tools.length - writing.length, tools.filter(({ annotations }) => annotations?.readOnlyHint).length + 2)
  assert.deepEqual(writing.map(({ name }) => name).sort(), PROPOSING)
  for (const { name, inputSchema } of writing) assert.ok(inputSchema.required?.includes('changeRequest'), name)
  const all = (await merger.client.listTools()).tools.find(({ name }) => name === 'context_edit_page')
  assert.ok(!all?.inputSchema.required?.includes('changeRequest'))
  await service.admin.space('scoped')
  const at = { space: 'scoped', path: 'a', body: 'x' }
  await agent.rejected('forbidden', 'context_write_page', at)
  await agent.rejected('forbidden', 'context_write_page', { ...at, changeRequest: '' })
  await agent.rejected('forbidden', 'context_put_file', { path: 'scoped/a.txt', text: 'x' })
  await agent.rejected('forbidden', 'context_merge_change_request', { space: 'scoped', number: 1, version: 1 })
  await agent.rejected('invalid_request', 'context_write_page', { ...at, changeRequest: 'new' })
  await agent.rejected('not_found', 'context_write_page', { ...at, changeRequest: 7 })
})

test('an agent proposes a day of work, finds its change request again, and a person merges it', async () => {
  await service.admin.space('work')
  for (const name of ['a', 'b', 'c', 'd'])
    await service.admin.put(`/pages/work/${name}`, `# ${name}\n\nThe Frobnicator.\n`)
  const title = { changeRequest: 'new', changeRequestTitle: 'Better words' }
  const replacement = { space: 'work', find: 'Frobnicator', replace: 'Widget' }
  assert.match(await text('context_replace_text', { ...replacement, ...title, dryRun: true }), /4 hits in 4 pages/)
  const replaced = await text('context_replace_text', { ...replacement, ...title })
  assert.match(
    replaced,
    /^Proposed in change request 1, .*\/spaces\/work\/change-requests\/1\nReplaced 4 hits in 4 pages/,
  )
  assert.match(replaced, /^work\/a: 1 hit, draft 1$/m)
  const cr = { changeRequest: 1 }
  assert.match(
    await text('context_edit_page', { path: 'work/a', edits: [{ op: 'append', text: 'More.\n' }], ...cr }),
    /Draft: 2\.$/m,
  )
  const page = await text('context_get_page', { path: 'work/a', ...cr })
  assert.match(page, /^Page work\/a, draft 2: a$/m)
  assert.match(page, /The Widget\.\nMore\.$/m)
  assert.match(await text('context_get_page', { path: 'work/a' }), /version 1: a[\s\S]*Frobnicator/)

  // The version of the page is not that of the draft.
  const write = { path: 'work/b', body: '# b\n\nNew.\n', ...cr }
  assert.match(
    textOf(await agent.call('context_write_page', { ...write, version: 1 })),
    /its draft is 1\. .*send `draft`/,
  )
  await agent.rejected('precondition_required', 'context_write_page', write)
  await agent.rejected('precondition_failed', 'context_write_page', { ...write, draft: 2 })
  await merger.rejected('invalid_request', 'context_write_page', { path: 'work/b', body: 'x', draft: 1 })
  const written = await agent.data('context_write_page', { ...write, draft: 1 })
  assert.deepEqual([written.version, written.draft], [1, 2])
  const created = await agent.data('context_write_page', {
    path: 'work/new',
    body: '# New\n',
    metadata: { k: 1 },
    ...cr,
  })
  assert.deepEqual([created.version, created.draft, created.created], [null, 1, true])
  assert.match(await text('context_delete_page', { path: 'work/c', ...cr }), /^Proposed .*\nDeleted 1 page/)
  await agent.rejected('not_found', 'context_get_page', { path: 'work/c', ...cr })
  await text('context_update_metadata', { pages: ['work/d', 'work/new'], set: { status: 'reviewed' }, ...cr })
  assert.match(await text('context_get_metadata', { path: 'work/new', ...cr }), /"status": "reviewed"/)
  assert.match(await text('context_restore_page', { path: 'work/d', version: 1, ...cr }), /Draft: 3\.$/m)
  assert.match(await text('context_get_pages', { pages: ['work/a', 'work/d'], ...cr }), /=== work\/a, draft 2: a/)
  const list = await agent.data('context_list_pages', { space: 'work', ...cr })
  assert.deepEqual(
    list.items.map(({ path }: { path: string }) => path),
    ['a', 'b', 'd', 'new'],
  )

  for (const name of ['a', 'b', 'c', 'd']) assert.equal(await read(`work/${name}`), `# ${name}\n\nThe Frobnicator.\n`)
  assert.match(
    await text('context_list_change_requests', { author: 'me' }),
    /^work 1 \(open\): Better words, by Ada \(agent\), 5 pages/m,
  )
  const request = await text('context_get_change_request', { space: 'work', number: 1 }, merger)
  assert.match(request, /^- new \(created\): New$/m)
  assert.match(request, /^-The Frobnicator\.\n\+The Widget\.\n\+More\.$/m)
  assert.match(request, /"status": none -> "reviewed"/)
  const { etag } = await merger.data('context_get_change_request', { space: 'work', number: 1 })
  const version = Number(etag.slice(1, -1))
  assert.ok(request.includes(`Version: ${version}. It can be merged.`))
  await merger.rejected('precondition_failed', 'context_merge_change_request', { space: 'work', number: 1, version: 1 })
  const merged = await text('context_merge_change_request', { space: 'work', number: 1, version }, merger)
  assert.match(merged, /^Merged 5 pages\. work 1 \(merged\)/)
  assert.equal(await read('work/a'), '# a\n\nThe Widget.\nMore.\n')
  assert.equal(await read('work/new'), '# New\n')
  assert.equal(await read('work/d'), '# d\n\nThe Frobnicator.\n')
  await agent.rejected('change_request_closed', 'context_write_page', { path: 'work/x', body: 'x', ...cr })
})

test('a review is heard of at once by the agent that wrote the changes, which reads it and changes them', async () => {
  const { admin } = service
  await admin.space('heard')
  await admin.put('/pages/heard/a/b', '# b\n')
  await admin.put('/pages/heard/a', '# a\n')
  const cr = { changeRequest: 'new', changeRequestTitle: 'Places' }
  assert.match(
    await text('context_move_page', { path: 'heard/a', to: 'c', prefix: true, ...cr }),
    /^Proposed in change request 1.*\nMoved 2 pages/,
  )
  const at = { space: 'heard', number: 1 }
  const uri = 'recto://change-requests/heard/1'
  await using listener = await connectAgent(service.app.address, author.key, true)
  await using stranger = await connectAgent(service.app.address, author.key, true)
  const heard: string[] = []
  listener.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri)
  })
  await listener.client.listen({ resourceSubscriptions: [uri] })
  const version = async () => Number((await agent.data('context_get_change_request', at)).etag.slice(1, -1))
  const review = { ...at, version: await version(), verdict: 'requestChanges', body: 'Not `c`, but `d`.' }
  await agent.rejected('forbidden', 'context_review_change_request', review)
  await merger.rejected('precondition_failed', 'context_review_change_request', { ...review, version: 1 })
  const said = await text('context_review_change_request', review, merger)
  assert.match(said, /^Review by Admin \(human\): requestChanges: Not `c`, but `d`\.$/m)
  await until(() => heard.includes(uri))
  assert.equal(await resource(listener, uri), await text('context_get_change_request', at))
  assert.match(await resource(listener, uri), /^Review by .*: requestChanges: Not `c`/m)
  await assert.rejects(resource(stranger, 'recto://change-requests/heard/7'), /no change request 7/)
  await assert.rejects(resource(stranger, 'recto://change-requests/Heard/1'), /does not exist/)

  const named = { changeRequest: 1, path: 'heard/c', to: 'd', version: 1 }
  assert.match(await text('context_move_page', { ...named, version: undefined, prefix: true }), /Moved 2 pages/)
  await agent.rejected('precondition_failed', 'context_move_page', { ...named, path: 'heard/d', to: 'e', version: 7 })
  const comment = { ...at, version: await version(), verdict: 'comment', body: 'Done.' }
  assert.match(await text('context_review_change_request', comment), /: requestChanges \(changed since\): Not/)
  const approved = { ...at, version: await version(), verdict: 'approve' }
  assert.match(await text('context_review_change_request', approved, merger), /^Check approvals: passed/m)
  await text('context_merge_change_request', { ...at, version: await version() }, merger)
  assert.equal(await read('heard/d/b'), '# b\n')
})

test('a call that fails leaves no new change request, and one call proposes in one space', async () => {
  await service.admin.space('one')
  await service.admin.space('other')
  await service.admin.put('/pages/other/b', 'b')
  const title = { changeRequest: 'new', changeRequestTitle: 'Fails' }
  await agent.rejected('not_found', 'context_edit_page', {
    path: 'one/none',
    edits: [{ op: 'append', text: 'x' }],
    ...title,
  })
  await agent.rejected('invalid_request', 'context_delete_page', { path: 'other/b', prefix: true, ...title })
  await agent.rejected('invalid_request', 'context_update_metadata', {
    pages: ['one/a', 'other/b'],
    set: { a: 1 },
    ...title,
  })
  await agent.rejected('invalid_request', 'context_replace_text', { find: 'x', replace: 'y', ...title })
  for (const space of ['one', 'other'])
    assert.deepEqual((await agent.data('context_list_change_requests', { space })).items, [], space)
  const { json: feed } = await service.admin.get('/changes?kinds=changeRequest.closed&space=one')
  assert.deepEqual(feed.items, [])
})

test('the differences of a change request are read part by part', async () => {
  await service.admin.space('long')
  const lines = Array.from({ length: 300 }, (_, n) => `Line ${n} 💡 of a page with some length.`).join('\n')
  const cr = { changeRequest: 'new', changeRequestTitle: 'Long' }
  await agent.data('context_write_page', { path: 'long/a', body: lines, ...cr })
  await agent.data('context_write_page', { path: 'long/b', body: lines, changeRequest: 1 })
  let whole = ''
  for (let next: object | null = {}; next !== null; ) {
    const part = await agent.data('context_get_change_request', { space: 'long', number: 1, ...next })
    assert.ok(part.diff.length <= 6000 && part.diff.isWellFormed())
    whole += part.diff
    next = part.next
  }
  const added = lines.split('\n').map((line) => `+${line}`)
  assert.deepEqual(
    whole.split('\n').filter((line) => line.startsWith('+Line')),
    [...added, ...added],
  )
})

test('the pages that a session read are the sources of what it proposes, as far as a reader may see them', async () => {
  const { admin } = service
  for (const space of ['facts', 'closed']) {
    await admin.space(space, { visibility: space === 'closed' ? 'private' : 'org' })
    for (const path of ['a', 'b']) await admin.put(`/pages/${space}/${path}`, `# ${path}\n`)
  }
  await admin.call('PUT', `/spaces/closed/members/${author.id}`, { json: { role: 'viewer' } })
  await using session = await connectAgent(service.app.address, author.key)
  await session.data('context_get_page', { space: 'facts', path: 'a' })
  await session.data('context_get_pages', { pages: ['closed/a', 'facts/b', 'facts/none'] })
  const write = { space: 'facts', path: 'new', body: 'From a and b.' }
  await session.data('context_write_page', { ...write, changeRequest: 'new', changeRequestTitle: 'Facts' })
  const basedOn = async (client: Pick<typeof admin, 'get'>) =>
    (await client.get('/spaces/facts/change-requests/1')).json.basedOn
  const facts = ['a', 'b'].map((path) => ({ space: 'facts', path, version: 1 }))
  assert.deepEqual(await basedOn(author.client), [{ space: 'closed', path: 'a', version: 1 }, ...facts])
  const { client: reader, key } = await newPerson(admin, 'Rob')
  assert.deepEqual(await basedOn(reader), facts)
  await admin.put('/pages/facts/a', 'Two', { 'if-match': '"1"' })
  await admin.post('/pages/facts/b/move', { to: { path: 'c' } }, { 'if-match': '"1"' })
  await session.data('context_get_page', { space: 'facts', path: 'a' })
  await session.data('context_write_page', { ...write, path: 'more', changeRequest: '1' })
  const now = [
    { ...facts[0], version: 2 },
    { ...facts[1], path: 'c' },
  ]
  assert.deepEqual(await basedOn(reader), now)
  await using other = await connectAgent(service.app.address, key)
  const { basedOn: told } = await other.data('context_get_change_request', { space: 'facts', number: 1 })
  assert.deepEqual(told, now)
  await other.data('context_get_page', { space: 'facts', path: 'new', changeRequest: '1' })
  const { text: screen } = await admin.get('/to-review/facts/1', { accept: 'text/html' })
  assert.match(screen, /Sources[\s\S]*href="\/pages\/facts\/a\?version=2"/)
})
