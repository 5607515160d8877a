import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv } from 'ajv'
import { callEverything, recordCalls } from '../support/api-examples.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

type Content = Readonly<Record<string, { readonly schema?: object; readonly example?: unknown }>>

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: object
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

let service: Service
let api: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }
let operations: readonly Operation[]
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  api = (await service.nobody.get('/openapi.json')).json
  operations = Object.values(api.paths).flatMap(Object.values)
})
after(() => service[Symbol.asyncDispose]())

/** Operations without JSON of their own, or that need a browser, a connected app or a bucket first. */
const WITHOUT_EXAMPLE = [
  ...['service.metrics', 'mcp.call', 'mcp.stream'],
  ...['me.passkeys.rename', 'me.passkeys.remove', 'me.connections.end', 'files.migrate'],
  ...['shares.create', 'shares.get', 'shares.revoke'],
  ...['verifications.set', 'verifications.remove'],
]

test('the examples of all operations fit their schemas', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false }).addSchema(api, 'api')
  const check = (where: string, schema: object, value: unknown) => {
    const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"api#'))
    assert.ok(ajv.validate(inDocument, value), `${where}: ${ajv.errorsText()}`)
  }
  for (const { operationId, parameters = [], requestBody, responses } of operations) {
    if (WITHOUT_EXAMPLE.includes(operationId)) continue
    for (const { name, in: place, schema, example } of parameters) {
      assert.ok(place !== 'path' || example !== undefined, `${operationId}: no example of ${name}`)
      if (example !== undefined) check(`${operationId} ${name}`, schema, example)
    }
    const successes = Object.entries(responses).filter(([status]) => /^20[012]$/.test(status))
    const contents = [requestBody?.content, ...successes.map(([, { content }]) => content)]
    const received = successes.flatMap(([, { content }]) => content?.['application/json'] ?? [])
    assert.ok(
      received.length === 0 || received.some(({ example }) => example !== undefined),
      `${operationId}: no example of a response`,
    )
    for (const { schema, example } of contents.flatMap((content) => content?.['application/json'] ?? [])) {
      if (schema && example !== undefined) check(operationId, schema, example)
    }
  }
})

test('the requests of the examples succeed, one after another', async () => {
  await using receiver = await startReceiver()
  const { call, examples } = recordCalls(service.admin, api)
  await callEverything(call, service.admin, receiver.url)
  assert.deepEqual(
    [...examples.keys(), ...WITHOUT_EXAMPLE].sort(),
    operations.map(({ operationId }) => operationId).sort(),
  )
  for (const { operationId, requestBody } of operations) {
    const example = requestBody?.content['application/json']?.example
    const sent = examples.get(operationId)?.request
    assert.deepEqual(comparable(sent, receiver.url), comparable(example, receiver.url), operationId)
  }
})

/** The same for every run: `npm run api:examples` writes the other texts. */
function comparable(value: unknown, hook: string): unknown {
  if (value === undefined) return undefined
  const text = JSON.stringify(value)
    .replaceAll(hook, 'https://hooks.example.org/recto')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
  return JSON.parse(text)
}
