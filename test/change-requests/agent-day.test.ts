/** The tasks of an agent's day with a key that only proposes: all of them in change requests, which a person merges. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let agent: Agent

before(async () => {
  service = await startService()
  const person = await newPerson(service.admin, 'Ada', { kind: 'agent', scopes: ['propose'] })
  agent = await connectAgent(service.app.address, person.key)
})
after(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const pages: Readonly<Record<string, string>> = {
  'items/1': '# Item 1\n\nThe Frobnicator.\n',
  'items/2': '# Item 2\n\nThe Frobnicator.\n',
  'items/3': '# Item 3\n',
  'old/part': '# Part\n\n[next](./part/1)\n',
  'old/part/1': '# One\n',
  'old/part/2': '# Two\n',
  log: '# Decisions\n\n- Nothing yet.\n',
  reading: '# Reading\n\n## Links\n\n- [Item 1](./items/1)\n\n## Notes\n',
  memory: '# Memory\n',
  today: '# Yesterday\n',
  outdated: '# Outdated\n',
  long: `# Long\n\n## First\n\nOne.\n\n## Second\n\nTwo.\n`,
  'templates/decision': '---\nvariables: [customer]\n---\n# For {{customer}}\n',
}

async function fill(): Promise<void> {
  const { admin } = service
  await admin.space('day')
  for (const [path, body] of Object.entries(pages)) await admin.put(`/pages/day/${path}`, body)
  await admin.put('/pages/day/today', '# Today\n', { 'if-match': '"1"' })
  for (const [path, status] of Object.entries({ 'items/1': 'Done', 'items/2': 'DONE', 'items/3': 'open' })) {
    assertStatus(await admin.patch(`/pages/day/${path}/metadata`, { set: { status } }), 200)
  }
}

const read = async (path: string) => (await service.admin.get(`/pages/day/${path}.md`)).text

test('the tasks of a day are proposed by a key that only proposes, change nothing, and count once a person merges them', async () => {
  await fill()
  const call = async (name: string, args: object, expected: RegExp) => {
    const result = await agent.call(`context_${name}`, { ...args })
    assert.ok(!result.isError, `${name}: ${textOf(result)}`)
    assert.match(textOf(result), expected, name)
    return textOf(result)
  }
  const cr = { changeRequest: '1' }
  const append = (path: string, text: string) =>
    call('edit_page', { path: `day/${path}`, edits: [{ op: 'append', text }], ...cr }, /Draft/)

  // What people ask, which needs reading alone.
  await call('get_changes', { space: 'day' }, /day\/memory/)
  await call('get_page_history', { path: 'day/today' }, /2/)
  await call('compare', { path: 'day/today' }, /\+# Today/)
  await call('get_page_links', { path: 'day/items/1' }, /day\/reading/)
  await call('list_reports', { space: 'day', report: 'orphans' }, /day\/memory/)
  await call('query_metadata', { filters: [{ key: 'status', op: 'eq', value: 'open' }] }, /day\/items\/3/)
  await call('list_metadata_keys', { space: 'day' }, /status/)
  await call('search', { query: 'Frobnicator' }, /day\/items\/2/)

  // One key on many pages, and one value in place of its spellings.
  const titled = { changeRequest: 'new', changeRequestTitle: 'My day' }
  const items = ['day/items/1', 'day/items/2', 'day/items/3']
  await call('update_metadata', { pages: items, set: { owner: 'Ada' }, ...titled }, /\nChanged 3 pages/)
  for (const value of ['Done', 'DONE']) {
    const filters = [{ key: 'status', op: 'eq', value }]
    await call('update_metadata', { space: 'day', filters, set: { status: 'done' }, ...cr }, /\nChanged 1 page/)
  }
  // A term on all pages, after a dry run.
  const replacement = { space: 'day', find: 'Frobnicator', replace: 'Widget', ...cr }
  await call('replace_text', { ...replacement, dryRun: true }, /2 hits in 2 pages/)
  await call('replace_text', replacement, /\nReplaced 2 hits in 2 pages/)
  // A subtree, and pages that go to a new folder.
  await call('move_page', { path: 'day/old/part', to: 'new/chapter', prefix: true, ...cr }, /\nMoved 3 pages/)
  for (const name of ['memory', 'log']) {
    await call('move_page', { path: `day/${name}`, to: 'notes/', ...cr }, /\nMoved 1 page/)
  }
  // Facts that are remembered, a decision, a link of a list, a section.
  for (const fact of ['One.', 'Two.', 'Three.']) await append('notes/memory', `- ${fact}`)
  await append('notes/log', '- We propose.')
  const link = { op: 'appendToSection', heading: 'Links', text: '- [Part](./new/chapter)' }
  await call('edit_page', { path: 'day/reading', edits: [link], ...cr }, /Draft/)
  const section = await call('get_page', { path: 'day/long', heading: 'Second', ...cr }, /Two\./)
  const version = Number(/version (\d+)/.exec(section)?.[1])
  const edits = [{ op: 'replaceSection', heading: 'Second', text: 'Zwei.\n' }]
  await call('edit_page', { path: 'day/long', version, edits, ...cr }, /Draft/)
  // Yesterday's text, a deletion, pages of a template, and eight records.
  await call('restore_page', { path: 'day/today', version: 1, ...cr }, /Draft/)
  await call('delete_page', { path: 'day/outdated', ...cr }, /\nDeleted 1 page/)
  const decision = { path: 'day/decisions/1', template: 'decision', variables: { customer: 'Grace' }, ...cr }
  await call('write_page', decision, /day\/decisions\/1/)
  for (let n = 1; n <= 8; n++) {
    const record = { path: `day/research/${n}`, body: `# Record ${n}\n`, metadata: { confidence: n / 10 }, ...cr }
    await call('write_page', record, /Draft/)
  }

  // Nothing counts yet.
  for (const [path, body] of Object.entries(pages)) if (path !== 'today') assert.equal(await read(path), body)
  assert.equal((await service.admin.get('/pages/day/items/1/metadata')).json.metadata.owner, undefined)
  await call('list_pages', { space: 'day', ...cr }, /day\/new\/chapter\/2[\s\S]*day\/research\/8/)
  await call('list_change_requests', { author: 'me' }, /^day 1 \(open\): My day/)

  const request = assertStatus(await service.admin.get('/spaces/day/change-requests/1'), 200).json
  assert.deepEqual([request.mergeable, request.conflicts], [true, []])
  const merge = await service.admin.post('/spaces/day/change-requests/1/merge', {}, { 'if-match': request.etag })
  assert.equal(assertStatus(merge, 200).json.merged.length, request.changes)
  const result: Record<string, string> = {}
  for (const { path } of (await service.admin.all('/spaces/day/pages')) as { path: string }[])
    result[path] = await read(path)
  // One is deleted; a decision and eight records are new.
  assert.equal(Object.keys(result).length, Object.keys(pages).length - 1 + 9)
  assert.equal(result['items/2'], '# Item 2\n\nThe Widget.\n')
  assert.equal(result['new/chapter'], '# Part\n\n[next](./chapter/1)\n')
  assert.equal(result['notes/memory'], '# Memory\n- One.\n- Two.\n- Three.')
  assert.match(result['notes/log'] ?? '', /- Nothing yet\.\n- We propose\./)
  assert.match(result.reading ?? '', /\[Item 1\]\(\.\/items\/1\)\n- \[Part\]\(\.\/new\/chapter\)\n/)
  assert.match(result.long ?? '', /## Second\n\nZwei\./)
  assert.deepEqual(
    [result.today, result.outdated, result['decisions/1']],
    ['# Yesterday\n', undefined, '# For Grace\n'],
  )
  const { status, owner } = (await service.admin.get('/pages/day/items/2/metadata')).json.metadata
  assert.deepEqual([status, owner], ['done', 'Ada'])
  const history = (await service.admin.get('/pages/day/research/8/versions')).json.items
  assert.deepEqual(
    history.map(({ createdBy, mergedBy }: { createdBy: { name: string }; mergedBy: { name: string } }) => [
      createdBy.name,
      mergedBy.name,
    ]),
    [['Ada', 'Admin']],
  )
})
