import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, test } from 'node:test'
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { assertProblem, assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { png, putBytes } from '../support/files.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService(
    { SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1', SVC_PUBLIC_URL: 'https://wiki.example.org' },
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

/** Waits until nothing of a webhook is pending. */
function settled(id: string): Promise<void> {
  return until(async () => {
    const items = await log(id)
    return items.length > 0 && items.every(({ status }: { status: string }) => status !== 'pending')
  })
}

test('a write is delivered with all headers, and third-party libraries verify both signatures', async () => {
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
  assert.equal(headers.connection, 'keep-alive')
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

test('events of files are delivered with a signature, and name the file, also where it is moved or restored', async () => {
  await using receiver = await startReceiver()
  const { admin } = service
  await admin.space('pictures')
  const { id, secret } = await subscribe(receiver.url, {
    spaceSlug: 'pictures',
    events: ['file.created', 'file.updated', 'file.moved', 'file.deleted'],
  })
  const any = { 'if-match': '*' }
  assertStatus(await putBytes(admin, '/files/pictures/a b.png', png(3, 2)), 201)
  assertStatus(await putBytes(admin, '/files/pictures/a b.png', png(3, 2, 7), any), 200)
  assertStatus(await admin.post('/files/pictures/a b.png/move', { to: { path: 'c.png' } }, any), 200)
  assertStatus(await admin.delete('/files/pictures/c.png', any), 204)
  assertStatus(await admin.post('/files/pictures/c.png/restore'), 200)
  await receiver.nth(5)
  await settled(id)
  const seen: unknown[] = []
  for (const { headers, body, json } of receiver.received) {
    assert.equal(await verify(secret, body, String(headers['x-svc-signature'])), true)
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), json)
    assert.equal(headers['x-svc-event'], json.event)
    const { path, version, url, contentType, size, digest } = json.file
    assert.deepEqual([contentType, digest.length, size > 0], ['image/png', 64, true])
    assert.equal(url, `https://wiki.example.org/files/pictures/${encodeURIComponent(path)}`)
    seen.push([json.event, path, version, json.from?.path, json.restored].map((value) => value ?? null))
  }
  const order = (row: unknown) => JSON.stringify(row)
  assert.deepEqual(
    seen.map(order).sort(),
    [
      ['file.created', 'a b.png', 1, null, null],
      ['file.updated', 'a b.png', 2, null, null],
      ['file.moved', 'c.png', 2, 'a b.png', null],
      ['file.deleted', 'c.png', 2, null, null],
      ['file.created', 'c.png', 3, null, true],
    ]
      .map(order)
      .sort(),
  )
})

test('every attempt of a delivery sends the same bytes and is logged', async () => {
  await using receiver = await startReceiver((response, _, count) =>
    response.writeHead(count < 3 ? 500 : 200).end(`answer ${count}`),
  )
  await service.admin.space('retried')
  const { id, secret } = await subscribe(receiver.url, { spaceSlug: 'retried' })
  await service.admin.put('/pages/retried/a', 'x')
  await receiver.nth(3)
  await settled(id)
  const sent = receiver.received
  assert.equal(new Set(sent.map(({ body }) => body)).size, 1)
  assert.equal(new Set(sent.map(({ headers }) => headers['x-svc-delivery'])).size, 1)
  assert.deepEqual(
    sent.map(({ headers }) => headers['x-svc-attempt']),
    ['1', '2', '3'],
  )
  for (const { body, headers } of sent) new Webhook(secret).verify(body, headers as Record<string, string>)
  const [delivery] = await log(id)
  assert.equal(delivery.status, 'succeeded')
  assert.deepEqual(
    delivery.attempts.map((one: { responseStatus: number; responseBody: string }) => [
      one.responseStatus,
      one.responseBody,
    ]),
    [
      [500, 'answer 1'],
      [500, 'answer 2'],
      [200, 'answer 3'],
    ],
  )
})

test('a delivery fails after the last attempt of the schedule', async () => {
  await using receiver = await startReceiver((response) => response.writeHead(404).end())
  await service.admin.space('failed')
  const { id } = await subscribe(receiver.url, { spaceSlug: 'failed' })
  await service.admin.put('/pages/failed/a', 'x')
  await settled(id)
  const [delivery] = await log(id)
  assert.equal(delivery.status, 'failed')
  assert.equal(delivery.attempts.length, 4)
  assert.equal(receiver.received.length, 4)
})

test('410 disables the webhook, and events are skipped until it is enabled again', async () => {
  let status = 410
  await using receiver = await startReceiver((response) => response.writeHead(status).end())
  await service.admin.space('gone')
  const { id } = await subscribe(receiver.url, { spaceSlug: 'gone' })
  const path = `/admin/webhooks/${id}`
  await service.admin.put('/pages/gone/a', 'x')
  await until(async () => (await service.admin.get(path)).json.enabled === false)
  assert.equal((await service.admin.get(path)).json.disabledReason, 'gone')
  assert.equal((await log(id))[0].status, 'failed')
  await service.admin.put('/pages/gone/b', 'x')
  assert.equal((await log(id)).length, 1)
  status = 200
  const enabled = assertStatus(await service.admin.patch(path, { enabled: true }), 200).json
  assert.deepEqual([enabled.enabled, enabled.disabledReason], [true, null])
  await service.admin.put('/pages/gone/c', 'x')
  await settled(id)
  assert.equal((await log(id))[0].status, 'succeeded')
})

test('each kind of write is delivered with its event kind', async () => {
  await using receiver = await startReceiver()
  const { id } = await subscribe(receiver.url)
  const { admin } = service
  await admin.space('writes')
  const etag = (await admin.put('/pages/writes/a', '# A')).headers.get('etag') ?? ''
  assertStatus(await admin.put('/pages/writes/a', '# B', { 'if-match': etag }), 200)
  assertStatus(await admin.post('/pages/writes/a/versions/1/make-latest'), 200)
  assertStatus(await admin.patch('/pages/writes/a/metadata', { set: { status: 'done', rank: 1 } }), 200)
  assertStatus(await admin.patch('/spaces/writes', { name: 'All writes' }), 200)
  assertStatus(await admin.delete('/spaces/writes?force=true'), 204)
  await receiver.nth(7)
  const told = new Map(receiver.received.map(({ json }) => [json.event, json]))
  assert.deepEqual([...told.keys()].sort(), [
    'page.created',
    'page.metadata.updated',
    'page.updated',
    'space.created',
    'space.deleted',
    'space.updated',
  ])
  assert.deepEqual(told.get('page.metadata.updated').changedKeys.sort(), ['rank', 'status'])
  assert.equal(told.get('page.metadata.updated').page.version, 3)
  assert.deepEqual(told.get('space.created').space, { slug: 'writes', name: 'writes' })
  assert.deepEqual(told.get('space.deleted').space, { slug: 'writes', name: 'All writes' })
  const versions = receiver.received
    .filter(({ json }) => json.page && json.event !== 'page.metadata.updated')
    .map(({ json }) => json.page.version)
  assert.deepEqual(versions.sort(), [1, 2, 3])
  await settled(id)
  assertStatus(await admin.delete(`/admin/webhooks/${id}`), 204)
})

test('a webhook receives its event kinds and its space only, and never a personal space', async () => {
  await using receiver = await startReceiver()
  const { admin } = service
  await admin.space('mine')
  await admin.space('other')
  const { id: updates } = await subscribe(receiver.url, { spaceSlug: 'mine', events: ['page.updated'] })
  const { id: everything } = await subscribe(receiver.url)
  await admin.put('/pages/personal/secret', 'x')
  await admin.put('/pages/other/a', 'x')
  await admin.put('/pages/mine/a', 'x')
  await admin.put('/pages/mine/a', 'y', { 'if-match': '"1"' })
  await receiver.nth(4)
  await settled(everything)
  const seen = async (id: string) =>
    (await log(id))
      .map(
        ({ payload }: { payload: Received['json'] }) => `${payload.event} ${payload.page.space}/${payload.page.path}`,
      )
      .sort()
  assert.deepEqual(await seen(updates), ['page.updated mine/a'])
  assert.deepEqual(await seen(everything), ['page.created mine/a', 'page.created other/a', 'page.updated mine/a'])
  const ids = receiver.received.map(({ json }) => json)
  const both = ids.filter(({ event }) => event === 'page.updated')
  assert.equal(new Set(both.map(({ id }) => id)).size, 1, 'one event has one id in every delivery')
  assert.equal(new Set(ids.map(({ deliveryId }) => deliveryId)).size, ids.length)
  assertStatus(await admin.delete(`/admin/webhooks/${everything}`), 204)
})

test('page.moved contains the old path, unless that was in a personal space', async () => {
  await using receiver = await startReceiver()
  const { admin } = service
  await admin.space('moves')
  const { id } = await subscribe(receiver.url, { spaceSlug: 'moves', events: ['page.moved'] })
  await admin.put('/pages/moves/a', 'x')
  await admin.put('/pages/personal/diary', 'x')
  const move = async (from: string, path: string) => {
    const to = { space: 'moves', path }
    const answer = await admin.post(`/pages/${from}/move`, { to }, { 'if-match': '*' })
    assert.ok(answer.status < 300, answer.text)
  }
  await move('moves/a', 'b')
  assert.deepEqual((await receiver.nth(1)).json.from, { space: 'moves', path: 'a' })
  await move('personal/diary', 'c')
  const { json, body } = await receiver.nth(2)
  assert.equal(json.page.path, 'c')
  assert.doesNotMatch(body, /diary|personal/)
  await settled(id)
})

test('after a rotation the old secret signs as well during the grace time', async () => {
  await using receiver = await startReceiver()
  await service.admin.space('rotated')
  const { id, secret: old } = await subscribe(receiver.url, { spaceSlug: 'rotated' })
  const rotate = async (graceSeconds: number) =>
    assertStatus(await service.admin.post(`/admin/webhooks/${id}/rotate-secret`, { graceSeconds }), 200).json.secret
  const present = await rotate(60)
  await service.admin.put('/pages/rotated/a', 'x')
  const first = await receiver.nth(1)
  assert.equal(await verify(present, first.body, String(first.headers['x-svc-signature'])), true)
  assert.equal(await verify(old, first.body, String(first.headers['x-svc-signature-previous'])), true)
  for (const secret of [old, present]) new Webhook(secret).verify(first.body, first.headers as Record<string, string>)
  const last = await rotate(0)
  await service.admin.put('/pages/rotated/b', 'x')
  const second = await receiver.nth(2)
  assert.equal(second.headers['x-svc-signature-previous'], undefined)
  assert.equal(await verify(last, second.body, String(second.headers['x-svc-signature'])), true)
  assert.throws(() => new Webhook(present).verify(second.body, second.headers as Record<string, string>))
})

test('a test makes one attempt and returns its outcome, also for a disabled webhook', async () => {
  let status = 200
  await using receiver = await startReceiver((response) => response.writeHead(status).end('hello'))
  const { id, secret } = await subscribe(receiver.url, { events: ['space.deleted'] })
  await service.admin.patch(`/admin/webhooks/${id}`, { enabled: false })
  const path = `/admin/webhooks/${id}/test`
  const good = assertStatus(await service.admin.post(path), 200).json
  assert.equal(good.delivered, true)
  assert.equal(good.delivery.event, 'webhook.test')
  assert.equal(good.delivery.status, 'succeeded')
  assert.equal(good.delivery.attempts[0].responseBody, 'hello')
  const { headers, body, json } = await receiver.nth(1)
  assert.equal(headers['x-svc-event'], 'webhook.test')
  assert.equal(await verify(secret, body, String(headers['x-svc-signature'])), true)
  assert.deepEqual(json, good.delivery.payload)
  status = 500
  const bad = assertStatus(await service.admin.post(path), 200).json
  assert.deepEqual([bad.delivered, bad.delivery.status, bad.delivery.attempts.length], [false, 'failed', 1])
  assert.equal(bad.delivery.nextAttemptAt, null)
  assert.equal((await log(id)).length, 2)
})

test('redelivery sends the same event as a new delivery', async () => {
  await using receiver = await startReceiver()
  await service.admin.space('again')
  const { id, secret } = await subscribe(receiver.url, { spaceSlug: 'again' })
  await service.admin.put('/pages/again/a', 'x')
  const first = await receiver.nth(1)
  const path = `/admin/webhooks/${id}/deliveries`
  const answer = assertStatus(await service.admin.post(`${path}/${first.json.deliveryId}/redeliver`), 202)
  const second = await receiver.nth(2)
  assert.equal(second.json.deliveryId, answer.json.id)
  assert.notEqual(second.json.deliveryId, first.json.deliveryId)
  assert.deepEqual({ ...second.json, deliveryId: first.json.deliveryId }, first.json)
  new Webhook(secret).verify(second.body, second.headers as Record<string, string>)
  await settled(id)
  assert.equal((await log(id)).length, 2)
  const one = assertStatus(await service.admin.get(`${path}/${answer.json.id}`), 200).json
  assert.equal(one.status, 'succeeded')
  assert.deepEqual(await service.admin.all(`${path}?limit=1`), await log(id))
})

test('the log of deliveries filters by status and event kind', async () => {
  await using receiver = await startReceiver((response, { json }) =>
    response.writeHead(json.event === 'webhook.test' ? 500 : 204).end(),
  )
  await service.admin.space('filtered')
  const { id } = await subscribe(receiver.url, { spaceSlug: 'filtered' })
  await service.admin.put('/pages/filtered/a', 'x')
  await settled(id)
  assertStatus(await service.admin.post(`/admin/webhooks/${id}/test`), 200)
  const events = async (query: string) =>
    (await service.admin.all(`/admin/webhooks/${id}/deliveries?limit=1&${query}`)).map(({ event }) => event)
  assert.deepEqual(await events(''), ['webhook.test', 'page.created'])
  assert.deepEqual(await events('status=failed'), ['webhook.test'])
  assert.deepEqual(await events('status=succeeded'), ['page.created'])
  assert.deepEqual(await events('event=page.created'), ['page.created'])
  assert.deepEqual(await events('event=page.created&status=failed'), [])
  const rejected = await service.admin.get(`/admin/webhooks/${id}/deliveries?status=lost`)
  assertProblem(rejected, 400, 'invalid_request')
})

test('pending deliveries of a disabled webhook wait until it is enabled', async () => {
  let status = 500
  await using receiver = await startReceiver((response) => response.writeHead(status).end())
  await service.admin.space('paused')
  const { id } = await subscribe(receiver.url, { spaceSlug: 'paused' })
  await service.admin.put('/pages/paused/a', 'x')
  await receiver.nth(1)
  await service.admin.patch(`/admin/webhooks/${id}`, { enabled: false })
  await until(async () => (await log(id))[0].attempts.length > 0)
  assert.equal((await log(id))[0].status, 'pending')
  status = 200
  await service.admin.patch(`/admin/webhooks/${id}`, { enabled: true })
  await settled(id)
  assert.equal((await log(id))[0].status, 'succeeded')
})

test('a dead receiver does not delay other webhooks', async () => {
  const held: ServerResponse[] = []
  let most = 0
  await using dead = await startReceiver((response) => {
    held.push(response)
    most = Math.max(most, held.filter(({ closed }) => !closed).length)
  })
  await using alive = await startReceiver()
  await service.admin.space('slow')
  const { id: slow } = await subscribe(dead.url, { spaceSlug: 'slow' })
  const { id } = await subscribe(alive.url, { spaceSlug: 'slow' })
  for (let n = 0; n < 30; n++) await service.admin.put(`/pages/slow/${n}`, 'x')
  await alive.nth(30)
  const entries = await log(slow)
  assert.ok(entries.every(({ status }: { status: string }) => status === 'pending'))
  assert.ok(entries.some(({ nextAttemptAt }: { nextAttemptAt: string | null }) => nextAttemptAt === null))
  // Five, and two that came before the ends of others were seen here.
  assert.ok(most <= 7, `${most} at once to the dead one`)
  await settled(id)
})

test('a webhook in the format of Slack or Teams sends messages for people', async () => {
  await using receiver = await startReceiver()
  await service.admin.space('chat', { name: 'Chat' })
  const { id } = await subscribe(`${receiver.url}/slack`, { spaceSlug: 'chat', format: 'slack' })
  assertStatus(await service.admin.put('/pages/chat/a', '# Tom < & *Jerry* | x\n'), 201)
  const url = 'https://wiki.example.org/pages/chat/a'
  const slack = `Admin created <${url}|Tom &lt; &amp; Jerry | x> · chat`
  assert.deepEqual((await receiver.nth(1)).json, { text: slack })
  const changed = assertStatus(await service.admin.patch(`/admin/webhooks/${id}`, { format: 'teams' }), 200).json
  assert.equal(changed.format, 'teams')
  assertStatus(await service.admin.post('/threads/chat/a', { body: 'Why?' }), 201)
  const { json } = await receiver.nth(2)
  const [{ contentType, content }] = json.attachments
  assert.deepEqual([json.type, contentType], ['message', 'application/vnd.microsoft.card.adaptive'])
  assert.match(
    content.body[0].text,
    /^Admin commented on \[a\]\(https:\/\/wiki\.example\.org\/thread\/[0-9a-f-]{36}\)$/,
  )
  assert.equal(content.body[1].text, 'chat')
  // The log shows the event itself.
  assert.equal((await log(id))[0].payload.event, 'comment.created')
  assertStatus(await service.admin.post(`/admin/webhooks/${id}/test`), 200)
  assert.equal((await receiver.nth(3)).json.attachments[0].content.body[0].text, 'Messages of Recto arrive here.')
  assertProblem(await service.admin.patch(`/admin/webhooks/${id}`, { format: 'irc' }), 400, 'invalid_request')
})
