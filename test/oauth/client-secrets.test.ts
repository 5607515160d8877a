import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import {
  ALLOW,
  authorizationRequest,
  callTool,
  decide,
  LOOPBACK,
  openBrowser,
  type PersonBrowser,
} from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'

const FORM = 'application/x-www-form-urlencoded'

let nodes: Nodes
let browser: PersonBrowser
before(async () => {
  nodes = await startNodes()
  const ada = await newPerson(nodes.admins[0], 'Ada')
  browser = await openBrowser(nodes.admins[0].base, ada.key)
})
after(() => nodes[Symbol.asyncDispose]())

async function register(method: string) {
  const metadata = { client_name: 'Helper', redirect_uris: [LOOPBACK], token_endpoint_auth_method: method }
  return assertStatus(await nodes.as(0, undefined).post('/oauth/register', metadata), 201).json
}

type Method = 'client_secret_basic' | 'client_secret_post' | 'none'

/** A request of an app that proves itself in one way. */
function send(
  path: string,
  fields: Readonly<Record<string, string>>,
  client: { readonly id: string; readonly secret: string },
  method: Method,
) {
  const inBody = method === 'client_secret_basic' ? {} : { client_id: client.id }
  const secret = method === 'client_secret_post' ? { client_secret: client.secret } : {}
  const basic = `Basic ${Buffer.from(`${client.id}:${encodeURIComponent(client.secret)}`).toString('base64')}`
  return nodes
    .as(0, undefined)
    .call('POST', path, {
      body: String(new URLSearchParams({ ...fields, ...inBody, ...secret })),
      headers: { 'content-type': FORM, ...(method === 'client_secret_basic' && { authorization: basic }) },
    })
}

async function newCode(clientId: string) {
  const { url, verifier } = authorizationRequest(nodes.admins[0].base, clientId)
  const code = (await decide(browser, url, ALLOW)).searchParams.get('code') ?? ''
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: LOOPBACK }
}

test('an app that registers for a secret gets one that ends, without which it gets, renews and revokes no token', async () => {
  for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
    const made = await register(method)
    assert.equal(made.token_endpoint_auth_method, method)
    assert.match(made.client_secret, /^[\w-]{43,}$/)
    const seconds = made.client_secret_expires_at - Date.now() / 1000
    assert.ok(seconds > 30 * 86_400 && seconds < 400 * 86_400, String(seconds))
    const client = { id: made.client_id, secret: made.client_secret }
    const wrong = { ...client, secret: `${made.client_secret}x` }
    const { rows } = await nodes.query('select metadata from oauth_client where id = $1', [client.id])
    assert.ok(!rows[0].metadata.includes(made.client_secret))

    const attempts = [
      [wrong, method],
      [client, 'none'],
      [{ ...client, secret: JSON.parse(rows[0].metadata).client_secret }, method],
    ] as const
    const rejects = async (path: string, fields: Readonly<Record<string, string>>) => {
      for (const [one, way] of attempts) {
        const { status, json } = await send(path, fields, one, way)
        assert.deepEqual([status, json.error], [401, 'invalid_client'], `${path} ${way}`)
      }
    }
    const code = await newCode(client.id)
    await rejects('/oauth/token', code)
    const tokens = assertStatus(await send('/oauth/token', code, client, method), 200).json
    assertStatus(await callTool(nodes.as(0, undefined), tokens.access_token, 'context_whoami'), 200)
    const renewal = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    await rejects('/oauth/token', renewal)
    const renewed = assertStatus(await send('/oauth/token', renewal, client, method), 200).json
    await rejects('/oauth/revoke', { token: renewed.refresh_token })

    // Its secret ends.
    await nodes.query(
      `update oauth_client set metadata = jsonb_set(metadata::jsonb, '{client_secret_expires_at}', '1')::text where id = $1`,
      [client.id],
    )
    const late = await send('/oauth/token', { ...renewal, refresh_token: renewed.refresh_token }, client, method)
    assert.ok([400, 401].includes(late.status), String(late.status))
    assert.equal(late.json.error, 'invalid_client')
  }
})

test('apps that ask for no secret, or for a way that is not offered, are public as before', async () => {
  for (const method of [undefined, 'none', 'private_key_jwt', 'client_secret_jwt']) {
    const metadata = { redirect_uris: [LOOPBACK], token_endpoint_auth_method: method }
    const { json } = assertStatus(await nodes.as(0, undefined).post('/oauth/register', metadata), 201)
    assert.equal(json.token_endpoint_auth_method, 'none', method)
    assert.equal(json.client_secret, undefined)
    assert.equal(json.client_secret_expires_at, undefined)
    const client = { id: json.client_id, secret: '' }
    assertStatus(await send('/oauth/token', await newCode(client.id), client, 'none'), 200)
  }
})
