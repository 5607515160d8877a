import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

const PAGES = 'recto://pages/{space}/{+path}{?fromLine,fromColumn}'

let service: Service
let agent: Agent

before(async () => {
  service = await startService()
  await service.admin.space('docs', { description: 'Handbooks.' })
  await service.admin.space('secret', { visibility: 'private' })
  agent = await connectAgent(service.app.address, service.admin.key)
  await put('secret/plan', '# Plan\n')
})
after(async () => {
  await agent[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

async function put(page: string, body: string): Promise<void> {
  const path = page.split('/').map(encodeURIComponent).join('/')
  assertStatus(await service.admin.put(`/pages/${path}`, body), 201)
}

async function visitor(): Promise<Agent> {
  const person = await newPerson(service.admin, 'visitor', { kind: 'agent', scopes: ['read'] })
  return connectAgent(service.app.address, person.key)
}

async function textAt(uri: string, by = agent): Promise<string> {
  const { contents } = await by.client.readResource({ uri })
  const [first] = contents
  assert.ok(first && 'text' in first)
  return first.text
}

const promptText = async (name: string, args: Record<string, string>, by = agent) => {
  const { messages } = await by.client.getPrompt({ name, arguments: args })
  const [message] = messages
  assert.ok(message?.content.type === 'text')
  return message.content.text
}

test('the spaces and the 100 latest pages are listed as resources', async () => {
  await put('docs/a b/ü?#%', '# Ünï\n')
  const pages = Array.from({ length: 101 }, (_, n) => ({ path: `many/${n}`, body: `# Page ${n}\n` }))
  const space = { slug: 'docs', name: 'docs', description: '' }
  const bundle = { format: 'page-bundle', formatVersion: 1, space, pages }
  assertStatus(await service.admin.post('/spaces/docs/import', bundle), 200)
  await put('docs/newest', '# Newest\n')
  const { resources, nextCursor } = await agent.client.listResources({}, { cacheMode: 'bypass' })
  assert.equal(nextCursor, undefined)
  const spaces = resources.filter(({ name }) => !name.includes('/'))
  assert.deepEqual(
    spaces.map(({ uri, description }) => [uri, description]),
    [
      ['recto://pages/docs', 'Handbooks.'],
      ['recto://pages/secret', undefined],
    ],
  )
  const latest = resources.slice(spaces.length)
  assert.equal(latest.length, 100)
  assert.equal(latest[0]?.uri, 'recto://pages/docs/newest')
  assert.ok(!latest.some(({ name }) => name === 'secret/plan'))
})

test('a resource that is not listed is read by its URI, and others do not exist', async () => {
  assert.equal(await textAt('recto://pages/docs/a%20b/%C3%BC%3F%23%25'), '# Ünï\n')
  const { resourceTemplates } = await agent.client.listResourceTemplates()
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    [PAGES, 'recto://pages/{space}{?cursor}', 'recto://change-requests/{space}/{number}'],
  )
  for (const uri of [
    'recto://pages/docs/none',
    'recto://pages/none',
    'recto://pages/',
    'recto://pages/docs/%ff',
    'file:///etc/passwd',
  ]) {
    await assert.rejects(agent.client.readResource({ uri }), /does not exist|no page|no space/, uri)
  }
  const uri = 'recto://pages/docs/many/1?fromLine=x'
  await assert.rejects(agent.client.readResource({ uri }), /must be a number from 1/)
})

test('the parts of a long page as a resource are the page, and each names the next', async () => {
  const body = `${'A line of some length, as lines are.\n'.repeat(1_200)}${'💡'.repeat(15_000)}\nend`
  await put('docs/long', body)
  let text = ''
  let parts = 0
  for (let uri: string | undefined = 'recto://pages/docs/long'; uri !== undefined; parts++) {
    const { contents } = await agent.client.readResource({ uri })
    const [part, rest] = contents
    assert.ok(part && 'text' in part && part.text.length <= 18_000)
    text += part.text
    uri = rest?.uri
  }
  assert.ok(text === body)
  assert.ok(parts > 3)
})

test('the resource of a space is the list of its pages, in parts', async () => {
  const paths: string[] = []
  for (let uri: string | undefined = 'recto://pages/docs'; uri !== undefined; ) {
    const { contents } = await agent.client.readResource({ uri })
    const [part, rest] = contents
    assert.ok(part && 'text' in part)
    paths.push(...[...part.text.matchAll(/^- ([^:]*): /gm)].map(([, path]) => path as string))
    uri = rest?.uri
  }
  const pages = await service.admin.all('/spaces/docs/pages')
  assert.deepEqual(
    paths,
    pages.map(({ path }) => path),
  )
  assert.match(await textAt('recto://pages/docs'), /^# docs\n\nHandbooks\.\n\n- a b/)
  assert.equal(await textAt('recto://pages/secret'), '# secret\n\n- plan: Plan\n')
})

test('a resource that has moved is read at its new address', async () => {
  await put('docs/was', '# Moved\n')
  const to = { space: 'docs', path: 'is' }
  assertStatus(await service.admin.post('/pages/docs/was/move', { to }, { 'if-match': '"1"' }), 200)
  const { contents } = await agent.client.readResource({ uri: 'recto://pages/docs/was' })
  assert.deepEqual(contents, [{ uri: 'recto://pages/docs/is', mimeType: 'text/markdown', text: '# Moved\n' }])
})

test('spaces and paths are completed, for templates and for the arguments of prompts', async () => {
  const complete = async (ref: object, argument: object, known: Record<string, string> = {}, by = agent) => {
    const params = { ref, argument, context: { arguments: known } }
    // The type of the client wants one of two shapes of `ref`.
    const { completion } = await by.client.complete(params as Parameters<typeof by.client.complete>[0])
    return completion
  }
  const page = { type: 'ref/resource', uri: PAGES }
  const task = { type: 'ref/prompt', name: 'summarize_space' }
  const space = (value: string) => ({ name: 'space', value })
  for (const ref of [page, task]) {
    assert.deepEqual((await complete(ref, space(''))).values, ['docs', 'secret'])
    assert.deepEqual((await complete(ref, space('do'))).values, ['docs'])
  }
  const path = (value: string) => ({ name: 'path', value })
  const many = await complete(page, path('many/'), { space: 'docs' })
  assert.deepEqual([many.values.length, many.hasMore], [100, true])
  assert.deepEqual((await complete(page, path('many/99'), { space: 'docs' })).values, ['many/99'])
  assert.deepEqual((await complete(page, path('m'))).values, [])
  const template = { type: 'ref/prompt', name: 'docs/decision' }
  assert.deepEqual((await complete(template, path('many/99'))).values, ['many/99'])
  await assert.rejects(complete({ type: 'ref/prompt', name: 'nothing' }, space('')), /was not found|does not/)
  await assert.rejects(complete({ type: 'ref/resource', uri: 'file:///{x}' }, space('')), /template must be/)

  await using other = await visitor()
  assert.deepEqual((await complete(page, space(''), {}, other)).values, ['docs'])
  for (const hidden of ['secret', 'none']) {
    assert.deepEqual((await complete(page, path(''), { space: hidden }, other)).values, [])
  }
})

test('prompts for tasks begin with what the caller can read of the space', async () => {
  await put('docs/broken', '[a](./many/1) [b](./nowhere)\n')
  assert.match(await promptText('summarize_space', { space: 'docs' }), /docs\/broken: /)
  const mend = await promptText('mend_links', { space: 'docs' })
  assert.match(mend, /docs\/broken line 1: \[b\] to missing page docs\/nowhere/)
  assert.doesNotMatch(mend, /many\/1/)
  assert.match(await promptText('weekly_changes', {}), /page\.created secret\/plan/)
  assert.match(await promptText('file_note', { note: 'Tea at four.' }), /Tea at four\.[\s\S]*secret \(admin\)/)

  await using other = await visitor()
  assert.doesNotMatch(await promptText('weekly_changes', {}, other), /secret/)
  for (const name of ['summarize_space', 'mend_links', 'weekly_changes']) {
    const failed = promptText(name, { space: 'secret' }, other)
    await assert.rejects(failed, /was not found|does not exist|no space/i, name)
  }
  await assert.rejects(promptText('summarize_space', {}), /`space` is required/)
  await assert.rejects(promptText('mend_links', { space: 'docs', colour: 'red' }), /`colour` is not an argument/)
})
