import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let agent: Agent

const READING = [
  'context_whoami',
  'context_list_spaces',
  'context_list_pages',
  'context_find',
  'context_search',
  'context_get_page',
  'context_get_pages',
  'context_get_page_links',
  'context_get_page_history',
  'context_compare',
  'context_get_changes',
  'context_list_reports',
  'context_list_files',
  'context_get_file',
  'context_get_metadata',
  'context_query_metadata',
  'context_list_metadata_keys',
  'context_list_templates',
  'context_list_change_requests',
  'context_get_change_request',
  'context_list_comments',
]
const WRITING = [
  'context_write_page',
  'context_edit_page',
  'context_move_page',
  'context_delete_page',
  'context_restore_page',
  'context_replace_text',
  'context_update_metadata',
  'context_put_file',
  'context_review_change_request',
  'context_merge_change_request',
  'context_comment',
]
const DESTRUCTIVE = [
  'context_write_page',
  'context_edit_page',
  'context_delete_page',
  'context_replace_text',
  'context_update_metadata',
  'context_put_file',
  'context_merge_change_request',
]
const NAMES = [...READING, ...WRITING].sort()

before(async () => {
  service = await startService()
  agent = await connectAgent(service.app.address, service.admin.key)
  await service.admin.space('docs')
})
after(async () => {
  await agent[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

test('every tool has a description, a closed input schema and annotations', async () => {
  const { tools } = await agent.client.listTools()
  assert.deepEqual(tools.map(({ name }) => name).sort(), NAMES)
  for (const tool of tools) {
    assert.ok((tool.description ?? '').length > 20, tool.name)
    assert.equal(tool.inputSchema.additionalProperties, false, tool.name)
    const { readOnlyHint = false, destructiveHint } = tool.annotations ?? {}
    const writes = WRITING.includes(tool.name)
    assert.equal(readOnlyHint, !writes, tool.name)
    assert.equal(destructiveHint, writes ? DESTRUCTIVE.includes(tool.name) : undefined, tool.name)
    assert.equal(tool.outputSchema, undefined, tool.name)
  }
})

/** 4,700 tokens: the list has 4.1 characters a token (o200k_base, counted with gpt-tokenizer 4.0.0). */
const MAX_LIST = 19_000

test('tools/list is short, has single types, and no keyword that some clients reject', async () => {
  const { tools } = await agent.client.listTools()
  const { length } = JSON.stringify({ tools })
  assert.ok(length <= MAX_LIST, `${length} characters`)
  for (const tool of tools) checkSchema(tool.inputSchema, tool.name)
})

function checkSchema(schema: unknown, at: string): void {
  if (typeof schema !== 'object' || schema === null) return
  const { type, properties, items } = schema as Record<string, unknown>
  assert.ok(type === undefined || typeof type === 'string', `${at} has several types`)
  for (const keyword of ['$ref', 'oneOf', 'anyOf', 'allOf', 'const', 'pattern', 'not', '$defs']) {
    assert.ok(!Object.hasOwn(schema, keyword), `${at} has ${keyword}`)
  }
  for (const [name, member] of Object.entries(properties ?? {})) checkSchema(member, `${at}/${name}`)
  checkSchema(items, `${at}/items`)
}

test('structured content is returned on request only', async () => {
  const plain = await agent.call('context_list_spaces')
  assert.equal(plain.structuredContent, undefined)
  assert.match(textOf(plain), /^docs \(admin\)/m)
  assert.ok((await agent.data('context_list_spaces')).items.length > 0)
})

test('a page may be given by its URL, and structured arguments and numbers as text', async () => {
  await agent.data('context_write_page', { space: 'docs', path: 'forgive', body: '# F\n\n## **Bold** `x`\n\na\n' })
  for (const path of [
    `${service.app.address}/pages/docs/forgive`,
    `${service.app.address}/pages/docs/forgive.md?version=1#f`,
    '/pages/docs/forgive',
    'recto://pages/docs/forgive',
    'docs/forgive',
  ]) {
    const page = await agent.data('context_get_page', { path, fromLine: '3', version: '1' })
    assert.deepEqual([page.path, page.fromLine], ['forgive', 3], path)
  }
  await agent.rejected('invalid_path', 'context_get_page', { path: 'https://example.com/pages/docs/forgive' })
  await agent.rejected('invalid_path', 'context_get_page', { path: 'forgive' })
  const edits = JSON.stringify([{ op: 'append', text: 'end\n' }])
  assert.equal((await agent.data('context_edit_page', { path: 'docs/forgive', edits })).version, 2)
  const set = JSON.stringify({ status: 'x', n: '2' })
  const patched = await agent.data('context_update_metadata', { pages: 'docs/forgive', set, dryRun: 'true' })
  assert.deepEqual(patched.items[0].changedKeys, ['status', 'n'])
  await agent.rejected('invalid_request', 'context_get_page', { path: 'docs/forgive', fromLine: 'two' })
})

test('a version is required only for edits that replace a section', async () => {
  const at = { space: 'docs', path: 'guarded' }
  await agent.data('context_write_page', { ...at, body: '# G\n\n## Part\n\nold\n' })
  const edit = (edits: unknown) => agent.data('context_edit_page', { ...at, edits })
  await edit([
    { op: 'append', text: 'end\n' },
    { op: 'prepend', text: 'start\n' },
    { op: 'replace', find: 'old', text: 'new' },
    { op: 'insertAfter', heading: 'Part', text: 'first' },
    { op: 'appendToSection', heading: 'Part', text: 'last' },
  ])
  const section = [{ op: 'replaceSection', heading: 'Part', text: 'x' }]
  const needed = await agent.rejected('precondition_required', 'context_edit_page', { ...at, edits: section })
  assert.equal(needed.current.version, 2)
  await agent.data('context_edit_page', { ...at, edits: section, version: 2 })
  await agent.rejected('precondition_failed', 'context_edit_page', { ...at, edits: section, version: 2 })
  await agent.rejected('invalid_request', 'context_edit_page', { ...at, edits: [{ op: 'replace', text: 'x' }] })
})

test('a page that the agent already has is "unchanged"', async () => {
  const at = { space: 'docs', path: 'known' }
  await agent.data('context_write_page', { ...at, body: 'x' })
  assert.equal(textOf(await agent.call('context_get_page', { ...at, if_newer_than: 1 })), 'unchanged (version 1)')
  await agent.data('context_write_page', { ...at, body: 'y', version: 1 })
  assert.equal((await agent.data('context_get_page', { ...at, if_newer_than: 1 })).content, 'y')
})

test('a read-only key sees no write tools, and calling one is forbidden as over HTTP', async () => {
  const reader = await newPerson(service.admin, 'reader', { role: 'admin', scopes: ['read'] })
  await using reading = await connectAgent(service.app.address, reader.key)
  const { tools } = await reading.client.listTools()
  assert.deepEqual(tools.map(({ name }) => name).sort(), READING.toSorted())
  await reading.rejected('forbidden', 'context_write_page', { space: 'docs', path: 'x', body: 'x' })
  assert.deepEqual((await reading.data('context_whoami')).scopes, ['read'])
})

test('an agent that is not a member of a space may not write there', async () => {
  const person = await newPerson(service.admin, 'visitor', { kind: 'agent', scopes: ['write'] })
  await using visitor = await connectAgent(service.app.address, person.key)
  const mine = await visitor.data('context_list_spaces')
  assert.equal(mine.items.find((space: { slug: string }) => space.slug === 'docs').role, 'viewer')
  await visitor.rejected('forbidden', 'context_write_page', { space: 'docs', path: 'x', body: 'x' })
  await service.admin.space('secret', { visibility: 'private' })
  await visitor.rejected('not_found', 'context_list_pages', { space: 'secret' })
})

test('unknown arguments, unknown tools and wrong types are rejected', async () => {
  const problem = await agent.rejected('invalid_request', 'context_get_page', {
    space: 'docs',
    path: 'a',
    colour: 'red',
    fromLine: 0,
  })
  assert.deepEqual(problem.issues.map(({ path }: { path: string }) => path).sort(), ['/colour', '/fromLine'])
  await agent.rejected('invalid_request', 'context_get_page', { space: 'docs' })
  await agent.rejected('invalid_slug', 'context_get_page', { space: 'No!', path: 'a' })
  await agent.rejected('invalid_path', 'context_get_page', { space: 'docs', path: '../a' })
  await assert.rejects(agent.call('context_nothing'), /context_nothing does not exist/)
})

test('writing an existing page requires its version, and errors are those of HTTP', async () => {
  const at = { space: 'docs', path: 'plan' }
  await agent.rejected('precondition_failed', 'context_write_page', { ...at, body: '# Plan', version: 1 })
  const made = await agent.data('context_write_page', {
    ...at,
    body: '# Plan\n\nFirst.\n',
    metadata: { status: 'open' },
  })
  assert.deepEqual([made.version, made.created, made.title], [1, true, 'Plan'])
  const needed = await agent.rejected('precondition_required', 'context_write_page', { ...at, body: 'x' })
  const http = await service.admin.put('/pages/docs/plan', 'x')
  assert.deepEqual(needed.current, http.json.current)
  assert.equal(needed.code, http.json.code)
  assert.equal(needed.status, http.status)
  const stale = await agent.rejected('precondition_failed', 'context_write_page', { ...at, body: 'x', version: 9 })
  assert.equal(stale.current.version, 1)
  assert.match(stale.advice, /context_get_page/)
  const second = await agent.data('context_write_page', { ...at, body: '# Plan\n\nSecond.\n', version: 1, note: 'why' })
  assert.deepEqual([second.version, second.created], [2, false])
  await agent.rejected('edit_not_applicable', 'context_edit_page', {
    ...at,
    version: 2,
    edits: [{ op: 'replace', find: 'Third', text: 'x' }],
  })
  const edited = await agent.data('context_edit_page', {
    ...at,
    version: 2,
    edits: [{ op: 'replace', find: 'Second', text: 'Third' }],
  })
  assert.deepEqual(edited.changes, [{ edit: 0, fromLine: 3, toLine: 3 }])
  const read = await agent.data('context_get_page', at)
  assert.equal(read.content, '# Plan\n\nThird.\n')
  const history = await agent.data('context_get_page_history', at)
  assert.deepEqual(
    history.items.map(({ version, note }: { version: number; note: string | null }) => [version, note]),
    [
      [3, null],
      [2, 'why'],
      [1, null],
    ],
  )
  assert.equal((await agent.data('context_get_page', { ...at, version: 1 })).content, '# Plan\n\nFirst.\n')
})

test('a moved page is followed by tools that read, and a page in the trash page_deleted', async () => {
  const body = '# Here\n'
  await agent.data('context_write_page', { space: 'docs', path: 'was/here', body })
  const to = { space: 'docs', path: 'is/there' }
  assertStatus(await service.admin.post('/pages/docs/was/here/move', { to }, { 'if-match': '"1"' }), 200)
  const text = textOf(await agent.call('context_get_page', { space: 'docs', path: 'was/here' }))
  assert.match(text, /^It has moved to docs\/is\/there\.\nPage docs\/is\/there/)
  const several = textOf(await agent.call('context_get_pages', { pages: ['docs/was/here'] }))
  assert.match(several, /^=== docs\/is\/there \(moved from docs\/was\/here\), version 1: Here\n# Here/)
  const at = { space: 'docs', path: 'was/here', edits: [{ op: 'append', text: 'x' }] }
  const moved = await agent.rejected('not_found', 'context_edit_page', at)
  assert.equal(moved.movedTo.path, 'is/there')
  const page = await agent.data('context_get_page', to)
  assert.equal(page.content, body)
  assertStatus(await service.admin.delete('/pages/docs/is/there', { 'if-match': `"${page.version}"` }), 204)
  await agent.rejected('page_deleted', 'context_get_page', to)
  assert.ok((await agent.data('context_write_page', { ...to, body })).version > page.version)
})

test('metadata is read, changed and queried, and a large value is read in parts', async () => {
  const at = { space: 'docs', path: 'meta' }
  await agent.data('context_write_page', { ...at, body: 'x' })
  const patched = await agent.data('context_patch_metadata', {
    ...at,
    set: { status: 'meta-test' },
    append: { tags: ['a'] },
  })
  assert.deepEqual(patched.metadata, { status: 'meta-test', tags: ['a'] })
  await agent.rejected('not_an_array', 'context_patch_metadata', { ...at, append: { status: 'x' } })
  await agent.rejected('invalid_request', 'context_patch_metadata', at)
  const filters = [{ key: 'status', op: 'eq', value: 'meta-test' }]
  for (const sent of [filters, JSON.stringify(filters)]) {
    const found = await agent.data('context_query_metadata', { filters: sent, includeMetadata: true })
    assert.deepEqual(
      found.items.map(({ path, metadata }: { path: string; metadata: unknown }) => [path, metadata]),
      [['meta', { status: 'meta-test', tags: ['a'] }]],
    )
  }
  const keys = await agent.data('context_list_metadata_keys', { prefix: 'ta' })
  assert.deepEqual(
    keys.items.map(({ key }: { key: string }) => key),
    ['tags'],
  )
  const large = 'ü'.repeat(30_000)
  await agent.data('context_patch_metadata', { ...at, set: { large } })
  const all = await agent.data('context_get_metadata', at)
  assert.deepEqual(all.large, [{ key: 'large', characters: 30_002 }])
  let json = ''
  for (let from: number | null = 0; from !== null; ) {
    const { part } = await agent.data('context_get_metadata', { ...at, key: 'large', fromCharacter: from })
    json += part.json
    from = part.nextCharacter
  }
  assert.equal(JSON.parse(json), large)
})

test('templates are listed, create pages, and are prompts', async () => {
  const body =
    '---\ntitle: Decision\ndescription: Records a decision\nmetadataDefaults:\n  status: proposed\n---\n# {{title}}\n\nWe chose {{choice}}.\n'
  await agent.data('context_write_page', { space: 'docs', path: 'templates/decision', body })
  const { items } = await agent.data('context_list_templates', { space: 'docs' })
  assert.deepEqual(items[0].variables, ['title', 'choice'])
  await agent.rejected('invalid_variables', 'context_write_page', {
    space: 'docs',
    path: 'd/one',
    template: 'decision',
  })
  await agent.data('context_write_page', {
    space: 'docs',
    path: 'd/one',
    template: 'decision',
    variables: { choice: 'tea' },
  })
  const page = await agent.data('context_get_page', { space: 'docs', path: 'd/one' })
  assert.equal(page.content, '# One\n\nWe chose tea.\n')
  const { prompts } = await agent.client.listPrompts()
  assert.deepEqual(
    prompts.map(({ name, arguments: args }) => [name, args?.filter(({ required }) => required).map((arg) => arg.name)]),
    [
      ['summarize_space', ['space']],
      ['mend_links', ['space']],
      ['weekly_changes', []],
      ['file_note', ['note']],
      ['docs/decision', ['choice']],
    ],
  )
  const prompt = await agent.client.getPrompt({
    name: 'docs/decision',
    arguments: { choice: 'tea', path: 'd/two-words' },
  })
  const [message] = prompt.messages
  assert.ok(message?.content.type === 'text')
  assert.match(message.content.text, /# Two words\n\nWe chose tea\./)
  assert.match(message.content.text, /"status":"proposed"/)
  await assert.rejects(agent.client.getPrompt({ name: 'docs/nothing' }), /was not found/)
  await assert.rejects(agent.client.getPrompt({ name: 'docs/decision' }), /requires `choice`/)
})

test('a client of the newest protocol revision gets the same results', async () => {
  await using modern = await connectAgent(service.app.address, service.admin.key, true)
  assert.deepEqual((await modern.client.listTools()).tools.map(({ name }) => name).sort(), NAMES)
  assert.equal((await modern.data('context_whoami')).role, 'admin')
  await modern.rejected('not_found', 'context_get_page', { space: 'docs', path: 'none' })
  const text = textOf(await modern.call('context_list_pages', { space: 'docs', prefix: 'pl' }))
  assert.match(text, /docs\/plan/)
})
