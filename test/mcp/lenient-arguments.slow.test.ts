import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

/** Arguments as assistants send them, although the schemas say otherwise. */

let service: Service
let agent: Agent

before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0' })
  agent = await connectAgent(service.app.address, service.admin.key)
  await service.admin.space('docs')
  await put('guide/setup', '# Setup\n\n## Part\n\nold\n')
  await put('guide/setup', '# Setup\n\n## Part\n\nnew 42\n', { 'if-match': '"1"' })
})
after(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

async function put(path: string, body: string, condition = {}): Promise<void> {
  const { status } = await service.admin.put(`/pages/docs/${path}`, body, condition)
  assert.ok([200, 201].includes(status), path)
}

async function text(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const result = await agent.call(name, args)
  assert.ok(!result.isError, textOf(result))
  return textOf(result)
}

async function error(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const result = await agent.call(name, args)
  assert.ok(result.isError, textOf(result))
  return textOf(result)
}

test('a path may have slashes around it, repeat its space, or be the URL of a version or a sub-resource', async () => {
  const { address } = service.app
  for (const args of [
    { space: 'docs', path: '/guide/setup' },
    { space: 'docs', path: './guide/setup/' },
    { space: 'docs', path: 'docs/guide/setup' },
    { path: '/docs/guide/setup' },
    { path: `${address}/pages/docs/guide/setup/` },
    { path: `${address}/pages/docs/guide/setup/links` },
    { path: `${address}/pages/docs/guide/setup/versions/1` },
  ]) {
    assert.match(await text('context_get_page', args), /^Page docs\/guide\/setup, version 2/, args.path)
  }
  const old = await text('context_get_page', { path: `${address}/pages/docs/guide/setup?version=1` })
  assert.match(old, /^Page docs\/guide\/setup, version 1 /)
  const repeated = { space: 'docs', path: 'docs/guide/setup' }
  const edits = [{ op: 'append', text: 'end' }]
  assert.match(await text('context_edit_page', { ...repeated, edits }), /^Updated docs\/guide\/setup\./)
  assert.match(
    await text('context_write_page', { ...repeated, body: '# Setup\n\n## Part\n\nnew 42\n', version: 3 }),
    /^Updated docs\/guide\/setup\. Version: 4/,
  )
  const section = [{ op: 'replaceSection', heading: 'Part', text: 'x' }]
  await agent.rejected('precondition_required', 'context_edit_page', { ...repeated, edits: section })
  const missing = await error('context_get_page', { space: 'docs', path: 'docs/none' })
  assert.match(missing, /^not_found: There is no page `none`/)
  assert.match(await text('context_list_pages', { space: 'docs', prefix: '/guide/' }), /^docs\/guide\/setup/)
})

test('an argument that is null or empty is left out', async () => {
  const nothing = { cursor: '', limit: null, space: '', prefix: null, order: null }
  assert.match(await text('context_list_pages', { ...nothing, limit: '', order: '' }), /^docs\/guide\/setup/)
  assert.match(await text('context_list_pages', nothing), /^docs\/guide\/setup/)
  const page = { path: 'docs/guide/setup', space: null, heading: '', level: null, version: null, view: null }
  assert.match(await text('context_get_page', page), /Lines 1 to 5 of 5/)
  const blank = { ...page, level: '', version: '', view: '', if_newer_than: '', format: '' }
  assert.match(await text('context_get_page', blank), /Lines 1 to 5 of 5/)
  const edits = [{ op: 'replace', find: 'new', text: 'newer', heading: null, level: null, occurrence: null }]
  assert.match(
    await text('context_edit_page', { ...page, heading: undefined, level: undefined, view: undefined, edits }),
    /^Updated/,
  )
  const pages = ['docs/guide/setup']
  await text('context_update_metadata', { pages, filters: null, set: { gone: 'x', kept: 1 } })
  assert.match(
    await text('context_update_metadata', { pages, filters: [], set: { gone: null } }),
    /^Changed 1 page; .*\n- docs\/guide\/setup: gone$/,
  )
  // A path that is empty is not the whole space.
  await agent.rejected('invalid_path', 'context_replace_text', { space: 'docs', path: '', find: 'x', replace: 'y' })
})

test('a number is taken for a text, one object for a list of one, and a text for a list', async () => {
  assert.match(await text('context_find', { query: 42 }), /docs\/guide\/setup/)
  const status = { key: 'status', op: 'eq', value: 'draft' }
  await text('context_update_metadata', { pages: 'docs/guide/setup', set: { status: 'draft', size: 3 } })
  for (const filters of [status, JSON.stringify(status), { key: 'size', op: 'gt', value: '2' }]) {
    assert.match(await text('context_query_metadata', { filters }), /^docs\/guide\/setup/)
  }
  const exists = { key: 'status', op: 'exists', value: true }
  assert.match(await text('context_query_metadata', { filters: [exists] }), /^docs\/guide\/setup/)
  await agent.rejected('invalid_request', 'context_query_metadata', { filters: [{ ...exists, value: false }] })
  const append = { op: 'append', text: 'one' }
  for (const edits of [append, JSON.stringify(append)])
    assert.match(await text('context_edit_page', { path: 'docs/guide/setup', edits }), /^Updated/)
  for (const kinds of ['page.created', ['page.created'], '["page.created", "page.moved"]', 'page.created, page.moved'])
    assert.doesNotMatch(await text('context_get_changes', { kinds }), /page\.updated/)
})

test('pages in a space may be named by their path', async () => {
  for (const page of ['guide/setup', 'docs/guide/setup', '/pages/docs/guide/setup']) {
    const done = await text('context_update_metadata', { space: 'docs', pages: [page], set: { at: page } })
    assert.match(done, /^Changed 1 page;.*\n- docs\/guide\/setup: at$/, page)
  }
})

test('a page is found by its address, as results show it, and by its URL', async () => {
  for (const query of ['docs/guide/setup', '/docs/guide/setup', `${service.app.address}/pages/docs/guide/setup`])
    assert.equal(await text('context_find', { query }), 'docs/guide/setup: Setup')
  for (const query of ['nowhere/guide', 'https://other.example/pages/docs/guide/setup'])
    assert.match(await text('context_find', { query }), /^No results\./)
})

test('a page is moved to an address, a path with slashes or a URL', async () => {
  await put('place', '# Place\n')
  const moved = async (args: Readonly<Record<string, unknown>>) =>
    /to (\S+)$/.exec(await text('context_move_page', { path: 'docs/place', dryRun: true, ...args }))?.[1]
  assert.equal(await moved({ to: 'docs/new/place' }), 'docs/new/place')
  assert.equal(await moved({ to: '/new/' }), 'docs/new/place')
  assert.equal(await moved({ to: `${service.app.address}/pages/docs/new/place` }), 'docs/new/place')
  assert.equal(await moved({ space: 'docs', path: 'place', to: 'docs/other' }), 'docs/other')
  assert.equal(await moved({ to: 'place', toSpace: 'personal' }), 'personal/place')
})

test('a version that cannot hold for what is changed is an error, in a dry run too', async () => {
  const folder = { path: 'docs/guide', prefix: true, version: 1, dryRun: true }
  await agent.rejected('invalid_request', 'context_delete_page', folder)
  await agent.rejected('invalid_request', 'context_move_page', { ...folder, to: 'other' })
  const stale = { path: 'docs/guide/setup', version: 1, dryRun: true }
  await agent.rejected('precondition_failed', 'context_delete_page', stale)
})

test('errors and empty results speak of the tool that was called', async () => {
  const file = { space: 'docs', path: 'a.txt', text: 'x' }
  assertStatus(await service.admin.put('/files/docs/a.txt', 'x'), 201)
  const exists = await error('context_put_file', file)
  assert.equal(
    exists,
    'precondition_required: The file exists, with version 1. Read it with context_get_file, then send its `version`.',
  )
  assert.match(await error('context_put_file', { ...file, version: 9 }), /^precondition_failed: The file has changed/)
  assert.match(await error('context_get_file', { path: 'docs/none.txt' }), /context_list_files\.$/)
  assert.match(await error('context_get_file', { path: 'https://x.example/files/docs/a.txt' }), /^invalid_path/)
  assert.match(await error('context_get_file', { path: 'docs/a.txt', fromByte: 2 }), /not be greater than 1/)
  const page = { path: 'docs/guide/setup' }
  assert.equal(
    await error('context_get_page', { ...page, heading: 'Prat' }),
    'not_found: The heading fits no heading of the page; similar: "Part". List the headings with view "outline".',
  )
  assert.match(await error('context_get_metadata', { ...page, key: 'stauts' }), /its keys are .*"status"/)
  assert.match(
    await error('context_get_changes', { since: 'yesterday' }),
    /\/since must be a cursor of this tool, or a time/,
  )
  assert.match(await text('context_replace_text', { space: 'docs', find: 'Zz', replace: '' }), /No results: /)
  const none = await text('context_update_metadata', { filters: [{ key: 'zz', op: 'exists' }], set: { a: 1 } })
  assert.match(none, /No results\. Check the filters/)
  assert.equal(
    await error('context_edit_page', { ...page, edits: [{ op: 'insert', text: 'x' }] }),
    'invalid_request: The arguments are not valid: /edits/0/op must be one of append, prepend, replace, replaceSection, appendToSection, insertBefore, insertAfter.',
  )
  const data = `data:text/plain;base64,${Buffer.from('hello').toString('base64')}`
  assert.match(await text('context_put_file', { path: 'docs/b.txt', base64: data }), /5 bytes/)
})
