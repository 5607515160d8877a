import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'
import { authorizationRequest, connect, decide, openBrowser, type PersonBrowser } from '../support/oauth.ts'
import { AppMemory, isUnauthorized, OFFICIAL_CLIENTS } from '../support/official-clients.ts'
import { newPerson } from '../support/people.ts'

const HOST = 'receiver.example'
const CALLBACK = 'http://127.0.0.1:7777/callback'

let service: LocalService
let site: Server
let ada: Awaited<ReturnType<typeof newPerson>>
let browser: PersonBrowser
let port: number
/** What the site of the app answers, by path. */
let answer: (request: IncomingMessage, response: ServerResponse) => void
let requests: string[]
let addresses: string[]

before(async () => {
  site = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) => {
    requests.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
  port = (site.address() as AddressInfo).port // it listens on TCP
  service = await startLocalService(
    {},
    {
      oauth: {
        resolve: async () => addresses.map((address) => ({ address, family: 4 })),
        // The site of the test stands for the public internet.
        reach: { allowHttp: false, allowPrivate: false, isPublic: (address) => address === '127.0.0.1' },
        ca: CERTIFICATE,
        timeoutMs: 3_000,
      },
    },
  )
  ada = await newPerson(service.admin, 'Ada')
  browser = await openBrowser(service.admin.base, ada.key)
})
after(async () => {
  await service[Symbol.asyncDispose]()
  site.closeAllConnections()
  site.close()
})
beforeEach(() => {
  requests = []
  addresses = ['127.0.0.1']
})

function documentOf(id: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    client_id: id,
    client_name: 'Assistant',
    redirect_uris: ['http://127.0.0.1/callback', 'https://app.example/callback'],
    token_endpoint_auth_method: 'none',
    ...more,
  }
}

function serve(document: unknown, headers: Readonly<Record<string, string>> = {}): void {
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'max-age=60', ...headers })
    response.end(typeof document === 'string' ? document : JSON.stringify(document))
  }
}

const idOf = (path: string) => `https://${HOST}:${port}${path}`

/** What the person sees who opens the authorization request of an app. */
async function openAs(clientId: string) {
  return browser.open(authorizationRequest(service.admin.base, clientId, { redirect_uri: CALLBACK }).url)
}

test('an app with the URL of a metadata document as its id is shown with its host, fetched once, and gets tokens', async () => {
  const id = idOf('/client.json')
  serve(documentOf(id))
  const { status, text } = await openAs(id)
  assert.equal(status, 200)
  assert.match(text, /Connect “Assistant”\?/)
  assert.ok(text.includes(`<strong>${HOST}:${port}</strong>`))
  const tokens = await connect(service.nobody, browser, id)
  assert.match(tokens.access_token, /^oat_/)
  assert.deepEqual(requests, ['/client.json'])
})

for (const [major, create] of OFFICIAL_CLIENTS) {
  test(`the official client of the ${major} major version connects with a metadata document instead of a registration`, async () => {
    const id = idOf(`/${major}.json`)
    serve(documentOf(id))
    const memory = new AppMemory(id)
    await using client = create(new URL(`${service.admin.base}/mcp`), memory)
    await assert.rejects(client.connect(), isUnauthorized)
    assert.equal(memory.redirectedTo?.searchParams.get('client_id'), id)
    await client.finishAuth(await decide(browser, String(memory.redirectedTo)))
    await client.connect()
    assert.match(await client.call('context_whoami'), /Ada/)
  })
}

test('the name in a metadata document is shown and stored in one line, without what is hidden', async () => {
  const names = [
    ['CEO\n2026-01-01 \u001b[2Jby\u202e X\u200b', 'CEO 2026-01-01 [2Jby X'],
    ['\u200b\u202e\u2028', 'An app without a name'],
  ] as const
  for (const [index, [client_name, expected]] of names.entries()) {
    const id = idOf(`/named-${index}.json`)
    serve(documentOf(id, { client_name }))
    const { status, text } = await openAs(id)
    assert.equal(status, 200)
    assert.ok(text.includes(`Connect “${expected}”?`), expected)
    await connect(service.nobody, browser, id)
    const { json } = await service.as(ada.key).get('/me/connections')
    const own = json.items.find(({ app }: { app: { id: string } }) => app.id === id)
    assert.equal(own?.app.name, expected)
  }
})

