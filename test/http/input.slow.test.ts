import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, section 1: numbers, media types, NUL, and errors that name what is allowed.
let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/page', '# Page'), 201)
})
after(() => service[Symbol.asyncDispose]())

test('a number in a URL consists of ASCII digits', async () => {
  const { admin } = service
  for (const number of ['+1', '-1', '1e0', '0x1', '01', '1.0', '%201', '1%20', '1_0', '%D9%A1', '%EF%BC%91', '']) {
    for (const url of [
      `/pages/docs/page?version=${number}`,
      `/pages/docs/page/versions/${number || '%20'}`,
      `/spaces/docs/pages?limit=${number}`,
      `/pages/docs/page/links?depth=${number}`,
      `/changes?wait=${number}`,
    ]) {
      assertStatus(await admin.get(url, { accept: 'application/json' }), 400)
    }
    assertStatus(await admin.post(`/pages/docs/page/versions/${number || '%20'}/make-latest`), 400)
  }
  for (const url of ['/pages/docs/page?version=1', '/pages/docs/page/versions/1', '/changes?wait=0&limit=200']) {
    assertStatus(await admin.get(url), 200)
  }
  assertProblem(await admin.get('/pages/docs/page?version=99999999999999999999'), 400, 'invalid_request')
  assertStatus(await admin.get('/pages/docs/page/versions/2147483647'), 404)
})

test('a boolean in a URL is true or false', async () => {
  for (const word of ['1', 'TRUE', 'yes', '']) {
    const answer = await service.admin.get(`/templates?includeContent=${word}`)
    assertProblem(answer, 400, 'invalid_request')
  }
  assertStatus(await service.admin.get('/templates?includeContent=true'), 200)
})

test('a media type in Accept matches regardless of its parameters', async () => {
  const typeOf = async (accept: string) =>
    assertStatus(await service.admin.get('/pages/docs/page', { accept }), 200).headers.get('content-type')
  for (const [accept, type] of [
    ['text/markdown; charset=utf-8', 'text/markdown'],
    ['text/markdown;variant=GFM;q=0.5, text/html;q=0.1', 'text/markdown'],
    ['application/json;q=0.9;charset=utf-8', 'application/json'],
    ['application/json;charset="a,b;c";q=0.9, text/html;q=0.8', 'application/json'],
    ['text/html;level=1', 'text/html'],
    ['text/html;level=1;q=0.1, application/json; indent=2', 'application/json'],
    ['text/*;q=0.5;x=y', 'text/html'],
  ] as const) {
    assert.equal(await typeOf(accept), `${type}; charset=utf-8`, accept)
  }
  for (const accept of ['text/html;q=0;level=1', 'image/png;charset=utf-8', 'application/json;charset=utf-8;q=0']) {
    assertProblem(await service.admin.get('/pages/docs/page', { accept }), 406, 'not_acceptable')
  }
  const exported = await service.admin.get('/spaces/docs/export', { accept: 'application/zip; charset=binary' })
  assert.equal(exported.headers.get('content-type'), 'application/zip')
})

