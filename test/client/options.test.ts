import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiError,
  ConflictError,
  createClient,
  ForbiddenError,
  NotFoundError,
  PreconditionError,
  RateLimitError,
  ServiceError,
} from '@recto/client/client.ts'

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: unknown
}

/** A client whose requests get these responses, the last one from then on. */
function fakeClient(responses: readonly (() => Response)[], options: Parameters<typeof createClient>[0] = {}) {
  const sent: Sent[] = []
  const client = createClient({
    url: 'http://recto.test',
    key: 'svc_x',
    fetch: async (url, { method = '', headers, body } = {}) => {
      sent.push({ method, url: String(url), headers: new Headers(headers), body })
      const answer = responses[Math.min(sent.length, responses.length) - 1]
      return answer?.() ?? Response.error()
    },
    ...options,
  })
  return { client, sent }
}

const list = (names: readonly string[], nextCursor: string | null) => () =>
  Response.json({ items: names.map((path) => ({ path })), nextCursor })
const problem =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ code, detail: code }, { status, headers })

test('a list is awaited for its first page of results, and iterated for all items', async () => {
  const { client, sent } = fakeClient([list(['a', 'b'], 'next'), list(['c'], null)])
  const listing = client.pages.list('docs', { limit: 2, prefix: 'x' })
  assert.equal(sent.length, 0)
  const first = await listing
  assert.deepEqual([first.items.length, first.nextCursor, sent.length], [2, 'next', 1])
  const other = fakeClient([list(['a', 'b'], 'next'), list(['c'], null)])
  const paths: string[] = []
  for await (const { path } of other.client.pages.list('docs', { limit: 2, prefix: 'x' })) paths.push(path)
  assert.deepEqual(paths, ['a', 'b', 'c'])
  assert.deepEqual(
    other.sent.map(({ url }) => new URL(url).search),
    ['?limit=2&prefix=x', '?limit=2&prefix=x&cursor=next'],
  )
})

