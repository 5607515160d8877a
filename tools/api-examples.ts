/**
 * Writes the examples of the OpenAPI document: calls every operation of a running service, and keeps what was sent and
 * received. `npm run api:examples`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callEverything, recordCalls } from '../test/support/api-examples.ts'
import { startReceiver } from '../test/support/receiver.ts'
import { startService } from '../test/support/service.ts'

const FILE = join(import.meta.dirname, '../packages/server/src/app/openapi-examples.json')
const ENVIRONMENT = { SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' }
/** The time of the first example. */
const BEGIN = Date.parse('2026-11-22T09:00:00Z')

await using service = await startService(ENVIRONMENT)
await using receiver = await startReceiver()
const begin = Date.now()
const api = (await service.nobody.get('/openapi.json')).json
const { call, examples } = recordCalls(service.admin, api)
await callEverything(call, service.admin, receiver.url)
const text = withoutSecrets(JSON.stringify(Object.fromEntries(examples), null, 1))
  .replaceAll(receiver.url, 'https://hooks.example.org/recto')
  .replace(/http:\/\/(?:localhost|127\.0\.0\.1):\d+/g, 'https://recto.example.org')
writeFileSync(FILE, `${withStableTimes(withStableIds(text))}\n`)

/** Dead secrets, too, alarm those who look for secrets in repositories. */
function withoutSecrets(json: string): string {
  return json
    .replace(/\bsvc_[0-9A-Za-z]{36}/g, `svc_${'x'.repeat(36)}`)
    .replace(
      /\bwhsec_[\w+/=]+/g,
      `whsec_${Buffer.from('An example is not a secret at all').toString('base64')}`,
    )
    .replace(/("(?:nextCursor|cursor|since)": ")[^"]+/g, '$1q83vEjRWeJC7')
    .replace(/("url": "[^"]*\/)[\w-]{40,}/g, `$1${'x'.repeat(43)}`)
}

/** The ids in their order. */
function withStableIds(json: string): string {
  const ids = new Map<string, string>()
  return json.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
    const stable = ids.get(id) ?? `019aaa00-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`
    ids.set(id, stable)
    return stable
  })
}

/** The times as if the calls had begun at `BEGIN`. */
function withStableTimes(json: string): string {
  return json.replace(/(?<=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?=")/g, (time) => {
    const since = Date.parse(time) - begin
    // What is far away was sent, and what is before is of the first start.
    return since > 40 * 86_400_000 ? time : new Date(BEGIN + Math.max(since, 0)).toISOString()
  })
}
