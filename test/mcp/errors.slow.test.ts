import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Agent, connectAgent, textOf } from '../support/agent.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

/** Terms of HTTP that an agent cannot act on. */
const HTTP_TERMS =
  /If-Match|If-None-Match|\bheader|\bGET\b|\bPUT\b|\bPATCH\b|\bPOST\b|query parameter|request body|[?&]\w+=/

let service: Service
let agent: Agent

before(async () => {
  service = await startService({ SVC_RATE_LIMIT: '0', SVC_MAX_CONCURRENT_REQUESTS: '0' })
  agent = await connectAgent(service.app.address, service.admin.key)
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/page', '# Page\n\n## Part\n\ntext\n'), 201)
})
after(async () => {
  await agent?.[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

type Schema = Readonly<Record<string, unknown>>
type Arguments = Readonly<Record<string, unknown>>

const LONG = 'long-'.repeat(2_000)
const WRONG: readonly unknown[] = [`@@ ${LONG}`, { a: 1 }]
const VALID: Arguments = {
  space: 'docs',
  path: 'page',
  pages: ['docs/page'],
  report: 'broken',
  query: 'text',
  find: 'text',
  replace: 'x',
  to: 'page',
  edits: [{ op: 'replace', find: 'absent', text: 'x' }],
}

/** Calls with one argument that is wrong, missing or unknown, and with the page of a space that does not exist. */
function wrongCalls({ properties = {}, required = [] }: { properties?: unknown; required?: unknown }): Arguments[] {
  const names = Object.keys(properties as Schema)
  const valid = Object.fromEntries(names.filter((name) => name in VALID).map((name) => [name, VALID[name]]))
  const without = (required as string[]).map((name) =>
    Object.fromEntries(Object.entries(valid).filter(([other]) => other !== name)),
  )
  return [
    { ...valid, colour: 'red' },
    { ...valid, ...(names.includes('space') && { space: 'nowhere' }) },
    { ...valid, ...(names.includes('path') && { path: 'nowhere' }) },
    { ...valid, ...(names.includes('path') && { path: 'https://other.example/pages/docs/page' }) },
    ...without,
    ...names.flatMap((name) => WRONG.map((value) => ({ ...valid, [name]: value }))),
  ]
}

test('errors of all tools have a code, at most 250 characters, and no terms of HTTP', async () => {
  const { tools } = await agent.client.listTools()
  const texts = new Set<string>()
  const wrong: string[] = []
  for (const { name, inputSchema } of tools) {
    const dry = 'dryRun' in (inputSchema.properties ?? {}) ? { dryRun: true } : {}
    const results = wrongCalls(inputSchema).map((args) => agent.call(name, { ...args, ...dry }))
    for (const result of await Promise.all(results)) {
      if (!result.isError) continue
      const text = textOf(result)
      texts.add(text)
      const fits = /^(?!internal_error)[a-z_]+: \S/.test(text) && text.length <= 250 && !HTTP_TERMS.test(text)
      if (!fits) wrong.push(`${name}: ${text}`)
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(texts.size > 60, `${texts.size} errors`)
})

test('an argument with a closed set names its values', async () => {
  const named = async (name: string, args: Arguments, words: readonly string[]) => {
    const text = textOf(await agent.call(name, args))
    for (const word of words) assert.ok(text.includes(word), `${word} in ${text}`)
  }
  const page = { space: 'docs', path: 'page' }
  await named('context_list_reports', { space: 'docs', report: 'x' }, ['broken', 'wanted', 'orphans', 'unused-files'])
  await named('context_get_page', { ...page, view: 'x' }, ['text', 'outline'])
  await named('context_get_pages', { pages: ['docs/page'], view: 'x' }, ['whole', 'outline', 'first'])
  await named('context_list_pages', { order: 'x' }, ['path', 'recent'])
  await named('context_query_metadata', { filters: [{ key: 'a', op: 'like' }] }, ['eq', 'missing', 'contains'])
  await named('context_edit_page', { ...page, edits: [{ op: 'x' }] }, ['append', 'appendToSection', 'replaceSection'])
  await named('context_get_page', { ...page, format: 'x' }, ['detailed'])
  await named('context_get_changes', { kinds: 'x' }, ['page.created'])
})
