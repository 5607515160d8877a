import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rewritePageUrl } from '@recto/contract/page-url.ts'
import { Ajv } from 'ajv'
import { EVENT_KINDS } from '../../packages/server/src/events/feed/event.ts'
import type { Rule } from '../access/route-rules/rule.ts'
import { ROUTE_RULES } from '../access/route-rules.ts'
import { assertStatus } from '../support/client.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

interface Operation {
  readonly operationId: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-scope'?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly $ref?: string
        readonly headers?: Readonly<Record<string, object>>
        readonly content?: Readonly<Record<string, object>>
      }
    >
  >
}
interface Properties {
  readonly properties?: Readonly<Record<string, object>>
}
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

let service: Service
let api: {
  readonly tags: readonly { name: string }[]
  readonly paths: Operations
  readonly webhooks: Operations
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, Properties>> }>>
  }
}
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  api = (await service.nobody.get('/openapi.json')).json
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

test('every URL with a path takes the path of a page as it is, with slashes', () => {
  const urls = Object.keys(api.paths).filter((url) => /\{space\}.*\{(?:path|prefix)\}/.test(url))
  assert.ok(urls.length > 20, `${urls}`)
  for (const url of urls) {
    const toTarget = (path: string) =>
      url.replace(/\{(\w+)\}/g, (_, name: string) => (['path', 'prefix'].includes(name) ? path : '7'))
    assert.equal(rewritePageUrl(toTarget('a/b c/d')), toTarget('a%2Fb c%2Fd'))
  }
})

test('every body has a schema: generators of clients take bytes without one for JSON', () => {
  for (const methods of Object.values(api.paths)) {
    for (const { operationId, requestBody, responses = {} } of Object.values(methods)) {
      const bodies = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
      for (const body of bodies.flatMap((content) => Object.values(content ?? {}))) {
        assert.ok('schema' in body, operationId)
      }
    }
  }
})

test('an operation that takes JSON takes nothing else, except for imports: generators of clients mix the types up', () => {
  const isMixed = ({ requestBody }: { requestBody?: { readonly content: object } }) => {
    const types = Object.keys(requestBody?.content ?? {})
    return types.includes('application/json') && types.length > 1
  }
  const operations = Object.values(api.paths).flatMap(Object.values)
  assert.deepEqual(
    operations.filter(isMixed).map(({ operationId }) => operationId),
    ['spaces.import'],
  )
  const { put } = api.paths['/pages/{space}/{path}'] ?? {}
  const { put: raw } = api.paths['/pages/{space}/{path}.md'] ?? {}
  assert.deepEqual(Object.keys(put?.requestBody?.content ?? {}), ['application/json'])
  assert.deepEqual(raw?.requestBody?.content, { 'text/plain': { schema: { type: 'string' } } })
})

test('no member of a request body has a default: generators of clients would require it', () => {
  const find = (value: unknown, seen: Set<unknown>): boolean => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return false
    seen.add(value)
    const { $ref, default: given } = value as { $ref?: string; default?: unknown }
    if ($ref !== undefined) return find(resolve($ref), seen)
    if (given !== undefined && typeof given !== 'object') return true
    return Object.entries(value).some(([name, member]) => name !== 'example' && find(member, seen))
  }
  const resolve = (ref: string) => api.components.schemas[ref.split('/').at(-1) ?? '']
  for (const { operationId, requestBody } of Object.values(api.paths).flatMap(Object.values)) {
    assert.equal(find(requestBody, new Set()), false, operationId)
  }
})

test('every operation has a unique id and a described tag, and every tag has operations', () => {
  const operations = [api.paths, api.webhooks].flatMap((all) => Object.values(all)).flatMap(Object.values)
  const names = operations.map(({ operationId }) => operationId)
  for (const name of names) assert.match(name, /^[a-z][A-Za-z]*(?:\.[a-z][A-Za-z]*)+$/)
  assert.equal(new Set(names).size, names.length)
  const used = new Set(operations.flatMap(({ tags }) => tags))
  assert.deepEqual(api.tags.map(({ name }) => name).sort(), [...used].sort())
})

test('the headers of reads and writes of a page are described, and sent', async () => {
  const operations = api.paths['/pages/{space}/{path}'] ?? {}
  const asked = (method: string) =>
    operations[method]?.parameters?.filter((each) => each.in === 'header').map(({ name }) => name)
  assert.deepEqual(asked('put'), [...['If-Match', 'If-None-Match', 'Prefer', 'Idempotency-Key', 'Recto-Version']])
  assert.deepEqual(asked('get'), ['If-None-Match', 'Range', 'If-Range', 'Recto-Version'])
  assert.deepEqual(asked('delete'), ['If-Match', 'Recto-Version'])
  const created = assertStatus(await service.admin.put('/pages/docs/a', 'text'), 201)
  const read = assertStatus(await service.admin.get('/pages/docs/a'), 200)
  const ofCreated = Object.keys(operations.put?.responses['201']?.headers ?? {})
  for (const name of ofCreated.filter(isAlwaysSent)) assert.ok(created.headers.has(name), name)
  const described = Object.keys(operations.get?.responses['200']?.headers ?? {})
  assert.deepEqual(described, [
    ...['ETag', 'Link', 'Repr-Digest', 'X-Request-Id', 'Recto-Version', 'RateLimit', 'RateLimit-Policy'],
  ])
  for (const name of described.filter(isAlwaysSent)) assert.ok(read.headers.has(name), name)
})

