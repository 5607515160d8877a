import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let agent: Agent

before(async () => {
  service = await startService()
  agent = await connectAgent(service.app.address, service.admin.key)
  await service.admin.space('docs')
})
after(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

async function put(path: string, body: string): Promise<void> {
  const { status, headers } = await service.admin.get(`/pages/docs/${path}`)
  const condition = status === 200 ? { 'if-match': headers.get('etag') ?? '' } : {}
  assertStatus(await service.admin.put(`/pages/docs/${path}`, body, condition), status === 200 ? 200 : 201)
}

test('several pages are read in one call, by path or URL, completely, as outline or by their first lines', async () => {
  await put('many/a', '# A\n\nalpha\n\n## Sub\n\nmore\n')
  await put('many/b', `# B\n\n${'beta\n'.repeat(4_000)}`)
  await put('many/c', '# C\n')
  const pages = ['docs/many/a', `${service.app.address}/pages/docs/many/b?x=1#y`, 'docs/none', '/pages/docs/many/c']
  const outline = await agent.data('context_get_pages', { pages, view: 'outline' })
  assert.deepEqual(
    outline.items.map(({ page, content }: { page: string; content?: string }) => [page, content]),
    [
      ['docs/many/a', '# A (line 1)\n## Sub (line 5)\n'],
      ['docs/many/b', '# B (line 1)\n'],
      ['docs/none', undefined],
      ['docs/many/c', '# C (line 1)\n'],
    ],
  )
  assert.match(outline.items[2].error, /^not_found/)
  const first = await agent.data('context_get_pages', { pages, view: 'first', lines: 3 })
  assert.equal(first.items[0].content, '# A\n\nalpha\n')
  assert.equal(first.items[0].nextLine, 4)
  const whole = await agent.call('context_get_pages', { pages })
  const text = textOf(whole)
  assert.ok(text.length < 20_000, `${text.length} characters`)
  assert.match(text, /=== docs\/many\/a, version 1: A\n# A\n\nalpha/)
  assert.match(text, /4002 lines: context_get_page has the rest from line \d+/)
  assert.match(text, /Call again with pages \["docs\/none","\/pages\/docs\/many\/c"\]/)
  await agent.rejected('not_found', 'context_get_pages', { pages: ['docs/none'] })
  await agent.rejected('invalid_path', 'context_get_pages', { pages: ['https://other.example/pages/docs/a'] })
})

test('a page is moved with its links, and a folder too, after a dry run that changes nothing', async () => {
  await put('old/page', '# Old\n')
  await put('old/page/child', '# Child\n')
  await put('links', '# Links\n\n[old](./old/page) and [child](./old/page/child)\n')
  const move = { space: 'docs', path: 'old/page', to: 'new/page', prefix: true }
  const dry = await agent.data('context_move_page', { ...move, dryRun: true })
  assert.deepEqual(dry.total, { moved: 2, files: 0, rewritten: 1, left: 0, refusals: 0 })
  assertStatus(await service.admin.get('/pages/docs/old/page'), 200)
  const text = textOf(await agent.call('context_move_page', move))
  assert.match(text, /^Moved 2 pages; 2 links in 1 page adapted\.\n- docs\/old\/page to docs\/new\/page\n/)
  assert.equal(
    (await service.admin.get('/pages/docs/links.md')).text,
    '# Links\n\n[old](./new/page) and [child](./new/page/child)\n',
  )
  await agent.rejected('precondition_failed', 'context_move_page', {
    space: 'docs',
    path: 'new/page',
    to: 'x',
    version: 99,
  })
  await agent.rejected('page_exists', 'context_move_page', { space: 'docs', path: 'new/page', to: 'links' })
  await agent.data('context_move_page', { space: 'docs', path: 'new/page', to: 'only', rewriteLinks: false })
  assert.match((await service.admin.get('/pages/docs/links.md')).text, /\[old\]\(\.\/new\/page\)/)
})

test('a page and a folder are deleted and restored, and an old version is restored', async () => {
  await put('gone', '# One\n')
  await put('gone', '# Two\n')
  await put('gone/child', '# Child\n')
  const at = { space: 'docs', path: 'gone' }
  assert.equal((await agent.data('context_delete_page', { ...at, prefix: true, dryRun: true })).total, 2)
  assert.match(textOf(await agent.call('context_delete_page', { ...at, dryRun: true })), /Would delete 1 page/)
  assertStatus(await service.admin.get('/pages/docs/gone'), 200)
  await agent.rejected('precondition_failed', 'context_delete_page', { ...at, version: 1 })
  assert.equal((await agent.data('context_delete_page', { ...at, prefix: true })).total, 2)
  await agent.rejected('page_deleted', 'context_get_page', at)
  assert.equal((await agent.data('context_restore_page', at)).version, 3)
  await agent.rejected('page_exists', 'context_restore_page', at)
  assert.equal((await agent.data('context_restore_page', { ...at, version: 1 })).version, 4)
  assert.equal((await service.admin.get('/pages/docs/gone.md')).text, '# One\n')
  assertStatus(await service.admin.get('/pages/docs/gone/child'), 410)
})

test('versions, and a text with the page, are compared as a unified diff', async () => {
  const lines = Array.from({ length: 300 }, (_, n) => `Line ${n} of a page that is long enough.`)
  await put('diff', `# Diff\n\n${lines.join('\n')}\n`)
  await put(
    'diff',
    `# Diff\n\n${lines.join('\n').replace('Line 7 of', 'Line seven of').replace('Line 200 ', 'Line CC ')}\n`,
  )
  const at = { space: 'docs', path: 'diff' }
  const text = textOf(await agent.call('context_compare', at))
  assert.ok(text.length < 2_000, `${text.length} characters`)
  const part = (n: number) => `Line ${n} of a page that is long enough.`
  assert.ok(
    text.startsWith(
      `--- version 1\n+++ version 2\n@@ -7,7 +7,7 @@\n ${part(4)}\n ${part(5)}\n ${part(6)}\n-${part(7)}\n+${part(7).replace('7', 'seven')}\n ${part(8)}\n`,
    ),
    text,
  )
  const back = await agent.data('context_compare', { ...at, from: 2, to: 1 })
  assert.deepEqual([back.added, back.removed], [2, 2])
  const body = (await service.admin.get('/pages/docs/diff.md')).text
  assert.equal(textOf(await agent.call('context_compare', { ...at, text: body })), 'No differences.')
  assert.match(textOf(await agent.call('context_compare', { ...at, text: `${body}End.\n` })), /^\+End\.$/m)
  await agent.rejected('not_found', 'context_compare', { ...at, to: 9 })
  await agent.rejected('invalid_request', 'context_compare', { ...at, to: 1, text: 'x' })
  await put('single', 'one\n')
  assert.match(
    textOf(await agent.call('context_compare', { space: 'docs', path: 'single' })),
    /^--- version 0\n\+\+\+ version 1\n@@ -0,0 \+1,1 @@\n\+one$/,
  )
})

test('changes are read since a time, and then since a cursor', async () => {
  const from = new Date(Date.now() - 1000).toISOString()
  await put('changed/one', '# One\n')
  // An event is returned once no open transaction can precede it. The event of the space names no page.
  const seen: string[] = []
  let since = from
  await until(async () => {
    const data = await agent.data('context_get_changes', { since, space: 'docs', limit: 200 })
    assert.ok(data.items.every((item: { occurredAt: string }) => item.occurredAt >= from))
    seen.push(...data.items.map(({ page }: { page?: { path: string } }) => page?.path))
    since = data.nextCursor
    return seen.includes('changed/one') && !data.hasMore
  })
  await put('changed/two', '# Two\n')
  const changed = async () => textOf(await agent.call('context_get_changes', { since, kinds: 'page.created' }))
  await until(async () => (await changed()).includes('changed/two'))
  assert.match(await changed(), /^\d{4}-\d\d-\d\dT\d\d:\d\dZ page\.created docs\/changed\/two \(version 1\) by /)
  const later = new Date(Date.now() + 3600_000).toISOString()
  assert.deepEqual((await agent.data('context_get_changes', { since: later })).items, [])
  for (const bad of ['2026-99-99', 'nonsense', 'nonsense'.repeat(10)]) {
    const code = bad.length > 40 ? 'invalid_cursor' : 'invalid_request'
    await agent.rejected(code, 'context_get_changes', { since: bad })
  }
})

test('reports list broken links, wanted pages and orphans', async () => {
  await service.admin.space('reports')
  assertStatus(await service.admin.put('/pages/reports/a', '# A\n\n[x](./missing) [y](./missing)\n'), 201)
  const ask = async (report: string) => textOf(await agent.call('context_list_reports', { space: 'reports', report }))
  assert.match(await ask('broken'), /^reports\/a line 3: \[x\] to missing page reports\/missing\n/)
  assert.match(await ask('wanted'), /^reports\/missing: linked from 1 page\n/)
  assert.match(await ask('orphans'), /^reports\/a: A\n/)
  await agent.rejected('invalid_request', 'context_list_reports', { space: 'reports', report: 'other' })
  assert.match(textOf(await agent.call('context_get_broken_links', { space: 'reports' })), /does not exist/)
})

test('a page is found by its title, its path and an identifier in its text', async () => {
  await put('find/quokka-guide', '# Marsupials\n\nSee ERR_QUOKKA_42.\n')
  const find = async (query: string) =>
    (await agent.data('context_find', { query, space: 'docs' })).items.map(
      ({ path, match }: { path: string; match: string }) => [path, match],
    )
  assert.deepEqual(await find('Marsup'), [['find/quokka-guide', 'name']])
  assert.deepEqual(await find('find/quokka'), [['find/quokka-guide', 'name']])
  assert.deepEqual(await find('ERR_QUOKKA_42'), [['find/quokka-guide', 'text']])
  assert.match(textOf(await agent.call('context_find', { query: 'zzznothing' })), /^No results\. Try/)
})

test('metadata of many pages is changed by one call, by page or query, after a dry run', async () => {
  await service.admin.space('tagged')
  const pages = Array.from({ length: 30 }, (_, n) => `tagged/p${String(n).padStart(2, '0')}`)
  for (const page of pages) assertStatus(await service.admin.put(`/pages/${page}`, '# P\n'), 201)
  const set = { pages, set: { status: 'draft' } }
  assert.deepEqual((await agent.data('context_update_metadata', { ...set, dryRun: true })).total, {
    changed: 30,
    unchanged: 0,
    failed: 0,
  })
  const filters = [{ key: 'status', op: 'eq', value: 'draft' }]
  const query = { filters, space: 'tagged' }
  assert.deepEqual((await agent.data('context_query_metadata', query)).items, [])
  await agent.data('context_update_metadata', { pages: pages.slice(0, 3), set: { status: 'draft' } })
  const done = await agent.data('context_update_metadata', { ...set, pages: [...pages, 'tagged/none', 'tagged/p00'] })
  assert.deepEqual(done.total, { changed: 27, unchanged: 3, failed: 1 })
  assert.match(done.items[0].error, /^not_found/)
  const text = textOf(
    await agent.call('context_update_metadata', { ...query, set: { status: null }, appendUnique: { by: 'me' } }),
  )
  assert.match(text, /^Changed 30 pages; 0 unchanged, 0 failed\.\n- tagged\/p00: (?:status, by|by, status)\n/)
  assert.deepEqual((await service.admin.get('/pages/tagged/p07/metadata')).json.metadata, { by: ['me'] })
  await agent.rejected('not_found', 'context_update_metadata', { pages: ['tagged/none'], set: { a: 1 } })
  await agent.rejected('invalid_request', 'context_update_metadata', { ...query, ...set })
  await agent.rejected('invalid_request', 'context_update_metadata', { pages })
  const reader = await newPerson(service.admin, 'mere reader', { scopes: ['write'] })
  await using reading = await connectAgent(service.app.address, reader.key)
  await reading.rejected('forbidden', 'context_update_metadata', set)
  await reading.rejected('forbidden', 'context_update_metadata', { ...set, dryRun: true })
})

test('every page of a call counts for the rate limit, and a call over it changes nothing', async () => {
  await using limited = await startService({ SVC_RATE_LIMIT: '20' })
  await limited.admin.space('few')
  const pages = ['few/a', 'few/b', 'few/c', 'few/d', 'few/e', 'few/f']
  for (const page of pages) assertStatus(await limited.admin.put(`/pages/${page}`, 'x'), 201)
  await using few = await connectAgent(limited.app.address, limited.admin.key)
  await few.data('context_update_metadata', { pages, set: { a: 1 } })
  await few.rejected('too_many_requests', 'context_update_metadata', { pages, set: { a: 2 } })
  assert.equal((await limited.admin.get('/pages/few/a/metadata')).json.metadata.a, 1)
})

test('a text is replaced in one page, and in a space as its dry run has listed', async () => {
  await service.admin.space('terms')
  const put = async (path: string, body: string) =>
    assertStatus(await service.admin.put(`/pages/terms/${path}`, body), 201)
  await put('one', '# One\n\nThe Foo is here.\n\n## More\n\nFoo and Foo.\n')
  await put('two', 'No heading, one Foo.\n')
  await put('three', 'Nothing.\n')
  await put('other/four', 'A foo in lower case.\n')
  const one = { space: 'terms', path: 'one', find: 'Foo', replace: 'Bar' }
  await agent.rejected('edit_not_applicable', 'context_replace_text', one)
  await agent.rejected('edit_not_applicable', 'context_replace_text', { ...one, find: 'Qux' })
  const call = { space: 'terms', find: 'Foo', replace: 'Bar' }
  const dry = textOf(await agent.call('context_replace_text', { ...call, dryRun: true }))
  assert.equal(
    dry,
    [
      'Dry run. Would replace 4 hits in 2 pages.',
      'terms/one:',
      '  line 3 (One): The Foo is here.',
      '  line 7 (More): Foo and Foo.',
      '  line 7 (More): Foo and Foo.',
      'terms/two:',
      '  line 1: No heading, one Foo.',
    ].join('\n'),
  )
  assert.equal((await service.admin.get('/pages/terms/two.md')).text, 'No heading, one Foo.\n')
  const done = textOf(await agent.call('context_replace_text', call))
  assert.equal(done, 'Replaced 4 hits in 2 pages.\nterms/one: 3 hits, version 2\nterms/two: 1 hit, version 2')
  assert.equal(
    (await service.admin.get('/pages/terms/one.md')).text,
    '# One\n\nThe Bar is here.\n\n## More\n\nBar and Bar.\n',
  )
  const back = await agent.data('context_replace_text', { ...one, find: 'Bar', replace: 'Foo', all: true })
  assert.deepEqual([back.hits, back.items[0].version], [3, 3])
  const below = { ...call, find: 'foo', replace: 'x', prefix: 'other/' }
  assert.equal((await agent.data('context_replace_text', below)).hits, 1)
  await agent.rejected('invalid_request', 'context_replace_text', { find: 'a', replace: 'b' })
  await agent.rejected('not_found', 'context_replace_text', { ...call, space: 'nowhere' })
})

test('a space of many pages with a text is replaced in parts, with a cursor', async () => {
  await service.admin.space('parts')
  for (let n = 0; n < 60; n++) {
    assertStatus(await service.admin.put(`/pages/parts/p${String(n).padStart(2, '0')}`, `Term ${n}.\n`), 201)
  }
  const call = { space: 'parts', find: 'Term', replace: 'Word' }
  const first = await agent.data('context_replace_text', { ...call, dryRun: true })
  assert.equal(first.pages, 50)
  const done = await agent.data('context_replace_text', call)
  const rest = await agent.data('context_replace_text', { ...call, cursor: done.nextCursor })
  assert.deepEqual([done.pages, rest.pages, rest.nextCursor], [50, 10, null])
  assert.equal((await service.admin.get('/pages/parts/p59.md')).text, 'Word 59.\n')
  await agent.rejected('invalid_cursor', 'context_replace_text', { ...call, find: 'x', cursor: done.nextCursor })
})
