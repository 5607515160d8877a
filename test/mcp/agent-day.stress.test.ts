import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { doDay, fillDay } from './day-tasks.ts'

/** What one answer may have: about 20,000 characters. */
const BOUND = 20_000

let service: Service
let agent: Agent

/** A handbook of some 400 KB: chapters of sections, one of which has the word that is looked for. */
function handbook(): string {
  const chapters = Array.from({ length: 40 }, (_, chapter) => {
    const sections = Array.from({ length: 10 }, (_, section) => {
      const word = chapter === 27 && section === 4 ? ' The quokka sleeps at noon.' : ''
      const sentences = Array.from(
        { length: 20 },
        (_, n) => `Line ${n} of section ${chapter}.${section} says what has to be said about it.`,
      )
      return `### Section ${chapter}.${section}\n\n${sentences.join('\n')}${word}\n`
    })
    return `## Chapter ${chapter}\n\n${sections.join('\n')}`
  })
  return `# Handbook\n\n\`\`\`\n# no heading\n\`\`\`\n\nSee [the plan](./plan) and [what is missing](./missing).\n\n${chapters.join('\n')}`
}

before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0' })
  await service.admin.space('work', { defaultRole: 'editor' })
  assertStatus(await service.admin.put('/pages/work/handbook', handbook()), 201)
  assertStatus(await service.admin.put('/pages/work/plan', '# Plan\n\nBack to the [handbook](./handbook).\n'), 201)
  const person = await newPerson(service.admin, 'Ada', { kind: 'agent', scopes: ['write'] })
  assertStatus(await service.admin.call('PUT', `/spaces/work/members/${person.id}`, { json: { role: 'editor' } }), 201)
  agent = await connectAgent(service.app.address, person.key)
})
after(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

test('an agent finds, reads and edits a page, recovers from an edit conflict, and uses metadata and links', async () => {
  const said: number[] = []
  const ask = async (name: string, args: Readonly<Record<string, unknown>> = {}) => {
    const result = await agent.call(name, { ...args, format: 'detailed' })
    said.push(textOf(result).length, JSON.stringify(result.structuredContent ?? null).length)
    assert.ok(!result.isError, textOf(result))
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of every shape
    return result.structuredContent as any
  }

  assert.equal((await ask('context_whoami')).name, 'Ada')
  const spaces = await ask('context_list_spaces')
  assert.deepEqual(spaces.items.find((space: { slug: string }) => space.slug === 'work').role, 'editor')
  const found = await ask('context_search', { query: 'quokka noon' })
  assert.deepEqual([found.items[0].space, found.items[0].path], ['work', 'handbook'])

  const at = { space: 'work', path: 'handbook' }
  const whole = await ask('context_get_page', at)
  assert.ok(whole.totalCharacters > 400_000)
  assert.ok(whole.nextLine > 1)
  const headings: string[] = []
  for (let from: number | null = 1; from !== null; ) {
    const part = await ask('context_get_page', { ...at, view: 'outline', fromLine: from })
    headings.push(...part.outline.map((heading: { text: string }) => heading.text))
    from = part.nextLine
  }
  assert.equal(headings.length, 1 + 40 + 400)
  const section = await ask('context_get_page', { ...at, heading: 'Section 27.4' })
  assert.match(section.content, /^### Section 27\.4\n[^#]*quokka[^#]*$/)
  assert.equal(section.nextLine, null)

  const fresh = section.content.replace('at noon', 'at night').replace(/^.*\n\n/, '')
  // Someone else is faster.
  const rival = await service.admin.patch(
    '/pages/work/handbook',
    { edits: [{ op: 'append', text: 'The end.\n' }] },
    { 'if-match': `"${section.version}"` },
  )
  assertStatus(rival, 200)
  const edits = [{ op: 'replaceSection', heading: 'Section 27.4', text: fresh }]
  const lost = await agent.rejected('precondition_failed', 'context_edit_page', {
    ...at,
    version: section.version,
    edits,
  })
  assert.equal(lost.current.version, 2)
  const again = await ask('context_get_page', { ...at, heading: 'Section 27.4' })
  assert.equal(again.content, section.content)
  const edited = await ask('context_edit_page', { ...at, version: again.version, edits, note: 'nights' })
  assert.equal(edited.version, 3)
  const result = (await service.admin.get('/pages/work/handbook.md')).text
  assert.equal(result, `${handbook().replace('at noon', 'at night')}The end.\n`)

  await ask('context_patch_metadata', {
    ...at,
    set: { status: 'reviewed', due: '2026-12-01' },
    appendUnique: { by: 'Ada' },
  })
  const keys = await ask('context_list_metadata_keys', { space: 'work' })
  assert.deepEqual(keys.items.map(({ key }: { key: string }) => key).sort(), ['by', 'due', 'status'])
  const query = [
    { key: 'status', op: 'eq', value: 'reviewed' },
    { key: 'due', op: 'lt', value: '2027-01-01' },
  ]
  const due = await ask('context_query_metadata', { filters: query, orderBy: 'due', space: 'work' })
  assert.deepEqual(
    due.items.map(({ path }: { path: string }) => path),
    ['handbook'],
  )
  assert.deepEqual((await ask('context_get_metadata', at)).metadata.by, ['Ada'])

  const links = await ask('context_get_page_links', at)
  assert.deepEqual(
    links.outbound.map((link: { path: string; exists: boolean }) => [link.path, link.exists]),
    [
      ['plan', true],
      ['missing', false],
    ],
  )
  const http = (await service.admin.get('/pages/work/handbook/links')).json
  const { nextOutbound, ...same } = links
  assert.deepEqual([same, nextOutbound], [http, null])
  const plan = await ask('context_get_page', { space: links.outbound[0].space, path: links.outbound[0].path })
  assert.match(plan.content, /^# Plan/)
  const broken = await ask('context_get_broken_links', { space: 'work' })
  assert.deepEqual(
    broken.items.map((item: { target: unknown }) => item.target),
    [{ space: 'work', path: 'missing' }],
  )
  await ask('context_write_page', { space: 'work', path: 'missing', body: '# Found\n' })
  assert.deepEqual((await ask('context_get_broken_links', { space: 'work' })).items, [])
  const history = await ask('context_get_page_history', at)
  assert.deepEqual(
    history.items.map(({ note }: { note: string | null }) => note),
    ['nights', null, null],
  )

  assert.ok(Math.max(...said) < BOUND * 1.2, `an answer has ${Math.max(...said)} characters`)
})

test('the parts of a long page, read one by one, are the page', async () => {
  const bodies = [
    handbook(),
    `${'💡'.repeat(30_000)}\n\r\n${'x'.repeat(50_000)}\rlast`,
    '',
    '\n',
    'no line break',
    `${'\n'.repeat(40_000)}`,
  ]
  for (const [index, body] of bodies.entries()) {
    const at = { space: 'work', path: `parts/${index}` }
    await agent.data('context_write_page', { ...at, body })
    let text = ''
    let from: { fromLine?: number; fromColumn?: number } | undefined = {}
    while (from) {
      const part = await agent.data('context_get_page', { ...at, ...from })
      assert.ok(part.content.length <= BOUND && part.content.isWellFormed())
      text += part.content
      from = part.nextLine === null ? undefined : { fromLine: part.nextLine, fromColumn: part.nextColumn }
    }
    assert.ok(text === body, `body ${index}`)
  }
})

test('long lists are paginated within the size limit, without gaps', async () => {
  const title = 't'.repeat(400)
  for (let n = 0; n < 60; n++) {
    await agent.data('context_write_page', {
      space: 'work',
      path: `long/${n}`,
      body: `# ${title}\n\n[x](./none-${n})`,
      note: 'n'.repeat(1000),
    })
  }
  const broken = (await service.admin.all('/spaces/work/links/broken')).length
  const all = (await service.admin.all('/pages/recent?space=work')).length
  for (const [name, args, expected] of [
    ['context_list_pages', { space: 'work', prefix: 'long/', limit: 200 }, 60],
    ['context_list_pages', { space: 'work', order: 'recent', limit: 200 }, all],
    ['context_search', { query: title, limit: 200 }, 60],
    ['context_get_broken_links', { space: 'work', limit: 200 }, broken],
  ] as const) {
    let count = 0
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const result = await agent.call(name, { ...args, format: 'detailed', ...(cursor && { cursor }) })
      const data = result.structuredContent as { items: unknown[]; nextCursor: string | null }
      assert.ok(JSON.stringify(data).length < BOUND * 1.05, name)
      assert.ok(textOf(result).length < BOUND * 1.05, name)
      count += data.items.length
      cursor = data.nextCursor
    }
    assert.equal(count, expected, name)
  }
  const links = Array.from({ length: 1000 }, (_, n) => `[link ${n} ${'w'.repeat(100)}](./none-${n})`).join('\n')
  await agent.data('context_write_page', { space: 'work', path: 'many-links', body: links })
  const texts: string[] = []
  for (let from: number | null = 0; from !== null; ) {
    const data = await agent.data('context_get_page_links', { space: 'work', path: 'many-links', fromOutbound: from })
    assert.ok(JSON.stringify(data).length < BOUND)
    texts.push(...data.outbound.map(({ path }: { path: string }) => path))
    from = data.nextOutbound
  }
  assert.deepEqual(
    texts,
    Array.from({ length: 1000 }, (_, n) => `none-${n}`),
  )
})

test('the tasks of a day take few calls and characters', async () => {
  await fillDay(service.admin)
  await using admin = await connectAgent(service.app.address, service.admin.key)
  const costs = await doDay(admin)
  for (const { task, calls, maxCalls } of costs) assert.ok(calls <= maxCalls, `${task}: ${calls} calls`)
  const characters = costs.reduce((sum, cost) => sum + cost.characters, 0)
  assert.ok(characters < 60_000, `${characters} characters`)
})