test('the scope of every operation is the one that its rule needs', () => {
  const scopes = { viewer: 'read', caller: 'read', editor: 'write', 'space-maker': 'write' } as const
  // Everybody may send a batch; each item needs its own rights.
  const isBatch = /^(?:POST \/(?:pages|metadata)\/batch|DELETE \/shares\/by-id\/:id)$/
  // Whoever reads a space proposes changes of it, which a merge makes, and comments.
  const proposes = /^(?!GET )\w+ \/(?:spaces\/:space\/change-requests(?!.*\/merge$)|threads|comments)/
  const merges = /\/change-requests\/:number\/merge$/
  const expected = (rule: Rule) => (rule in scopes ? scopes[rule as keyof typeof scopes] : 'admin')
  for (const [path, methods] of Object.entries(api.paths)) {
    // A raw body is described at an address with a suffix.
    const url = path.replace(/\{(\w+)\}/g, ':$1').replace(/\.md$/, '')
    for (const [method, { security = [], 'x-scope': scope }] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${url}`
      const { rule } = ROUTE_RULES[route] ?? {}
      assert.ok(rule, route)
      const written = isBatch.test(route) || merges.test(route) ? 'write' : expected(rule)
      const needed = proposes.test(route) ? 'propose' : written
      assert.equal(scope, rule === 'public' ? undefined : needed, route)
      assert.equal(
        security.some(({ oauth }) => oauth),
        rule !== 'public' && expected(rule) !== 'admin',
        route,
      )
    }
  }
})

test('the errors of an operation follow from what it uses, and have its own codes', () => {
  const { responses = {} } = api.paths['/pages/{space}/{path}']?.put ?? {}
  const codes = Object.values(responses).flatMap(({ $ref = '' }) => $ref.split('/').at(-1)?.split('.') ?? [])
  for (const code of ['unauthorized', 'invalid_json', 'precondition_failed', 'template_not_found', 'page_busy']) {
    assert.ok(codes.includes(code), code)
  }
  assert.ok(!codes.includes('invalid_cursor'))
  assert.deepEqual(Object.keys(api.paths['/healthz']?.get?.responses ?? {}), [
    ...['200', '400', '408', '415', '417', '431', '500'],
  ])
})

test('the requests that a webhook receives match the document', async () => {
  assert.deepEqual(Object.keys(api.webhooks), EVENT_KINDS)
  await using receiver = await startReceiver()
  assertStatus(await service.admin.post('/admin/webhooks', { url: receiver.url, events: ['*'] }), 201)
  const { admin } = service
  assertStatus(await admin.put('/pages/docs/b', '# B'), 201)
  assertStatus(await admin.call('PUT', '/files/docs/f', { body: 'bytes' }), 201)
  assertStatus(await admin.patch('/spaces/docs', { name: 'Documents' }), 200)
  for (const { headers, json } of await Promise.all([1, 2, 3].map((n) => receiver.nth(n)))) {
    const { parameters = [], requestBody } = api.webhooks[json.event]?.post ?? {}
    for (const { name } of parameters) assert.ok(headers[name.toLowerCase()], name)
    const { schema = false } = requestBody?.content['application/json'] ?? {}
    const ajv = new Ajv({ strict: false, validateFormats: false }).addSchema(api, 'api')
    const validate = ajv.compile(inDocument(schema))
    assert.ok(validate(json), `${json.event}: ${JSON.stringify(validate.errors)}`)
  }
})

/** The service of the tests has no rate limit, the requests prefer nothing, and HTML has no digest. */
const isAlwaysSent = (header: string) => !/^(?:RateLimit|Preference-Applied|Repr-Digest)/.test(header)

/** A schema whose references are resolved in the document, which is registered as `api`. */
function inDocument(schema: object | boolean): object | boolean {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"api#'))
}

test('the JSON of an import has a named schema', () => {
  const { post } = api.paths['/spaces/{space}/import'] ?? {}
  assert.deepEqual(post?.requestBody?.content['application/json']?.schema, {
    $ref: '#/components/schemas/ImportedBundle',
  })
})

test('an import takes the same members of a space as an export writes', () => {
  const membersOf = (name: string) => Object.keys(api.components.schemas[name]?.properties.space?.properties ?? {})
  assert.deepEqual(membersOf('ImportedBundle'), ['slug', 'name', 'description', 'language', 'icon'])
  assert.deepEqual(membersOf('ImportedBundle').sort(), membersOf('Bundle').sort())
})

test('files are sent and received as bytes of any type', () => {
  const { get, put } = api.paths['/files/{space}/{path}'] ?? {}
  const binary = { schema: { type: 'string', format: 'binary' } }
  assert.deepEqual(put?.requestBody?.content, { 'application/octet-stream': binary, '*/*': binary })
  assert.deepEqual(Object.keys(get?.responses[200]?.content ?? {}), ['*/*', 'application/json'])
  assert.deepEqual(Object.keys(get?.responses[206]?.content ?? {}), ['*/*'])
})