test('errors list the allowed values', async () => {
  const { admin } = service
  const named = (answer: Answer, words: readonly string[]) => {
    assertProblem(answer, 400, 'invalid_request')
    for (const text of [answer.json.detail, answer.json.issues[0].message]) {
      for (const word of words) assert.ok(text.includes(word), `${word} in ${text}`)
    }
    assert.equal(answer.json.issues.length, 1, answer.text)
  }
  const kinds = ['page.created', 'page.moved', 'space.deleted', '*']
  const ops = ['append', 'prepend', 'replace', 'replaceSection', 'appendToSection', 'insertBefore', 'insertAfter']
  const filter = encodeURIComponent('[{"key":"a","op":"like","value":1}]')
  named(await admin.get('/search/metadata?orderBy=a&order=up'), ['asc', 'desc'])
  named(await admin.get(`/search/metadata?filters=${filter}`), ['eq', 'neq', 'contains', 'lte'])
  named(await admin.get(`/search?q=a&filters=${filter}`), ['eq', 'neq', 'contains', 'lte'])
  named(await admin.get('/space-templates?source=moon'), ['builtin', 'org', 'remote'])
  named(await admin.get('/space-templates/moon/x'), ['builtin', 'org', 'remote'])
  named(await admin.post('/space-templates/moon/x/spaces', { slug: 'x' }), ['builtin', 'org', 'remote'])
  named(await admin.post('/admin/principals', { name: 'x', kind: 'robot' }), ['human', 'agent'])
  named(await admin.post('/admin/principals', { name: 'x', kind: 'human', role: 'owner' }), ['admin', 'member'])
  named(await admin.get('/admin/principals?kind=robot'), ['human', 'agent'])
  named(await admin.get('/admin/principals?disabled=maybe'), ['true', 'false'])
  named(await admin.post('/me/api-keys', { name: 'x', scopes: ['delete'] }), ['read', 'propose', 'write', 'admin'])
  named(await admin.patch('/spaces/docs', { visibility: 'hidden' }), ['org', 'private'])
  named(await admin.patch('/spaces/docs', { defaultRole: 'admin' }), ['viewer', 'editor'])
  named(
    await admin.call('PUT', `/spaces/docs/members/${(await admin.get('/me')).json.id}`, { json: { role: 'god' } }),
    ['viewer', 'editor', 'admin'],
  )
  named(await admin.post('/admin/webhooks', { url: 'https://example.com/', events: ['page.read'] }), kinds)
  named(await admin.patch('/pages/docs/page', { edits: [{ op: 'cut' }] }, { 'if-match': '*' }), ops)
  named(await admin.get('/changes?kinds=page.read'), kinds.slice(0, 3))
  named(await admin.get('/spaces/docs/export?format=pdf'), ['json', 'zip'])
  named(await admin.post('/spaces/docs/import?onConflict=ask', {}), ['skip', 'overwrite', 'fail'])
  named(await admin.patch('/pages/docs/page/metadata', { put: { a: 1 } }), ['set', 'append', 'appendUnique'])
  named(await admin.get('/pages/recent?sort=up'), ['limit', 'cursor', 'space'])
  named(await admin.post('/me/api-keys', { name: 1, scopes: ['read'] }), ['string'])
})

test('the detail of a validation error names the part of the request and its field', async () => {
  const { admin } = service
  const details = [
    [await admin.get('/pages/docs/page?version=+1'), 'The query is not valid: version must be an integer.'],
    [await admin.get('/pages/recent?limit=0'), 'The query is not valid: limit must be at least 1.'],
    [await admin.post('/spaces/docs/move-folder', { to: 'a' }), 'The body is not valid: /path is required.'],
    [await admin.post('/spaces', []), 'The body is not valid: it must be an object.'],
    [
      await admin.post('/me/api-keys', { name: '', scopes: ['read'] }),
      'The body is not valid: /name must not be empty.',
    ],
  ] as const
  for (const [answer, detail] of details) {
    assertProblem(answer, 400, 'invalid_request')
    assert.equal(answer.json.detail, detail)
  }
})

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: { properties?: object } }>> }
}

test('NUL is 400 in every parameter and every member of a body, on every route', async () => {
  const { admin } = service
  const { paths } = (await admin.get('/openapi.json')).json
  const values: Readonly<Record<string, string>> = { space: 'docs', slug: 'docs', path: 'page', n: '1', source: 'org' }
  let calls = 0
  for (const [path, item] of Object.entries<Record<string, Operation>>(paths)) {
    const url = (nul?: string) =>
      path.replace(/\{(\w+)\}/g, (_, name) => (name === nul ? 'a%00b' : (values[name] ?? 'x')))
    for (const [method, operation] of Object.entries(item)) {
      const rejects = async (target: string, json?: unknown) => {
        calls += 1
        const answer = await admin.call(method.toUpperCase(), target, json === undefined ? {} : { json })
        assertStatus(answer, 400)
        assert.notEqual(answer.json.code, undefined, `${method} ${target}`)
      }
      for (const { name, in: place } of operation.parameters ?? []) {
        if (place === 'path') await rejects(url(name))
        if (place === 'query') await rejects(`${url()}?${name}=a%00b`)
      }
      const { properties = {} } = operation.requestBody?.content['application/json']?.schema ?? {}
      for (const name of Object.keys(properties)) {
        await rejects(url(), { [name]: 'a\0b' })
        await rejects(url(), { [name]: { deep: ['a\0b'] } })
        await rejects(url(), { [name]: { 'a\0b': 1 } })
      }
    }
  }
  assert.ok(calls > 200, `${calls} calls`)
  assertStatus(await admin.get('/spaces/docs/pages?prefix=%2500'), 200)
  assertProblem(await admin.get('/space-templates/org/%00'), 400, 'invalid_request')
  assertProblem(await admin.get('/pages/a%00/page'), 400, 'invalid_slug')
  const query = assertProblem(await admin.get('/spaces/docs/pages?limit=1&prefix=%00'), 400, 'invalid_request')
  assert.equal(query.json.issues[0].path, 'prefix')
  assertProblem(await service.nobody.get('/nothing/%00'), 400, 'invalid_request')
})
