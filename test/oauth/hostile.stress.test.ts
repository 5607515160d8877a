import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import {
  ALLOW,
  authorizationRequest,
  callTool,
  connect,
  consentForm,
  decide,
  LOOPBACK,
  openBrowser,
  type PersonBrowser,
  postForm,
  redeem,
  refresh,
  registerApp,
} from '../support/oauth.ts'
import { AppMemory, isUnauthorized, OFFICIAL_CLIENTS } from '../support/official-clients.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let ada: Person
let browser: PersonBrowser
let clientId: string
before(async () => {
  service = await startService()
  ada = await newPerson(service.admin, 'Ada')
  browser = await openBrowser(service.admin.base, ada.key)
  clientId = await registerApp(service.nobody)
})
after(() => service[Symbol.asyncDispose]())

/** An authorization code, with the verifier of its request. */
async function newCode() {
  const { url, verifier } = authorizationRequest(service.admin.base, clientId)
  const code = (await decide(browser, url)).searchParams.get('code') ?? ''
  return { clientId, code, verifier }
}

async function works(token: string): Promise<boolean> {
  return (await callTool(service.nobody, token, 'context_whoami')).status === 200
}

test('a refresh token that is used twice ends the connection', async () => {
  const first = await connect(service.nobody, browser, clientId)
  const second = assertStatus(await refresh(service.nobody, clientId, first.refresh_token), 200).json
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.ok(await works(second.access_token))
  const replayed = await refresh(service.nobody, clientId, first.refresh_token)
  assert.deepEqual([replayed.status, replayed.json.error], [400, 'invalid_grant'])
  assert.equal((await refresh(service.nobody, clientId, second.refresh_token)).json.error, 'invalid_grant')
  const log = (await service.admin.get('/admin/audit?action=app.disconnected')).json.items
  assert.equal(log[0].details.reason, 'token_reuse')
})

test('a refresh token is valid for its client, its resource and its scope only', async () => {
  const decision = { decision: 'allow', scope: 'read', access: 'all' }
  const { refresh_token } = await connect(service.nobody, browser, clientId, { scope: 'read', decision })
  const thief = await registerApp(service.nobody)
  const attempt = async (client_id: string, more: Readonly<Record<string, string>> = {}) => {
    const fields = { grant_type: 'refresh_token', client_id, refresh_token, ...more }
    return (await postForm(service.nobody, '/oauth/token', fields)).json
  }
  assert.equal((await attempt(thief)).error, 'invalid_grant')
  for (const resource of ['https://evil.example/mcp', service.admin.base, `${service.admin.base}/mcp/`]) {
    assert.equal((await attempt(clientId, { resource })).error, 'invalid_target', resource)
  }
  assert.equal((await attempt(clientId, { scope: 'read write' })).error, 'invalid_scope')
  // Of another app it revokes nothing.
  assertStatus(await postForm(service.nobody, '/oauth/revoke', { client_id: thief, token: refresh_token }), 200)
  const renewed = await attempt(clientId, { resource: `${service.admin.base}/mcp` })
  assert.equal(renewed.scope, 'read')
  const written = await callTool(service.nobody, renewed.access_token, 'context_write_page', {})
  assert.equal(written.status, 403)
})

test('of many requests with one refresh token at most one gets new tokens', async () => {
  const { refresh_token } = await connect(service.nobody, browser, clientId)
  const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(service.nobody, clientId, refresh_token)))
  const good = answers.filter(({ status }) => status === 200)
  assert.ok(good.length <= 1, String(answers.map(({ status }) => status)))
  for (const { json } of answers.filter(({ status }) => status !== 200)) assert.equal(json.error, 'invalid_grant')
})

test('a code is valid once, for its client, redirect URI and verifier only', async () => {
  const stolen = await newCode()
  const others = await registerApp(service.nobody)
  for (const fields of [
    { ...stolen, clientId: others },
    { ...stolen, verifier: 'x'.repeat(43) },
    { ...stolen, redirectUri: 'http://127.0.0.1:7778/callback' },
  ]) {
    const { status, json } = await redeem(service.nobody, fields)
    assert.deepEqual([status, json.error], [400, 'invalid_grant'], JSON.stringify(fields))
  }
  const code = await newCode()
  const tokens = assertStatus(await redeem(service.nobody, code), 200).json
  assert.equal((await redeem(service.nobody, code)).json.error, 'invalid_grant')
  assert.equal((await refresh(service.nobody, clientId, tokens.refresh_token)).json.error, 'invalid_grant')
})

