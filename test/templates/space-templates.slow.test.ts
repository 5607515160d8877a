import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { readBuiltinTemplates } from './builtin-content.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

const builtin = readBuiltinTemplates()

test('the gallery lists the built-in templates with their descriptions', async () => {
  const items = await service.admin.all('/space-templates?source=builtin&limit=2')
  assert.deepEqual(
    items.map((item) => item.id),
    builtin.map(({ id }) => id),
  )
  for (const [index, item] of items.entries()) {
    const { id, pages, manifest } = builtin[index] ?? assert.fail()
    const { title, description, category } = manifest as Record<string, string>
    const { updatedAt, ...rest } = item
    assert.deepEqual(rest, { source: 'builtin', id, title, description, category, pageCount: pages.size })
    assert.ok(Date.parse(updatedAt) > 0)
  }
})

test('reading a template returns all of its pages', async () => {
  const answer = assertStatus(await service.admin.get('/space-templates/builtin/agent-memory'), 200)
  const { pages } = builtin.find(({ id }) => id === 'agent-memory') ?? assert.fail()
  assert.equal(answer.json.pages.length, pages.size)
  const facts = answer.json.pages.find((page: { path: string }) => page.path === 'facts')
  assert.match(facts.body, /^# /m)
  assert.equal(facts.metadata.kind, 'index')
  assertProblem(await service.admin.get('/space-templates/builtin/none'), 404, 'not_found')
  assertProblem(await service.admin.get('/space-templates/other/none'), 400, 'invalid_request')
})

test('a space created from a built-in template has all of its pages, byte for byte', async () => {
  for (const { id, pages, metadata } of builtin) {
    const slug = `from-${id}`
    const answer = assertStatus(
      await service.admin.post(`/space-templates/builtin/${id}/spaces`, { slug, visibility: 'private' }),
      201,
    )
    assert.equal(answer.headers.get('location'), `${service.app.address}/spaces/${slug}`)
    assert.equal(answer.json.space.slug, slug)
    assert.equal(answer.json.space.visibility, 'private')
    assert.notEqual(answer.json.space.name, slug)
    assert.notEqual(answer.json.space.description, '')
    assert.equal(answer.json.template.id, id)
    assert.equal(answer.json.pagesCreated, pages.size)
    const listed = await service.admin.all(`/spaces/${slug}/pages`)
    assert.deepEqual(
      listed.map((page) => page.path),
      [...pages.keys()].sort(),
    )
    for (const { path, version, createdBy } of listed) {
      assert.equal(version, 1)
      assert.equal(createdBy.name, 'Admin')
      const markdown = await service.admin.get(`/pages/${slug}/${path}.md`)
      assert.ok(markdown.text.endsWith(pages.get(path)?.body ?? '-'), path)
      const stored = await service.admin.get(`/pages/${slug}/${path}/metadata`)
      assert.deepEqual(stored.json.metadata, metadata.get(path) ?? {}, path)
    }
  }
})

test('links of the created pages are indexed, and none is broken', async () => {
  for (const { id } of builtin) {
    assert.deepEqual(await service.admin.all(`/spaces/from-${id}/links/broken`), [], id)
    const { json } = await service.admin.get(`/pages/from-${id}/home/links`)
    assert.ok(json.outbound.length > 0, id)
    assert.ok(json.outbound.every((link: { exists: boolean }) => link.exists))
  }
})

test('name and description default to those of the template', async () => {
  const { json } = await service.admin.post('/space-templates/builtin/team-handbook/spaces', {
    slug: 'named',
    name: 'Our book',
    description: '',
  })
  assert.equal(json.space.name, 'Our book')
  assert.equal(json.space.description, '')
})

test('a taken or reserved slug creates no space and no page', async () => {
  await service.admin.space('taken')
  const create = (slug: string) => service.admin.post('/space-templates/builtin/team-handbook/spaces', { slug })
  assertProblem(await create('taken'), 409, 'slug_taken')
  assertProblem(await create('personal'), 409, 'slug_taken')
  assertProblem(await create('Not A Slug'), 400, 'invalid_slug')
  assert.deepEqual(await service.admin.all('/spaces/taken/pages'), [])
})

test('of concurrent requests to create a space from a template exactly one succeeds', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      service.admin.post('/space-templates/builtin/engineering-docs/spaces', { slug: 'raced' }),
    ),
  )
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409, 409, 409])
  const { pages } = builtin.find(({ id }) => id === 'engineering-docs') ?? assert.fail()
  assert.equal((await service.admin.all('/spaces/raced/pages')).length, pages.size)
})

