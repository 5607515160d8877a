import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pageUrl } from '@recto/contract/page-url.ts'
import { isSingleLine } from '@recto/lib/text/single-line.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { fc } from '../support/property.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, section 2.
let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

test('a path is hierarchical; raw slashes and %2F mean the same', async () => {
  assertStatus(await service.admin.put('/pages/docs/a/b/c', 'one'), 201)
  for (const address of ['/pages/docs/a%2Fb%2Fc', '/pages/docs/a%2fb/c', '/pages/docs/a/b%2Fc']) {
    assert.equal((await service.admin.page(address)).json.path, 'a/b/c')
  }
})

test('percent-encoding is decoded once, then Unicode is in NFC', async () => {
  assertStatus(await service.admin.put('/pages/docs/cafe%CC%81', 'x'), 201)
  assert.equal((await service.admin.page('/pages/docs/caf%C3%A9')).json.path, 'café')
  assertStatus(await service.admin.put('/pages/docs/100%2525', 'x'), 201)
  assert.equal((await service.admin.page('/pages/docs/100%2525')).json.path, '100%25')
})

test('letter case counts', async () => {
  assertStatus(await service.admin.put('/pages/docs/Case', 'upper'), 201)
  assertProblem(await service.admin.get('/pages/docs/case'), 404, 'not_found')
})

test('a trailing .md selects Markdown on GET and is ignored by other methods', async () => {
  const created = assertStatus(await service.admin.put('/pages/docs/notes.md', '# N'), 201)
  assert.equal(created.json.path, 'notes')
  const markdown = await service.admin.get('/pages/docs/notes.md', { accept: 'text/html' })
  assert.match(markdown.headers.get('content-type') ?? '', /^text\/markdown/)
  assert.equal((await service.admin.get('/pages/docs/notes.md/versions')).json.items.length, 1)
})

const rejected = [
  ['an empty segment', '/pages/docs/a//b'],
  ['a dot', '/pages/docs/a%2F.%2Fb'],
  ['two dots', '/pages/docs/a%2F..%2Fb'],
  ['a control character', '/pages/docs/a%01b'],
  ['NUL', '/pages/docs/a%00b'],
  ['a line break', '/pages/docs/a%0Ab'],
  ['a backslash', '/pages/docs/a%5Cb'],
  ['leading white space', '/pages/docs/%20a'],
  ['trailing white space', '/pages/docs/a%20'],
  ['33 segments', `/pages/docs/${Array(33).fill('s').join('/')}`],
  ['a segment of 256 bytes', `/pages/docs/${'s'.repeat(256)}`],
  ['a segment of 256 bytes in UTF-8', `/pages/docs/${'%C3%A9'.repeat(128)}`],
  ['1,025 bytes', `/pages/docs/${Array(5).fill('s'.repeat(204)).join('/')}x`],
  ['malformed percent-encoding', '/pages/docs/%zz'],
  ['percent-encoding that is not UTF-8', '/pages/docs/%ff'],
] as const

for (const [what, address] of rejected) {
  test(`a path with ${what} is 400 invalid_path, for every method`, async () => {
    for (const method of ['GET', 'PUT']) {
      const answer = await service.admin.call(method, address, method === 'PUT' ? { body: 'x' } : {})
      assertProblem(answer, 400, 'invalid_path')
    }
  })
}

test('the largest paths are accepted', async () => {
  for (const path of [
    Array(32).fill('s').join('/'),
    's'.repeat(255),
    '%C3%A9'.repeat(127),
    Array(4).fill('s'.repeat(255)).join('/'),
  ]) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, 'x'), 201)
  }
})

test('an invalid slug is 400 invalid_slug', async () => {
  for (const slug of ['Docs', 'a_b', '-a', 'a--b', 'a%00', 'x'.repeat(65)]) {
    assertProblem(await service.admin.get(`/pages/${slug}/x`), 400, 'invalid_slug')
    assertProblem(await service.admin.get(`/spaces/${slug}`), 400, 'invalid_slug')
  }
})

test('sub-resources are recognised at the end of the URL; an encoded path is one segment', async () => {
  for (const word of [
    'metadata',
    'links',
    'versions',
    'metadata/history',
    'versions/3',
    'versions/1/make-latest',
    'move',
    'restore',
  ]) {
    const encoded = `/pages/docs/${encodeURIComponent(`topics/${word}`)}`
    const created = assertStatus(await service.admin.put(encoded, word), 201)
    assert.equal(created.json.path, `topics/${word}`)
    assert.equal(new URL(created.json.url).pathname, encoded)
    assert.equal((await service.admin.get(`${encoded}/versions`)).json.items.length, 1)
  }
})

test('a sub-resource name directly after the space is a page', async () => {
  for (const word of ['links', 'metadata', 'versions', 'move', 'restore']) {
    assertStatus(await service.admin.put(`/pages/docs/${word}`, word), 201)
    assert.equal((await service.admin.get(`/pages/docs/${word}.md`)).text, word)
  }
})

test('the URL that the service returns for any path is that of the page', async () => {
  const segment = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((text) =>
      text
        .normalize('NFC')
        .replace(/[\p{Cc}\u2028\u2029\\/]/gu, '')
        .trim(),
    )
    .filter((text) => text !== '' && text !== '.' && text !== '..' && !text.endsWith('.md') && isSingleLine(text))
  const path = fc.array(fc.oneof(segment, fc.constantFrom('links', 'versions', 'metadata', 'history', '7')), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(path, async (segments) => {
      const wanted = segments.join('/')
      const answer = await service.admin.put(pageUrl('docs', wanted), 'x', { 'if-match': '*' })
      const page =
        answer.status === 412 ? assertStatus(await service.admin.put(pageUrl('docs', wanted), 'x'), 201) : answer
      assert.equal(page.json.path, wanted)
      assert.equal((await service.admin.page(new URL(page.json.url).pathname)).json.path, wanted)
    }),
    { numRuns: 100 },
  )
})