test('an authorization request with any mistake never leaves the service: the person is told, not the app', async () => {
  const { base } = service.admin
  for (const [more, id, reason] of [
    [{ redirect_uri: 'https://evil.example/callback' }, clientId],
    [{ redirect_uri: `${LOOPBACK}/more` }, clientId],
    [{ redirect_uri: LOOPBACK }, 'nobody'],
    [{ response_mode: 'form_post' }, clientId],
    [{ response_mode: 'fragment' }, clientId],
    [{ redirect_uri: LOOPBACK }, 'http://127.0.0.1/client.json'],
    [{ code_challenge: undefined }, clientId, /code_challenge/],
    [{ code_challenge_method: 'plain' }, clientId, /code_challenge_method/],
    [{ resource: 'https://evil.example/mcp' }, clientId, /the resource must be/],
    [{ response_type: 'token' }, clientId, /response_type/],
    [{ prompt: 'none' }, clientId],
    [{ request: 'x' }, clientId, /request/],
    [{ claims: '{}', prompt: 'nothing' }, clientId, /prompt/],
  ] as const) {
    const { url } = authorizationRequest(base, id, more)
    const opened = await browser.open(url)
    assert.equal(opened.leftTo, undefined, opened.leftTo?.href)
    assert.equal(opened.status, 400)
    assert.match(opened.text, /The app cannot be connected/)
    if (reason) assert.match(opened.text, reason)
  }
})

test('a self-registered app cannot redirect a person anywhere before they consent, nor use a scheme of the system', async () => {
  const evil = 'https://evil.example/cb'
  const id = await registerApp(service.nobody, { redirect_uris: [evil] })
  for (const more of [
    { code_challenge: undefined },
    { scope: undefined, prompt: 'none' },
    { state: 'x', response_type: 'id_token' },
  ]) {
    const opened = await browser.open(authorizationRequest(service.admin.base, id, { redirect_uri: evil, ...more }).url)
    assert.deepEqual([opened.status, opened.leftTo], [400, undefined], JSON.stringify(more))
  }
})

test('the official client rejects a response of another authorization server (mix-up)', async () => {
  const memory = new AppMemory()
  const [, create] = OFFICIAL_CLIENTS[1]
  await using client = create(new URL(`${service.admin.base}/mcp`), memory)
  await assert.rejects(client.connect(), isUnauthorized)
  const back = await decide(browser, String(memory.redirectedTo))
  assert.equal(back.searchParams.get('iss'), service.admin.base)
  for (const iss of ['https://evil.example', '']) {
    const mixed = new URL(back)
    if (iss === '') mixed.searchParams.delete('iss')
    else mixed.searchParams.set('iss', iss)
    await assert.rejects(client.finishAuth(mixed), /iss/i, iss)
    assert.equal(memory.tokens(), undefined)
  }
  await client.finishAuth(back)
  assert.ok(memory.tokens())
})

test('a consent to a request that another browser started is rejected', async () => {
  const { url } = authorizationRequest(service.admin.base, clientId)
  const form = consentForm(await browser.open(url))
  const bob = await newPerson(service.admin, 'Bob')
  const others = await openBrowser(service.admin.base, bob.key)
  const opened = await others.open(form.action)
  assert.equal(opened.status, 400)
  assert.match(opened.text, /started in another browser/)
  const own = consentForm(await others.open(authorizationRequest(service.admin.base, clientId).url))
  const mixed = await others.send({ ...own, action: form.action }, ALLOW)
  assert.deepEqual([mixed.status, mixed.leftTo], [400, undefined])
})

test('a consent without the token of the session, or from another site, changes nothing', async () => {
  const form = consentForm(await browser.open(authorizationRequest(service.admin.base, clientId).url))
  const before = (await ada.client.get('/me/connections')).json.items.length
  const forged = await browser.send({ action: form.action, fields: [['csrf', 'x'.repeat(43)]] }, ALLOW)
  assert.deepEqual([forged.status, forged.leftTo], [403, undefined])
  assert.equal((await ada.client.get('/me/connections')).json.items.length, before)
})

