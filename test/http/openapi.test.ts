import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv } from 'ajv'
import { EVENT_KINDS } from '../../src/events/event.ts'
import { assertStatus } from '../support/client.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<Record<string, { readonly headers?: Readonly<Record<string, object>> }>>
}
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

let service: Service
let api: {
  readonly tags: readonly { name: string }[]
  readonly paths: Operations
  readonly webhooks: Operations
}
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  api = (await service.nobody.get('/openapi.json')).json
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

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
  assert.deepEqual(asked('put'), ['if-match', 'if-none-match', 'idempotency-key'])
  assert.deepEqual(asked('get'), ['if-none-match'])
  assert.deepEqual(asked('delete'), ['if-match'])
  const created = assertStatus(await service.admin.put('/pages/docs/a', 'text'), 201)
  const read = assertStatus(await service.admin.get('/pages/docs/a'), 200)
  for (const name of Object.keys(operations.put?.responses['201']?.headers ?? {})) {
    assert.ok(created.headers.has(name), name)
  }
  const described = Object.keys(operations.get?.responses['200']?.headers ?? {})
  assert.deepEqual(described, ['ETag', 'Link'])
  for (const name of described) assert.ok(read.headers.has(name), name)
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
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(
      requestBody?.content['application/json']?.schema ?? false,
    )
    assert.ok(validate(json), `${json.event}: ${JSON.stringify(validate.errors)}`)
  }
})
