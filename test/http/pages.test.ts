import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

test('PUT of a page that does not exist creates it at version 1 with 201, ETag and Location', async () => {
  const answer = assertStatus(await service.admin.put('/pages/docs/guide/start', '# Start\n\nText'), 201)
  assert.equal(answer.headers.get('etag'), '"1"')
  assert.equal(answer.headers.get('location'), '/pages/docs/guide/start')
  assert.equal(answer.json.title, 'Start')
  assert.equal(answer.json.version, 1)
})
