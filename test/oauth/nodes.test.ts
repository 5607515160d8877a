import assert from 'node:assert/strict'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, mock, test } from 'node:test'
import { assertStatus, Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import {
  ALLOW,
  authorizationRequest,
  callTool,
  connect,
  consentForm,
  openBrowser,
  refresh,
  registerApp,
} from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'

const PUBLIC_URL = 'https://wiki.example'

/** A proxy that ends TLS for the public URL, and gives each request to the other node. */
async function startProxy(nodes: Nodes) {
  let count = 0
  const server = createServer((request, answer) => {
    const node = nodes.as(count++ % 2 === 0 ? 0 : 1, undefined).base
    const headers = { ...request.headers, host: 'wiki.example', 'x-forwarded-proto': 'https' }
    const passed = send(node + request.url, { method: request.method ?? 'GET', headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const direct = globalThis.fetch
  const mocked = mock.method(globalThis, 'fetch', (url: string | URL, init?: RequestInit) =>
    direct(String(url).replace(PUBLIC_URL, address), init),
  )
  return {
    requests: () => count,
    [Symbol.asyncDispose]: async () => {
      mocked.mock.restore()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('an app connects behind a proxy with https, each request at another of two nodes; its revocation holds on both', async () => {
  await using nodes = await startNodes({ SVC_PUBLIC_URL: PUBLIC_URL, SVC_TRUST_PROXY: '1' })
  await using proxy = await startProxy(nodes)
  const [admin] = nodes.admins
  const ada = await newPerson(admin, 'Ada')
  const nobody = new Client(PUBLIC_URL, undefined)

  const metadata = assertStatus(await nobody.get('/.well-known/oauth-authorization-server'), 200).json
  assert.equal(metadata.issuer, PUBLIC_URL)
  for (const [name, value] of Object.entries(metadata)) {
    if (name.endsWith('_endpoint')) assert.ok(String(value).startsWith(`${PUBLIC_URL}/oauth/`), name)
  }
  const challenge = (await callTool(nobody, 'oat_wrong', 'context_whoami')).headers.get('www-authenticate')
  assert.ok(challenge?.includes(`resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`))

  const browser = await openBrowser(PUBLIC_URL, ada.key)
  const app = await registerApp(nobody)
  // Several requests are pending in one browser; only the prefix keeps other hosts of the domain from setting their
  // cookies.
  const pending = [1, 2, 3].map(() => authorizationRequest(PUBLIC_URL, app))
  const opened = []
  for (const { url } of pending) opened.push(await browser.open(url))
  const tokens = await connect(nobody, browser, app)
  const names = [...browser.cookies.keys()]
  assert.deepEqual(
    names.filter((name) => !name.startsWith('__Host-')),
    [],
  )
  const ids = new Set(names.flatMap((name) => /^__Host-recto_oauth~(.+)$/.exec(name)?.[1] ?? []))
  assert.equal(ids.size, 4)
  for (const one of opened) assert.ok((await browser.send(consentForm(one), ALLOW)).leftTo)
  for (const _ of [0, 1]) {
    const { text } = assertStatus(await callTool(nobody, tokens.access_token, 'context_whoami'), 200)
    assert.match(text, /Ada/)
  }
  const renewed = assertStatus(await refresh(nobody, app, tokens.refresh_token), 200).json
  const [connection] = (await ada.client.get('/me/connections')).json.items
  assertStatus(await ada.client.delete(`/me/connections/${connection.id}`), 204)
  for (const node of [0, 1] as const) {
    const local = nodes.as(node, undefined)
    const endsAt = Date.now() + 10_000
    while ((await callTool(local, renewed.access_token, 'context_whoami')).status !== 401) {
      assert.ok(Date.now() < endsAt, `node ${node} accepts the token`)
    }
  }
  assertStatus(await refresh(nobody, app, renewed.refresh_token), 400)
  assert.ok(proxy.requests() > 10)
})

describe('what an earlier release stored', () => {
  let nodes: Nodes
  before(async () => {
    nodes = await startNodes()
  })
  after(() => nodes[Symbol.asyncDispose]())

  test('an app that registered another redirect URI before it was forbidden is not connected', async () => {
    const id = await registerApp(nodes.as(0, undefined))
    await nodes.query(
      `update oauth_client set metadata = (metadata::jsonb || '{"redirect_uris":["search-ms:x"],"application_type":"native"}')::text
       where id = $1`,
      [id],
    )
    const ada = await newPerson(nodes.admins[0], 'Ada')
    const browser = await openBrowser(nodes.admins[0].base, ada.key)
    const { url } = authorizationRequest(nodes.admins[0].base, id, { redirect_uri: 'search-ms:x' })
    const opened = await browser.open(url)
    assert.deepEqual([opened.status, opened.leftTo], [400, undefined])
    assert.match(opened.text, /its redirect URI is not allowed any more/)
  })

  test('an app that was connected before the scope `propose` keeps its rights', async () => {
    await nodes.admins[0].space('docs', { defaultRole: 'editor' })
    const ada = await newPerson(nodes.admins[0], 'Ada')
    const browser = await openBrowser(nodes.admins[0].base, ada.key)
    const nobody = nodes.as(0, undefined)
    const id = await registerApp(nobody)
    const { refresh_token } = await connect(nobody, browser, id)
    await nodes.query(`update app_connection set scopes = '{read,write}', requested_scopes = '{read,write}'`)
    await nodes.query(
      `update oauth_token set scopes = '{read,write}', payload = replace(payload, 'read propose write', 'read write')`,
    )
    const renewed = assertStatus(await refresh(nobody, id, refresh_token), 200).json
    assert.equal(renewed.scope, 'read write')
    const page = { space: 'docs', path: 'x', body: '# X' }
    const { result } = assertStatus(await callTool(nobody, renewed.access_token, 'context_write_page', page), 200).json
    assert.ok(!result.isError, JSON.stringify(result))
    const [connection] = (await ada.client.get('/me/connections')).json.items
    assert.deepEqual(connection.scopes, ['read', 'propose', 'write'])
  })
})
