import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { readJson, withSharedData } from '../../../../../test/support/shared-data.ts'
import { newSecret } from './secret.ts'
import { githubSignature, signedHeaders, signingKeys } from './signature.ts'

const signing = {
  webhookId: '0196f3f0-0000-7000-8000-000000000001',
  deliveryId: '0196f3f0-0000-7000-8000-000000000002',
  event: 'page.created',
  attempt: 2,
  at: new Date(),
  body: '{"title":"ünï"}',
}

test('the golden vector of GitHub', withSharedData, () => {
  const vectors = readJson<{ hmac: { secret: string; payload: string; header: string }[] }>('address-vectors.json')
  assert.ok(vectors.hmac.length > 0)
  for (const { secret, payload, header } of vectors.hmac)
    assert.equal(githubSignature(createSecretKey(secret, 'utf8'), payload), header)
})

test('the key of X-Svc-Signature is the text of the secret, that of webhook-signature its bytes after the prefix', async () => {
  const secret = newSecret()
  const headers = signedHeaders({ ...signing, keys: signingKeys(secret), previousKeys: undefined })
  assert.equal(await verify(secret, signing.body, headers['X-Svc-Signature'] ?? ''), true)
  assert.equal(await verify(secret.slice(6), signing.body, headers['X-Svc-Signature'] ?? ''), false)
  assert.deepEqual(new Webhook(secret).verify(signing.body, headers), JSON.parse(signing.body))
  assert.throws(() => new Webhook(newSecret()).verify(signing.body, headers))
  assert.equal(headers['X-Svc-Signature-Previous'], undefined)
  assert.equal(headers['X-Svc-Attempt'], '2')
  assert.equal(headers['webhook-signature']?.split(' ').length, 1)
})

test('after a rotation the old secret verifies too', async () => {
  const secret = newSecret()
  const previousSecret = newSecret()
  const headers = signedHeaders({ ...signing, keys: signingKeys(secret), previousKeys: signingKeys(previousSecret) })
  assert.equal(await verify(previousSecret, signing.body, headers['X-Svc-Signature-Previous'] ?? ''), true)
  assert.equal(await verify(secret, signing.body, headers['X-Svc-Signature'] ?? ''), true)
  for (const one of [secret, previousSecret]) new Webhook(one).verify(signing.body, headers)
})