test('a snapshot of a space becomes a template, replaced by the same id, and can be deleted', async () => {
  const { admin } = service
  await admin.space('origin', { name: 'Origin', description: 'Where it began' })
  await admin.put('/pages/origin/a', '# A\n\n[b](./b.md)')
  await admin.patch('/pages/origin/a/metadata', { set: { kind: 'x', tags: [1], n: 1.5 } })
  await admin.put('/pages/origin/b', '# B')
  await admin.put('/pages/origin/b', '# B, changed', { 'if-match': '"1"' })
  const made = assertStatus(await admin.post('/space-templates/org', { space: 'origin' }), 201)
  assert.equal(made.headers.get('location'), `${service.app.address}/space-templates/org/origin`)
  const { updatedAt, ...item } = made.json
  assert.deepEqual(item, {
    source: 'org',
    id: 'origin',
    title: 'Origin',
    description: 'Where it began',
    category: 'organisation',
    pageCount: 2,
  })
  assert.deepEqual(await admin.all('/space-templates?source=org'), [made.json])
  assert.ok(Date.parse(updatedAt) > 0)

  await admin.put('/pages/origin/c', '# C')
  const again = await admin.post('/space-templates/org', {
    space: 'origin',
    id: 'origin',
    title: 'New',
    description: 'd',
    category: 'c',
  })
  assert.equal(assertStatus(again, 201).json.pageCount, 3)
  const read = assertStatus(await admin.get('/space-templates/org/origin'), 200)
  // Nothing else: the space that it is of may be hidden from others who read it.
  assert.deepEqual(Object.keys(read.json).sort(), [
    ...['category', 'description', 'files', 'id', 'pageCount', 'pages'],
    ...['source', 'space', 'title', 'updatedAt'],
  ])
  assert.deepEqual(read.json.space, { name: 'Origin', description: 'Where it began', language: 'en' })
  assert.deepEqual(read.json.pages, [
    { path: 'a', body: '# A\n\n[b](./b.md)', metadata: { kind: 'x', n: 1.5, tags: [1] } },
    { path: 'b', body: '# B, changed' },
    { path: 'c', body: '# C' },
  ])
  const copy = await admin.post('/space-templates/org/origin/spaces', { slug: 'copy' })
  assert.equal(assertStatus(copy, 201).json.pagesCreated, 3)
  assert.equal((await admin.page('/pages/copy/b')).json.body, '# B, changed')
  assert.equal((await admin.page('/pages/copy/b')).json.version, 1)
  const { json } = await admin.get('/pages/copy/a/metadata')
  assert.deepEqual(json.metadata, { kind: 'x', n: 1.5, tags: [1] })
  const history = await admin.all('/pages/copy/a/metadata/history')
  assert.deepEqual(history.map(({ key, op, existed, previousValue }) => [key, op, existed, previousValue]).sort(), [
    ['kind', 'set', false, null],
    ['n', 'set', false, null],
    ['tags', 'set', false, null],
  ])
  assertStatus(await admin.patch('/pages/copy/a/metadata', { append: { tags: 2 } }), 200)

  assertStatus(await admin.delete('/space-templates/org/origin'), 204)
  assertProblem(await admin.delete('/space-templates/org/origin'), 404, 'not_found')
  assertProblem(await admin.get('/space-templates/org/origin'), 404, 'not_found')
  assert.equal((await admin.all('/spaces/copy/pages')).length, 3)
  assertProblem(await admin.delete('/space-templates/builtin/team-handbook'), 405, 'method_not_allowed')
})

test('links with the slug of the original space point to the copies in a copy', async () => {
  const { admin } = service
  await admin.space('source')
  await admin.space('beside')
  const body =
    '[a](/pages/source/a "T") [f](/pages/source/dir/b.md?x=1#part) [r](./a) [away](/pages/beside/a) `/pages/source/a`\n' +
    `[none](/pages/source/none) [there](./none) [o](${service.app.address}/pages/source/a) [s](/pages/source-two/a)\n`
  assertStatus(await admin.put('/pages/source/a', body), 201)
  assertStatus(await admin.put('/pages/source/dir/b', '[up](../a.md) [a](/pages/source/a)'), 201)
  assertStatus(await admin.post('/space-templates/org', { space: 'source' }), 201)
  assertStatus(await admin.post('/space-templates/org/source/spaces', { slug: 'duplicate' }), 201)
  const read = async (path: string) =>
    assertStatus(await admin.get(`/pages/${path}`, { accept: 'text/markdown' }), 200).text
  assert.equal(
    await read('duplicate/a'),
    '[a](/pages/duplicate/a "T") [f](/pages/duplicate/dir/b.md?x=1#part) [r](./a) [away](/pages/beside/a) `/pages/source/a`\n' +
      `[none](/pages/source/none) [there](./none) [o](${service.app.address}/pages/duplicate/a) [s](/pages/source-two/a)\n`,
  )
  assert.equal(await read('duplicate/dir/b'), '[up](../a.md) [a](/pages/duplicate/a)')
  const { backlinks } = (await admin.get('/pages/duplicate/a/links')).json
  assert.deepEqual(backlinks.map(({ space, path }: { space: string; path: string }) => `${space}/${path}`).sort(), [
    'duplicate/a',
    'duplicate/dir/b',
  ])
})

test('only organisation admins create and delete templates, and everybody sees them', async () => {
  const { client: member } = await newPerson(service.admin, 'Mara')
  await service.admin.space('open')
  await service.admin.put('/pages/open/x', '# X')
  assertStatus(await service.admin.post('/space-templates/org', { space: 'open' }), 201)
  assertProblem(await member.post('/space-templates/org', { space: 'open' }), 403, 'forbidden')
  assertProblem(await member.delete('/space-templates/org/open'), 403, 'forbidden')
  assertStatus(await member.get('/space-templates/org/open'), 200)
  assertStatus(await member.post('/space-templates/org/open/spaces', { slug: 'maras' }), 201)
  assertProblem(await service.admin.post('/space-templates/org', { space: 'absent' }), 404, 'not_found')
  assertProblem(await service.nobody.get('/space-templates'), 401, 'unauthorized')
})

test('an empty space becomes a template without pages', async () => {
  await service.admin.space('empty')
  assert.equal((await service.admin.post('/space-templates/org', { space: 'empty' })).json.pageCount, 0)
  const made = await service.admin.post('/space-templates/org/empty/spaces', { slug: 'empty-too' })
  assert.equal(assertStatus(made, 201).json.pagesCreated, 0)
})
