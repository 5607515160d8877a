/**
 * Writes the examples of the OpenAPI document: calls every operation of a running service, and keeps what was sent and
 * received. `npm run api:examples`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callEverything, recordCalls } from '../test/support/api-examples.ts'
import { startReceiver } from '../test/support/receiver.ts'
import { startService } from '../test/support/service.ts'
import { stabiliseExamples } from './stable-examples.ts'

const FILE = join(import.meta.dirname, '../packages/server/src/app/openapi-examples.json')
const ENVIRONMENT = { SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' }

await using service = await startService(ENVIRONMENT)
await using receiver = await startReceiver()
const begin = Date.now()
const api = (await service.nobody.get('/openapi.json')).json
const { call, examples } = recordCalls(service.admin, api)
await callEverything(call, service.admin, receiver.url)
const text = JSON.stringify(stabiliseExamples(Object.fromEntries(examples), begin), null, 1)
  .replaceAll(receiver.url, 'https://hooks.example.org/recto')
  .replace(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'https://recto.example.org')
writeFileSync(FILE, `${text}\n`)