test('headers, an idempotency key, a time limit and retries are set for one call', async () => {
  const { client, sent } = fakeClient([() => Response.json({}, { status: 201 })])
  await client.pages.put('docs', 'a', 'x', { headers: { 'X-Trace': '1' }, idempotencyKey: 'mine' })
  assert.deepEqual([sent[0]?.headers.get('x-trace'), sent[0]?.headers.get('idempotency-key')], ['1', 'mine'])
  assert.equal(sent[0]?.headers.get('authorization'), 'Bearer svc_x')

  const failing = fakeClient([problem(503, 'page_busy')])
  await assert.rejects(failing.client.pages.get('docs', 'a', { maxRetries: 2 }), ServiceError)
  assert.equal(failing.sent.length, 3)
  const silent = createClient({
    url: 'http://recto.test',
    key: 'svc_x',
    maxRetries: 0,
    fetch: (_url, init) =>
      new Promise((_, reject) => {
        const { signal } = init ?? {}
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  })
  await assert.rejects(silent.me.get({ timeout: 20 }), /no response within 20 ms/)
})

test('the class of an error follows from its code', async () => {
  for (const [status, code, type] of [
    [403, 'forbidden', ForbiddenError],
    [404, 'not_found', NotFoundError],
    [410, 'page_deleted', NotFoundError],
    [409, 'slug_taken', ConflictError],
    [412, 'precondition_failed', PreconditionError],
    [429, 'too_many_requests', RateLimitError],
  ] as const) {
    const { client } = fakeClient([problem(status, code)], { maxRetries: 0 })
    const error = await client.me.get().catch((error) => error)
    assert.ok(error instanceof type && error instanceof ApiError, code)
    assert.deepEqual([error.name, error.code], [type.name, code])
  }
})

test('hooks see every attempt, and neither the key nor a body', async () => {
  const seen: unknown[] = []
  const { client } = fakeClient(
    [
      problem(429, 'too_many_requests', { 'Retry-After': '0', 'X-Request-Id': 'r1' }),
      () => Response.json({ id: 'me' }),
    ],
    {
      onRequest: (event) => seen.push(['request', event]),
      onResponse: ({ durationMs, ...event }) => seen.push(['response', event]),
      onRetry: ({ error, delayMs, attempt }) => seen.push(['retry', attempt, error.name, delayMs]),
    },
  )
  await client.me.get()
  const about = { method: 'GET', url: 'http://recto.test/me' }
  assert.deepEqual(seen, [
    ['request', { ...about, attempt: 1 }],
    ['response', { ...about, attempt: 1, status: 429, requestId: 'r1' }],
    ['retry', 1, 'RateLimitError', 100],
    ['request', { ...about, attempt: 2 }],
    ['response', { ...about, attempt: 2, status: 200, requestId: undefined }],
  ])
})

test('request sends any operation; POST is retried only with an idempotency key', async () => {
  const { client, sent } = fakeClient([() => Response.json({ items: [1] })])
  const response = await client.request('POST', '/pages/batch-get', {
    query: { fields: 'title' },
    body: { pages: [] },
    headers: { Prefer: 'return=minimal' },
  })
  assert.deepEqual(await response.json(), { items: [1] })
  assert.deepEqual(
    [sent[0]?.url, sent[0]?.body, sent[0]?.headers.get('prefer'), sent[0]?.headers.get('content-type')],
    ['http://recto.test/pages/batch-get?fields=title', '{"pages":[]}', 'return=minimal', 'application/json'],
  )
  const busy = fakeClient([problem(503, 'shutting_down'), () => new Response(null, { status: 204 })])
  await assert.rejects(busy.client.request('POST', '/x'), { code: 'shutting_down' })
  const again = fakeClient([problem(503, 'shutting_down'), () => new Response(null, { status: 204 })])
  assert.equal((await again.client.request('POST', '/x', { idempotencyKey: 'k' })).status, 204)
  assert.deepEqual(
    again.sent.map(({ headers }) => headers.get('idempotency-key')),
    ['k', 'k'],
  )
})

test('the URL and the key default to the environment, and a key can be a function', async (t) => {
  const previous = { ...process.env }
  t.after(() => {
    process.env = previous
  })
  process.env = { ...previous, RECTO_URL: 'http://from.test', RECTO_API_KEY: 'svc_env' }
  const urls: string[] = []
  const keys: (string | null)[] = []
  const answer: typeof fetch = async (url, init) => {
    urls.push(String(url))
    keys.push(new Headers(init?.headers).get('authorization'))
    return keys.length === 2 ? problem(503, 'shutting_down', { 'Retry-After': '0' })() : Response.json({})
  }
  await createClient({ fetch: answer }).me.get()
  let issued = 0
  await createClient({ fetch: answer, key: async () => `token${++issued}` }).me.get()
  await createClient({ fetch: answer, key: undefined }).me.get()
  assert.deepEqual(urls, Array(4).fill('http://from.test/me'))
  assert.deepEqual(keys, ['Bearer svc_env', 'Bearer token1', 'Bearer token2', null])
})

test('a plain function sends its parameters, conditions and body as its operation declares them', async () => {
  const { client, sent } = fakeClient([() => Response.json({ items: [], nextCursor: null })])
  await client.pages.versions.restore('docs', 'a/readme.md', 3, { ifMatch: 7 })
  await client.pages.delete('docs', 'a b')
  await client.pages.purge('docs', 'a')
  await client.files.move('docs', 'a/readme.md', { to: { path: 'b' } })
  await client.groups.update('g/1', { name: 'n' }, { ifMatch: '"x"' })
  await client.spaces.members.candidates('docs', 'Ada & co', { limit: 5 }).page('next')
  await client.search.suggest('wo', { space: undefined, limit: 3 })
  await client.spaces.update('docs', { name: 'n' }, { dryRun: true })
  assert.deepEqual(
    sent.map(({ method, url, headers, body }) => [
      `${method} ${url.replace('http://recto.test', '')}`,
      headers.get('if-match'),
      body,
    ]),
    [
      ['POST /pages/docs/a%2Freadme.md.md/versions/3/make-latest', '"7"', undefined],
      ['DELETE /pages/docs/a%20b', '*', undefined],
      ['DELETE /pages/docs/a?purge=true', null, undefined],
      ['POST /files/docs/a%2Freadme.md/move', '*', '{"to":{"path":"b"}}'],
      ['PATCH /admin/groups/g%2F1', '"x"', '{"name":"n"}'],
      ['GET /spaces/docs/candidates?name=Ada+%26+co&limit=5&cursor=next', null, undefined],
      ['GET /search/suggest?q=wo&limit=3', null, undefined],
      ['PATCH /spaces/docs?dryRun=true', null, '{"name":"n"}'],
    ],
  )
})

test('a number that JSON cannot have rejects the promise of a plain function', async () => {
  const { client, sent } = fakeClient([() => Response.json({})])
  await assert.rejects(client.metadata.patch('docs', 'a', { set: { due: Number.NaN } }), /no number of JSON/)
  assert.equal(sent.length, 0)
})
