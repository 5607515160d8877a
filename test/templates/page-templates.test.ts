import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  const { admin } = service
  await admin.space('docs')
  await admin.space('shared')
  await admin.space('secret', { visibility: 'private' })
  assertStatus(await admin.put('/pages/docs/templates/decision', decision), 201)
  assertStatus(await admin.put('/pages/docs/templates/plain', 'Just text by {{author}}.\n'), 201)
  assertStatus(await admin.put('/pages/docs/templates/note/short', '{{title}}'), 201)
  assertStatus(await admin.put('/pages/docs/templates', '# What our templates are'), 201)
  assertStatus(await admin.put('/pages/shared/templates/memo', 'From shared: {{ title }}'), 201)
  assertStatus(await admin.put('/pages/secret/templates/hidden', 'Hidden'), 201)
})
after(() => service[Symbol.asyncDispose]())

const decision = `---
title: Decision record
description: " What we decided, and why. "
pathPrefix: decisions/
metadataDefaults:
  kind: decision
  status: proposed
  owner:
  tags: [a, b]
---

# {{title}}

Decided on {{date}} by {{author}} for {{customer}}, costs {{cost}}. Write \\{{title}} to keep it.
`

const create = (path: string, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
  service.admin.call('PUT', path, { json, headers })
const today = () => new Date().toISOString().slice(0, 10)

test('GET /templates lists the pages below templates/ with their front matter', async () => {
  const items = await service.admin.all('/templates?limit=2')
  assert.deepEqual(
    items.map(({ space, path, name }) => [space, path, name]),
    [
      ['docs', 'templates/decision', 'decision'],
      ['docs', 'templates/note/short', 'note/short'],
      ['docs', 'templates/plain', 'plain'],
      ['secret', 'templates/hidden', 'hidden'],
      ['shared', 'templates/memo', 'memo'],
    ],
  )
  const { updatedAt, ...first } = items[0]
  assert.deepEqual(first, {
    space: 'docs',
    path: 'templates/decision',
    name: 'decision',
    title: 'Decision record',
    description: 'What we decided, and why.',
    pathPrefix: 'decisions/',
    version: 1,
    metadataDefaults: { kind: 'decision', status: 'proposed', tags: ['a', 'b'] },
    variables: ['title', 'date', 'author', 'customer', 'cost'],
  })
  assert.ok(Date.parse(updatedAt) > 0)
  assert.equal(items[1].title, 'short')
  assert.equal(items[2].description, null)
})

test('GET /templates accepts space and includeContent', async () => {
  const { json } = await service.admin.get('/templates?space=shared&includeContent=true')
  assert.equal(json.items.length, 1)
  assert.equal(json.items[0].content, 'From shared: {{ title }}')
  const all = await service.admin.get('/templates?space=docs&includeContent=true')
  assert.match(all.json.items[0].content, /^# \{\{title\}\}/)
  assertProblem(await service.admin.get('/templates?space=absent'), 404, 'not_found')
  assertProblem(await service.admin.get('/templates?other=1'), 400, 'invalid_request')
})

test('a caller sees and uses only the templates of spaces that it can read', async () => {
  const { client } = await newPerson(service.admin, 'Mara')
  const seen = await client.all('/templates')
  assert.ok(seen.every(({ space }) => space !== 'secret'))
  await client.space('maras')
  const use = (template: string) => client.call('PUT', '/pages/maras/x', { json: { template } })
  assertProblem(await use('secret/hidden'), 404, 'template_not_found')
  assertStatus(await use('shared/memo'), 201)
})

test('a page is created from a template with variables, defaults and metadata', async () => {
  const answer = assertStatus(
    await create('/pages/docs/decisions/0001-use-one-queue', {
      template: 'decision',
      variables: { customer: 'Ada & Co', cost: 12.5 },
      metadata: { status: 'accepted', tags: null, 'decided-on': '2026-01-01' },
      note: 'from the template',
    }),
    201,
  )
  assert.equal(answer.json.title, '0001 use one queue')
  assert.equal(answer.json.note, 'from the template')
  assert.deepEqual(answer.json.frontmatter, {})
  const { json } = await service.admin.page('/pages/docs/decisions/0001-use-one-queue')
  assert.equal(
    json.body,
    `# 0001 use one queue\n\nDecided on ${today()} by Admin for Ada & Co, costs 12.5. Write {{title}} to keep it.\n`,
  )
  const metadata = await service.admin.get('/pages/docs/decisions/0001-use-one-queue/metadata')
  assert.deepEqual(metadata.json.metadata, { 'decided-on': '2026-01-01', kind: 'decision', status: 'accepted' })
})

test('an expression of GitHub Actions in a template, in code or not, is text; a variable in code is filled', async () => {
  const { admin } = service
  const text = (title: string) =>
    `${title}\n\n\`\`\`yaml\nkey: \${{ secrets.KEY }} for ${title}\n\`\`\`\n\n    \${{env.A}}\n\n\`\${{ b }}\` <pre>\${{c}}</pre> $\${{d}}$$ ` +
    `<!-- \${{ e }} --> \${{title}} \${{ format('{{0}} {{f}}', g) }}\n`
  assertStatus(await admin.put('/pages/docs/templates/workflow', text('{{title}}')), 201)
  const items = await admin.all('/templates?space=docs')
  assert.deepEqual(items.find(({ name }) => name === 'workflow')?.variables, ['title'])
  assertStatus(await create('/pages/docs/deploy', { template: 'workflow' }), 201)
  assert.equal((await admin.get('/pages/docs/deploy.md')).text, text('Deploy'))
  assertStatus(await admin.call('DELETE', '/pages/docs/templates/workflow', { headers: { 'if-match': '*' } }), 204)
})

test('the title, date and author variables may be set', async () => {
  const variables = { title: 'T', date: 'today', author: 'us', customer: 'c', cost: true }
  await create('/pages/docs/given', { template: 'decision', variables })
  const { json } = await service.admin.page('/pages/docs/given')
  assert.match(json.body, /# T\n\nDecided on today by us for c, costs true\./)
  assertStatus(await create('/pages/docs/unused', { template: 'plain', variables: { title: 'x' } }), 201)
})

test('`space/name` is a template of another space, unless the same space has a template with that name', async () => {
  assertStatus(await create('/pages/docs/from-shared', { template: 'shared/memo' }), 201)
  assert.equal((await service.admin.page('/pages/docs/from-shared')).json.body, 'From shared: From shared')
  assertStatus(await create('/pages/docs/short-note', { template: 'note/short' }), 201)
  assertStatus(await create('/pages/shared/short-note', { template: 'docs/note/short' }), 201)
  assertStatus(await create('/pages/personal/mine', { template: 'docs/plain' }), 201)
  assertStatus(await service.admin.put('/pages/personal/templates/own', 'own'), 201)
  assertStatus(await create('/pages/docs/from-own', { template: 'personal/own' }), 201)
})

test('unknown and missing variables are rejected by name, and no page is created', async () => {
  const answer = assertProblem(
    await create('/pages/docs/half', { template: 'decision', variables: { custmer: 'x', cost: 1 } }),
    400,
    'invalid_variables',
  )
  assert.deepEqual(
    answer.json.issues.map(({ path }: { path: string }) => path),
    ['/variables/customer', '/variables/custmer'],
  )
  for (const customer of [null, ['x'], { toString: 1 }, '\0']) {
    const variables = { customer, cost: 1 }
    const rejected = await create('/pages/docs/half', { template: 'decision', variables })
    assertProblem(rejected, 400, 'invalid_variables')
  }
  assertStatus(await service.admin.page('/pages/docs/half'), 404)
})

test('a missing or impossible template is 404, and no page is created', async () => {
  for (const template of ['none', 'docs/none', 'absent/none', '..', 'a//b', 'x\\y', 'UPPER/x']) {
    assertProblem(await create('/pages/docs/none', { template }), 404, 'template_not_found')
  }
  assertStatus(await service.admin.page('/pages/docs/none'), 404)
})

test('invalid metadata is rejected, and no page is created', async () => {
  const metadata = { 'a\u0001': 1 }
  assertProblem(await create('/pages/docs/bad', { template: 'plain', metadata }), 400, 'invalid_request')
  const large = { key: 'x'.repeat(70_000) }
  const rejected = await create('/pages/docs/bad', { template: 'plain', metadata: large })
  assertProblem(rejected, 413, 'payload_too_large')
  assertStatus(await service.admin.page('/pages/docs/bad'), 404)
})

test('template and body are mutually exclusive, and a template is for new pages only', async () => {
  assertProblem(await create('/pages/docs/both', { template: 'plain', body: '' }), 400, 'invalid_request')
  assertProblem(await create('/pages/docs/both', {}), 400, 'invalid_request')
  const variables = { a: 1 }
  assertProblem(await create('/pages/docs/both', { body: '', variables }), 400, 'invalid_request')
  assertStatus(await create('/pages/docs/once', { template: 'plain' }, { 'if-none-match': '*' }), 201)
  const again = (headers: Readonly<Record<string, string>>) =>
    create('/pages/docs/once', { template: 'plain' }, headers)
  assertProblem(await again({ 'if-none-match': '*' }), 412, 'precondition_failed')
  assertProblem(await again({}), 428, 'precondition_required')
  assertProblem(await again({ 'if-match': '"1"' }), 400, 'invalid_request')
  assert.equal((await service.admin.page('/pages/docs/once')).json.version, 1)
})

test('the latest revision of a template is used', async () => {
  await service.admin.put('/pages/docs/templates/moving', 'one')
  await service.admin.put('/pages/docs/templates/moving', 'two', { 'if-match': '"1"' })
  await create('/pages/docs/moved', { template: 'moving' })
  assert.equal((await service.admin.page('/pages/docs/moved')).json.body, 'two')
})

test('a template filled with long values cannot exceed the size limit of a page', async () => {
  await service.admin.put('/pages/docs/templates/bomb', '{{a}}'.repeat(10_000))
  const variables = { a: 'x'.repeat(60_000) }
  assertProblem(await create('/pages/docs/bomb', { template: 'bomb', variables }), 413, 'payload_too_large')
})

test('the templates of the agent memory work as its conventions describe', async () => {
  assertStatus(await service.admin.post('/space-templates/builtin/agent-memory/spaces', { slug: 'memory' }), 201)
  const made = await create(
    '/pages/memory/facts/short-true-sentence',
    { template: 'fact', metadata: { confidence: 0.8, source: 'build log 4711' } },
    { 'if-none-match': '*' },
  )
  assert.equal(assertStatus(made, 201).json.title, 'Short true sentence')
  const { json } = await service.admin.get('/pages/memory/facts/short-true-sentence/metadata')
  assert.deepEqual(json.metadata, {
    confidence: 0.8,
    kind: 'fact',
    source: 'build log 4711',
    status: 'current',
    tags: [],
  })
  assert.deepEqual(await service.admin.all('/spaces/memory/links/broken'), [])
})
