import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newToken } from '@recto/lib/encoding/token.ts'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

const key = newToken('svc_')
let service: Service
let admin: Client
before(async () => {
  service = await startService({ SVC_ADMIN_API_KEY: key, SVC_METRICS_TOKEN: 'a-token-of-metrics' })
  admin = service.as(key)
  await admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

test('a key from SVC_ADMIN_API_KEY is neither printed nor written to a file, and no link is made beside it', async () => {
  assert.equal(service.app.adminKey, undefined)
  assert.equal(service.app.setupUrl, undefined)
  assert.equal(existsSync(join(service.data, 'admin-api-key')), false)
  assertStatus(await admin.get('/me'), 200)
})

test('sensitive responses have Cache-Control: no-store', async () => {
  for (const url of [
    ...['/me', '/me/api-keys', '/admin/principals', '/admin/api-keys', '/admin/audit', '/admin/webhooks'],
    ...['/spaces/docs/members', '/account', '/manage', '/manage/people', '/manage/keys', '/manage/audit'],
  ]) {
    assert.equal(assertStatus(await admin.get(url), 200).headers.get('cache-control'), 'no-store', url)
  }
  assert.equal((await admin.get('/spaces/docs')).headers.get('cache-control'), 'private, no-cache')
})

test('signing out clears the data of this origin in the browser', async () => {
  const { base } = admin
  const headers = { origin: base, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await service.nobody.call('POST', '/sign-out', { headers, body: '' })
  assert.equal(assertStatus(answer, 303).headers.get('clear-site-data'), '"cache", "storage"')
})

test('metrics require SVC_METRICS_TOKEN', async () => {
  const { nobody } = service
  for (const authorization of ['', 'Bearer a-token-of-metric', `Bearer ${key}`, 'Basic a-token-of-metrics']) {
    assertProblem(await nobody.get('/metrics', { authorization }), 401, 'unauthorized')
  }
  const answer = await nobody.get('/metrics', { authorization: 'Bearer a-token-of-metrics' })
  assert.match(assertStatus(answer, 200).text, /process_cpu/)
  assertStatus(await nobody.get('/readyz'), 200)
})