test('a document at a private address, after a redirect, too large or too slow is rejected', async () => {
  const rejected = async (path: string, act: () => void) => {
    act()
    const { status, leftTo, text } = await openAs(idOf(path))
    assert.deepEqual([status, leftTo], [400, undefined], path)
    assert.match(text, /The app cannot be connected/, path)
  }
  const good = documentOf(idOf('/x'))
  await rejected('/private', () => {
    addresses = ['10.0.0.1']
  })
  await rejected('/mixed', () => {
    addresses = ['127.0.0.1', '169.254.169.254']
  })
  assert.deepEqual(requests, [])
  addresses = ['127.0.0.1']
  await rejected('/redirect', () => {
    answer = (_, response) => response.writeHead(302, { location: idOf('/elsewhere') }).end()
  })
  assert.deepEqual(requests, ['/redirect'])
  await rejected('/huge', () => serve(`{"client_id":"${idOf('/huge')}","x":"${'x'.repeat(70_000)}"}`))
  await rejected('/slow', () => {
    answer = () => {}
  })
  await rejected('/drip', () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(drip))
    }
  })
  await rejected('/html', () => serve(documentOf(idOf('/html')), { 'content-type': 'text/html' }))
  await rejected('/other', () => serve(good))
  await rejected('/list', () => serve([]))
  await rejected('/broken', () => serve('{'))
  await rejected('/secret', () => serve(documentOf(idOf('/secret'), { client_secret: 'x' })))
  await rejected('/basic', () =>
    serve(documentOf(idOf('/basic'), { token_endpoint_auth_method: 'client_secret_basic' })),
  )
  // Apps prove themselves by PKCE and their redirect URI, as the metadata says; the keys of an app are not fetched.
  await rejected('/jwt', () =>
    serve(documentOf(idOf('/jwt'), { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: idOf('/jwks.json') })),
  )
  assert.doesNotMatch(requests.join(' '), /jwks/)
  await rejected('/http', () => serve(documentOf(idOf('/http'), { redirect_uris: ['http://app.example/cb'] })))
  await rejected('', () => serve(documentOf(idOf(''))))
})

test('only its own switch opens private addresses to metadata documents, not those of webhooks and the catalogue', async () => {
  const id = idOf('/inside.json')
  serve(documentOf(id))
  const openWith = async (env: Readonly<Record<string, string>>) => {
    const oauth = { resolve: async () => [{ address: '127.0.0.1', family: 4 }], ca: CERTIFICATE }
    await using inside = await startLocalService(env, { oauth })
    const person = await openBrowser(inside.admin.base, (await newPerson(inside.admin, 'Ada')).key)
    const { url } = authorizationRequest(inside.admin.base, id, { redirect_uri: CALLBACK })
    return (await person.open(url)).status
  }
  const others = ['WEBHOOKS_ALLOW_PRIVATE_URLS', 'WEBHOOKS_ALLOW_HTTP', 'SPACE_TEMPLATES_ALLOW_PRIVATE_URLS']
  assert.equal(await openWith(Object.fromEntries(others.map((name) => [`SVC_${name}`, '1']))), 400)
  assert.deepEqual(requests, [])
  assert.equal(await openWith({ SVC_OAUTH_ALLOW_PRIVATE_URLS: '1' }), 200)
  assert.deepEqual(requests, ['/inside.json'])
})

test('the service fetches no document without a sign-in, or for an app that nobody connected', async () => {
  const id = idOf('/stranger.json')
  serve(documentOf(id))
  const anonymous = await service.nobody.get(`/oauth/authorize?client_id=${encodeURIComponent(id)}`)
  assert.equal(anonymous.status, 401)
  const token = await service.nobody.call('POST', '/oauth/token', {
    body: String(new URLSearchParams({ grant_type: 'refresh_token', client_id: id, refresh_token: 'x' })),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.deepEqual([token.status, token.json.error], [400, 'invalid_client'])
  assert.deepEqual(requests, [])
})
