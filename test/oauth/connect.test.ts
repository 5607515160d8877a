import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import {
  authorizationRequest,
  callTool,
  connect,
  decide,
  openBrowser,
  redeem,
  registerApp,
} from '../support/oauth.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let ada: Person
before(async () => {
  service = await startService()
  ada = await newPerson(service.admin, 'Ada')
})
after(() => service[Symbol.asyncDispose]())

test('metadata names the resource, the authorization server, PKCE and how clients register', async () => {
  const { base } = service.admin
  for (const path of ['', '/mcp']) {
    const { json } = assertStatus(
      await service.nobody.get(`/.well-known/oauth-protected-resource${path}`),
      200,
    )
    assert.equal(json.resource, `${base}/mcp`)
    assert.deepEqual(json.authorization_servers, [base])
  }
  const { json } = assertStatus(await service.nobody.get('/.well-known/oauth-authorization-server'), 200)
  assert.equal(json.issuer, base)
  assert.deepEqual(json.code_challenge_methods_supported, ['S256'])
  assert.equal(json.client_id_metadata_document_supported, true)
  assert.equal(json.authorization_response_iss_parameter_supported, true)
  assert.equal(json.registration_endpoint, `${base}/oauth/register`)
  assert.equal(json.token_endpoint, `${base}/oauth/token`)
  assert.deepEqual(json.token_endpoint_auth_methods_supported, ['none'])
  assert.ok(
    json.scopes_supported.includes('read') && json.scopes_supported.includes('write'),
    String(json.scopes_supported),
  )
})

test('/mcp without a credential answers 401 with the challenge that leads to the authorization server', async () => {
  const answer = await callTool(service.nobody, 'oat_wrong', 'context_list_spaces')
  assert.equal(answer.status, 401)
  const challenge = answer.headers.get('www-authenticate') ?? ''
  assert.match(
    challenge,
    /^Bearer realm="recto", error="invalid_token", scope="read write", resource_metadata="/,
  )
  assert.ok(
    challenge.includes(`resource_metadata="${service.admin.base}/.well-known/oauth-protected-resource/mcp"`),
  )
})

test('an app that a person connects acts for the person, with the scope and the spaces of the consent', async () => {
  const open = await service.admin.space('open')
  await service.admin.space('closed')
  const clientId = await registerApp(service.nobody)
  const browser = await openBrowser(service.admin.base, ada.key)
  const { url, verifier } = authorizationRequest(service.admin.base, clientId)
  const back = await decide(browser, url, {
    decision: 'allow',
    scope: 'write',
    access: 'some',
    'spaces[]': [open],
  })
  assert.equal(back.searchParams.get('state'), 'a state')
  assert.equal(back.searchParams.get('iss'), service.admin.base)
  const code = back.searchParams.get('code') ?? ''
  const tokens = assertStatus(await redeem(service.nobody, { clientId, code, verifier }), 200).json
  assert.equal(tokens.scope, 'read write')
  assert.match(tokens.access_token, /^oat_/)

  const { text } = assertStatus(
    await callTool(service.nobody, tokens.access_token, 'context_list_spaces'),
    200,
  )
  assert.match(text, /open/)
  assert.doesNotMatch(text, /closed/)
  // The token is for MCP: the API does not take it.
  const api = await service.as(tokens.access_token).get('/me')
  assert.equal(api.status, 401)
})

test('a person lists and ends connections; the tokens stop working', async () => {
  const clientId = await registerApp(service.nobody, { client_name: 'Short <b>lived</b>' })
  const browser = await openBrowser(service.admin.base, ada.key)
  const { access_token } = await connect(service.nobody, browser, clientId)
  assertStatus(await callTool(service.nobody, access_token, 'context_list_spaces'), 200)
  const { json } = assertStatus(await ada.client.get('/me/connections'), 200)
  const connection = json.items.find((one: { app: { id: string } }) => one.app.id === clientId)
  assert.equal(connection.app.name, 'Short <b>lived</b>')
  const { text } = await browser.open('/account')
  assert.match(text, /Short &lt;b&gt;lived/)
  assertStatus(await ada.client.delete(`/me/connections/${connection.id}`), 204)
  assert.equal((await ada.client.delete(`/me/connections/${connection.id}`)).status, 404)
})