test('names of apps are escaped on the consent screen, and the form redirects to the app only', async () => {
  const id = await registerApp(service.nobody, {
    client_name: '<script>alert(1)</script>\u202e"onload=',
    client_uri: 'javascript:alert(1)',
    redirect_uris: ['https://app.example/callback?a=%3Cb%3E'],
  })
  const request = authorizationRequest(service.admin.base, id, {
    redirect_uri: 'https://app.example/callback?a=%3Cb%3E',
  })
  const { text, headers } = await browser.open(request.url)
  assert.doesNotMatch(text, /<script>alert|\u202e|javascript:/)
  assert.match(text, /&lt;script&gt;alert\(1\)/)
  assert.match(text, /<strong>app\.example<\/strong>/)
  assert.match(headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app\.example;/)
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
})

test('registrations with redirect URIs that leak codes, or start programs of the system, are rejected', async () => {
  for (const uri of [
    ...['http://evil.example/cb', 'http://127.0.0.1.evil.example/cb', 'http://localhost@evil.example/cb'],
    ...['http://0.0.0.0/cb', 'http://10.0.0.1/cb', 'ftp://127.0.0.1/cb', 'ws://127.0.0.1/cb'],
    ...['https://user@app.example/cb', 'https://user:secret@app.example/cb', 'com.example://user@app/cb'],
    ...['https://*.example/cb', 'https://%2a.example/cb', 'https://app.example/*', 'com.example.*:/cb'],
    ...['javascript:alert(1)', 'data:text/html,x', 'search-ms:query=x', 'ms-msdt:/id', 'smb://evil.example/x'],
    ...['mailto:a@evil.example', 'tel:1', 'file:///x', 'intent://x', 'about:blank', 'x-apple:/y', 'x.:/y'],
    ...['https://app.example/#x', 'https://app.example\\\\@evil.example/', ' https://app.example/', 'nothing', ''],
  ]) {
    for (const application_type of [undefined, 'web', 'native']) {
      const redirect_uris = ['https://app.example/cb', uri]
      const { status, json } = await service.nobody.post('/oauth/register', { redirect_uris, application_type })
      assert.deepEqual([status, json.error], [400, 'invalid_redirect_uri'], `${uri} ${application_type}`)
      if (!uri.includes('#')) assert.match(json.error_description, /^redirect_uris\[1\] must be https/)
    }
  }
  for (const metadata of [
    {},
    { redirect_uris: [] },
    { redirect_uris: Array(21).fill(LOOPBACK) },
    { redirect_uris: 'x' },
  ]) {
    assert.equal((await service.nobody.post('/oauth/register', metadata)).status, 400)
  }
})

test('any invalid request to the token endpoint gets an OAuth error', async () => {
  for (const fields of [
    {},
    { grant_type: 'password', client_id: clientId },
    { grant_type: 'client_credentials', client_id: clientId },
    { grant_type: 'authorization_code', client_id: clientId, code: '\u0001', code_verifier: '', redirect_uri: '' },
    { grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'x' },
  ] as const) {
    const { status, json } = await postForm(service.nobody, '/oauth/token', fields as Record<string, string>)
    assert.ok(status === 400 || status === 401, `${status} ${JSON.stringify(fields)}`)
    assert.equal(typeof json.error, 'string')
  }
  const nul = await service.nobody.call('POST', '/oauth/token', {
    body: 'grant_type=refresh_token&client_id=%00&refresh_token=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(nul.status, 400)
})

test('a key without full access connects no app', async () => {
  const reader = await newPerson(service.admin, 'Reader', { scopes: ['read'] })
  const limited = await openBrowser(service.admin.base, reader.key)
  const opened = await limited.open(authorizationRequest(service.admin.base, clientId).url)
  assert.equal(opened.status, 403)
})

test('the tokens of a disabled person are invalid at once, and the app gets no new ones', async () => {
  const cat = await newPerson(service.admin, 'Cat')
  const tokens = await connect(service.nobody, await openBrowser(service.admin.base, cat.key), clientId)
  assertStatus(await service.admin.patch(`/admin/principals/${cat.id}`, { disabled: true }), 200)
  assert.equal((await refresh(service.nobody, clientId, tokens.refresh_token)).json.error, 'invalid_grant')
  const until = performance.now() + 5_000
  while (await works(tokens.access_token)) assert.ok(performance.now() < until, 'the token still works')
})
