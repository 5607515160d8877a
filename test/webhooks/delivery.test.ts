import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService(
    {
      SVC_WEBHOOKS_ALLOW_HTTP: '1',
      SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
      SVC_PUBLIC_URL: 'https://wiki.example.org',
    },
    { webhooks: { schedule: [0.1, 0.1, 0.1], transport: { timeoutMs: 2_000 } } },
  )
})
after(() => service[Symbol.asyncDispose]())

/** Subscribes a receiver to a space of its own. */
async function subscribe(url: string, more: Readonly<Record<string, unknown>> = {}) {
  const answer = await service.admin.post('/admin/webhooks', { url, events: ['*'], ...more })
  const { webhook, secret } = assertStatus(answer, 201).json
  return { id: webhook.id as string, secret: secret as string }
}

async function log(id: string) {
  return assertStatus(await service.admin.get(`/admin/webhooks/${id}/deliveries`), 200).json.items
}

test('a write is delivered with every header, and existing libraries verify both signatures', async () => {
  await using receiver = await startReceiver()
  await service.admin.space('signed')
  const { id, secret } = await subscribe(receiver.url, { spaceSlug: 'signed' })
  assertStatus(await service.admin.put('/pages/signed/guide/start%20here', '# "Start" \\ ünï'), 201)
  const { headers, body, json } = await receiver.nth(1)
  assert.equal(headers['x-svc-event'], 'page.created')
  assert.equal(headers['x-svc-webhook'], id)
  assert.equal(headers['x-svc-delivery'], json.deliveryId)
  assert.equal(headers['x-svc-attempt'], '1')
  assert.equal(headers['webhook-id'], json.deliveryId)
  assert.equal(headers['webhook-timestamp'], headers['x-svc-timestamp'])
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(headers['user-agent'], 'Recto-Webhooks/0.1.0')
  assert.equal(headers.connection, 'close')
  assert.equal(headers['x-svc-signature-previous'], undefined)
  assert.equal(await verify(secret, body, String(headers['x-svc-signature'])), true)
  assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), json)
  const me = (await service.admin.get('/me')).json
  assert.deepEqual(json, {
    id: json.id,
    event: 'page.created',
    occurredAt: json.occurredAt,
    webhookId: id,
    deliveryId: json.deliveryId,
    actor: { id: me.id, name: me.name, kind: me.kind },
    page: {
      space: 'signed',
      path: 'guide/start here',
      url: 'https://wiki.example.org/pages/signed/guide/start%20here',
      title: '"Start" \\ ünï',
      version: 1,
    },
  })
  await until(async () => (await log(id))[0].status === 'succeeded')
  const [delivery] = await log(id)
  assert.deepEqual(delivery.payload, json)
  assert.equal(delivery.attempts.length, 1)
  assert.equal(delivery.attempts[0].responseStatus, 204)
  assert.equal(delivery.nextAttemptAt, null)
  assert.ok(delivery.completedAt)
})
