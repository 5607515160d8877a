import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { verifyWebhook } from './webhook.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const body = '{"title":"ünï"}'
const now = new Date('2026-01-01T00:00:00.000Z')
const timestamp = String(now.getTime() / 1000)

/** As Standard Webhooks describes it. */
function sign(secret: string): string {
  const key = Buffer.from(secret.slice(6), 'base64')
  return `v1,${createHmac('sha256', key).update(`id-1.${timestamp}.${body}`).digest('base64')}`
}

function request(secret: string, signature: string) {
  const headers = { 'webhook-id': 'id-1', 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  return { body, headers, secret, now }
}

test('a body signed with the secret is verified, as text and as bytes', async () => {
  const secret = newSecret()
  const good = request(secret, sign(secret))
  assert.equal(await verifyWebhook(good), true)
  assert.equal(await verifyWebhook({ ...good, body: Buffer.from(body) }), true)
  assert.equal(await verifyWebhook({ ...good, headers: new Headers(good.headers) }), true)
})

test('during a rotation both secrets verify', async () => {
  const [old, present] = [newSecret(), newSecret()]
  const signatures = `${sign(present)} ${sign(old)}`
  assert.equal(await verifyWebhook(request(old, signatures)), true)
  assert.equal(await verifyWebhook(request(present, signatures)), true)
})

test('another secret, body, id or time fails verification, and so do missing headers', async () => {
  const secret = newSecret()
  const good = request(secret, sign(secret))
  const minutes = (count: number) => new Date(now.getTime() + count * 60_000)
  const changed = (name: string, value: string | undefined) => ({
    ...good,
    headers: { ...good.headers, [name]: value },
  })
  for (const bad of [
    request(newSecret(), sign(secret)),
    { ...good, body: `${body} ` },
    { ...good, now: minutes(6) },
    { ...good, now: minutes(-6) },
    changed('webhook-id', 'id-2'),
    changed('webhook-timestamp', `${timestamp}0`),
    changed('webhook-timestamp', 'now'),
    changed('webhook-signature', sign(secret).slice(3)),
    changed('webhook-signature', 'v1,'),
    changed('webhook-signature', undefined),
  ]) {
    assert.equal(await verifyWebhook(bad), false)
  }
  assert.equal(await verifyWebhook({ ...good, now: minutes(6), toleranceSeconds: 600 }), true)
})
