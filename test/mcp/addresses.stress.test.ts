import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
let agent: Agent
before(async () => {
  service = await startService()
  agent = await connectAgent(service.app.address, service.admin.key)
})
after(async () => {
  await agent[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

/** A new space with pages; without pages in a folder of its name. */
async function space(slug: string, ...paths: readonly string[]): Promise<string> {
  await service.admin.space(slug)
  for (const path of paths) await write(slug, path)
  return slug
}

async function write(space: string, path: string): Promise<void> {
  assertStatus(await service.admin.call('PUT', `/pages/${space}/${path}`, { body: `# ${path}\n` }), 201)
}

async function paths(space: string, kind: 'pages' | 'files' = 'pages'): Promise<string[]> {
  const items = await service.admin.all(`/spaces/${space}/${kind}`)
  return items.map(({ path }) => path)
}

test('a path that repeats its space is written, edited, moved and deleted where lists show it', async () => {
  const memory = await space('memory', 'n1')
  const at = (path: string) => ({ space: memory, path: `memory/${path}` })
  await agent.data('context_write_page', { ...at('n2'), body: 'text' })
  assert.deepEqual(await paths(memory), ['n1', 'n2'])
  const edits = [{ op: 'append', text: 'more' }]
  assert.equal((await agent.data('context_edit_page', { ...at('n2'), edits })).path, 'n2')
  await agent.data('context_replace_text', { ...at('n2'), find: 'more', replace: 'less' })
  assert.equal((await agent.data('context_get_page', at('n2'))).path, 'n2')
  const set = { status: 'new' }
  assert.equal((await agent.data('context_update_metadata', { ...at('n2'), set })).items[0].path, 'n2')
  assert.deepEqual((await agent.data('context_get_metadata', at('n2'))).metadata, set)
  await agent.data('context_move_page', { ...at('n2'), to: 'memory/n3' })
  await agent.data('context_move_page', { path: 'memory/n3', to: 'memory/n4', dryRun: false })
  assert.deepEqual(await paths(memory), ['n1', 'n4'])
  await agent.data('context_put_file', { space: memory, path: 'memory/a.txt', text: 'a' })
  assert.deepEqual(await paths(memory, 'files'), ['a.txt'])
  assert.equal((await agent.data('context_get_file', { space: memory, path: 'memory/a.txt' })).path, 'a.txt')
  await agent.data('context_delete_page', at('n4'))
  assert.deepEqual(await paths(memory), ['n1'])
  await agent.data('context_restore_page', at('n4'))
  assert.deepEqual(await paths(memory), ['n1', 'n4'])
  await agent.data('context_write_page', { space: 'personal', path: 'personal/own', body: '' })
  assert.deepEqual(await paths('personal'), ['own'])
})

test('a path that repeats its space is refused by writes where a folder of that name could be meant, and URLs say which', async () => {
  const docs = await space('docs', 'a', 'docs/a', 'docs/b')
  const before = await paths(docs)
  const refusals: [string, Record<string, unknown>][] = [
    ['context_write_page', { space: docs, path: 'docs/new', body: '' }],
    ['context_write_page', { space: docs, path: 'docs/a', body: '', version: 1 }],
    ['context_edit_page', { space: docs, path: 'docs/a', edits: [{ op: 'append', text: 'x' }] }],
    ['context_delete_page', { space: docs, path: 'docs/a' }],
    ['context_update_metadata', { space: docs, path: 'docs/a', set: { x: 1 } }],
    ['context_update_metadata', { space: docs, pages: ['a', 'docs/a'], set: { x: 1 } }],
    ['context_replace_text', { space: docs, path: 'docs/a', find: 'a', replace: 'b' }],
    ['context_move_page', { space: docs, path: 'docs/a', to: 'c' }],
    ['context_move_page', { space: docs, path: 'a', to: 'docs/c' }],
    ['context_move_page', { space: docs, path: 'a', to: 'docs/' }],
    ['context_put_file', { space: docs, path: 'docs/a.txt', text: '' }],
  ]
  for (const [tool, args] of refusals) {
    const { detail } = await agent.rejected('invalid_request', tool, args)
    const kind = tool === 'context_put_file' ? 'files' : 'pages'
    assert.match(detail, new RegExp(`URL /${kind}/docs/[a-z.]+ or /${kind}/docs/docs/[a-z.]+`), detail)
  }
  assert.deepEqual(await paths(docs), before)
  // A read takes the page that is there, and a write the only one that is there.
  assert.equal((await agent.data('context_get_page', { space: docs, path: 'docs/a' })).path, 'docs/a')
  await agent.data('context_delete_page', { space: docs, path: 'docs/b' })
  assert.deepEqual(await paths(docs), ['a', 'docs/a'])
  await agent.data('context_write_page', { path: '/pages/docs/docs/new', body: '' })
  await agent.data('context_move_page', { space: docs, path: 'a', to: '/pages/docs/docs/c' })
  assert.deepEqual(await paths(docs), ['docs/a', 'docs/c', 'docs/new'])
})

test('a target that ends in a slash is the folder that a page, a folder or a file moves into', async () => {
  const from = await space('from', 'a', 'b/x', 'b/y', 'c', 'd', 'e')
  const other = await space('other')
  await agent.data('context_move_page', { space: from, path: 'a', to: 'archive/' })
  await agent.data('context_move_page', { space: from, path: 'b', prefix: true, to: './archive/' })
  await agent.data('context_move_page', { path: `/pages/${from}/archive/b/x`, to: '/' })
  await agent.data('context_move_page', { space: from, path: 'c', toSpace: other, to: 'archive/' })
  await agent.data('context_move_page', { space: from, path: 'd', to: `/pages/${other}/archive/?x#y` })
  await agent.data('context_move_page', { space: from, path: 'archive/a', to: `${from}/` })
  assert.deepEqual(await paths(from), ['a', 'archive/b/y', 'e', 'x'])
  assert.deepEqual(await paths(other), ['archive/c', 'archive/d'])
  const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
  for (const [command, path] of [
    ['mv', 'other/archive/c'],
    ['mv', 'other/archive/d'],
  ] as const) {
    const to = path.endsWith('c') ? 'from/' : 'from/archive/'
    const { code, err } = await runCommand([command, path, to], env)
    assert.equal(code, 0, err)
  }
  assert.deepEqual(await paths(from), ['a', 'archive/b/y', 'archive/d', 'c', 'e', 'x'])
  await agent.data('context_put_file', { space: from, path: 'img/a.txt', text: 'a' })
  const { code, err } = await runCommand(['files', 'mv', 'from/img/a.txt', 'other/img/'], env)
  assert.equal(code, 0, err)
  assert.deepEqual(await paths(other, 'files'), ['img/a.txt'])
})

test('a target that begins with another space, and a space that a URL contradicts, are refused', async () => {
  await space('here', 'a')
  await space('there', 'b')
  for (const page of [{ path: 'here/a' }, { space: 'here', path: 'a' }]) {
    const { detail } = await agent.rejected('invalid_request', 'context_move_page', { ...page, to: 'there/a' })
    assert.match(detail, /toSpace.*\/pages\/there\/a or \/pages\/here\/there\/a/)
  }
  for (const [tool, args] of [
    ['context_move_page', { path: 'here/a', to: '/pages/there/a', toSpace: 'here' }],
    ['context_write_page', { space: 'here', path: '/pages/there/new', body: '' }],
    ['context_delete_page', { space: 'here', path: '/pages/there/b' }],
    ['context_put_file', { space: 'here', path: '/files/there/a.txt', text: '' }],
  ] as const)
    await agent.rejected('invalid_request', tool, args)
  assert.deepEqual([await paths('here'), await paths('there')], [['a'], ['b']])
  // Where the folder is there, it is meant.
  await write('here', 'there/x')
  await agent.data('context_move_page', { path: 'here/a', to: 'there/a' })
  assert.deepEqual(await paths('here'), ['there/a', 'there/x'])
})

test('the history of metadata is read, also of one key, with who did it and through which kind of author', async () => {
  const slug = await space('history', 'page')
  const page = { space: slug, path: 'page' }
  await agent.data('context_update_metadata', { ...page, set: { status: 'draft' } })
  await agent.data('context_update_metadata', { path: `${slug}/page`, set: { status: null, owner: 'Ann' } })
  await agent.data('context_update_metadata', { ...page, set: { long: 'x'.repeat(60_000) } })
  const { items } = await agent.data('context_get_metadata', { ...page, history: true, key: 'status' })
  assert.deepEqual(
    items.map(({ op, value, previousValue, existed }: Record<string, unknown>) => [op, value, previousValue, existed]),
    [
      ['delete', null, 'draft', true],
      ['set', 'draft', null, false],
    ],
  )
  const all = await agent.call('context_get_metadata', { ...page, history: true })
  assert.match(textOf(all), /"status" by [^\n]+ \(human\), deleted; before: "draft"\n/)
  assert.match(textOf(all), /"long" by [^\n]+ set: 60002 characters; before: none\n/)
  assert.ok(textOf(all).length < 20_000)
  const first = await agent.data('context_get_metadata', { ...page, history: true, limit: 1 })
  const next = await agent.data('context_get_metadata', {
    ...page,
    history: true,
    limit: 200,
    cursor: first.nextCursor,
  })
  assert.equal(first.items.length + next.items.length, 4)
  for (const args of [
    { cursor: first.nextCursor },
    { history: true, fromKey: 'a' },
    { history: true, fromCharacter: 1 },
  ])
    await agent.rejected('invalid_request', 'context_get_metadata', { ...page, ...args })
  for (const args of [
    { path: 'history/page', pages: ['history/page'] },
    { path: 'history/page', filters: [{ key: 'a', op: 'exists' }] },
  ])
    await agent.rejected('invalid_request', 'context_update_metadata', { ...args, set: { a: 1 } })
  for (const [tool, args] of [
    ['context_get_page', page],
    ['context_get_page_history', page],
    ['context_get_metadata', page],
    ['context_get_changes', { space: slug }],
  ] as const)
    assert.match(textOf(await agent.call(tool, args)), /\(human\)/, tool)
})
