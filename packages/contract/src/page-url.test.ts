import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { anyText, fc } from '../../../test/support/property.ts'
import { rewritePageUrl, SUB_RESOURCES } from './page-url.ts'

const word = fc.constantFrom(
  ...['a', 'b%2Fc', 'links', 'metadata', 'history', 'versions', '3', 'make-latest', 'restore', 'move', ''],
  ...['%', '%zz', '%6Cinks', 'x.md', '%ff'],
)
const target = fc
  .tuple(
    fc.constantFrom('docs', 'personal', 'recent', ''),
    fc.array(word, { maxLength: 7 }),
    fc.constantFrom('', '?a=/b/links', '#x'),
  )
  .map(([space, words, query]) => `/pages/${[space, ...words].join('/')}${query}`)

test('the path of a page becomes one segment, and its sub-resource stays separate', () => {
  const cases = {
    '/pages/docs/a': '/pages/docs/a',
    '/pages/docs/a/b': '/pages/docs/a%2Fb',
    '/pages/docs/a/b/c.md': '/pages/docs/a%2Fb%2Fc.md',
    '/pages/docs/a/links': '/pages/docs/a/links',
    '/pages/docs/a/b/links': '/pages/docs/a%2Fb/links',
    '/pages/docs/a/b/metadata': '/pages/docs/a%2Fb/metadata',
    '/pages/docs/a/b/metadata/history': '/pages/docs/a%2Fb/metadata/history',
    '/pages/docs/a/b/versions': '/pages/docs/a%2Fb/versions',
    '/pages/docs/a/b/versions/3': '/pages/docs/a%2Fb/versions/3',
    '/pages/docs/a/b/versions/xyz': '/pages/docs/a%2Fb/versions/xyz',
    '/pages/docs/a/b/versions/3/make-latest': '/pages/docs/a%2Fb/versions/3/make-latest',
    '/pages/docs/a/b/restore': '/pages/docs/a%2Fb/restore',
    '/pages/docs/a/b/move': '/pages/docs/a%2Fb/move',
    '/pages/personal/a/b/links': '/pages/personal/a%2Fb/links',
  }
  for (const [url, folded] of Object.entries(cases)) assert.equal(rewritePageUrl(url), folded)
})

test('a sub-resource name directly after the slug is a page', () => {
  const cases = {
    '/pages/docs/links': '/pages/docs/links',
    '/pages/docs/versions/3': '/pages/docs/versions%2F3',
    '/pages/docs/metadata/history': '/pages/docs/metadata%2Fhistory',
    '/pages/docs/versions/3/make-latest': '/pages/docs/versions%2F3%2Fmake-latest',
    '/pages/docs/links/links': '/pages/docs/links/links',
    '/pages/docs/versions/versions': '/pages/docs/versions/versions',
  }
  for (const [url, folded] of Object.entries(cases)) assert.equal(rewritePageUrl(url), folded)
})

test('the longest name wins', () => {
  assert.equal(rewritePageUrl('/pages/docs/a/versions/links'), '/pages/docs/a/versions/links')
  assert.equal(rewritePageUrl('/pages/docs/a/b/versions/links'), '/pages/docs/a%2Fb/versions/links')
  assert.equal(rewritePageUrl('/pages/docs/a/versions/metadata/history'), '/pages/docs/a%2Fversions/metadata/history')
  assert.equal(rewritePageUrl('/pages/docs/a/metadata/history/links'), '/pages/docs/a%2Fmetadata%2Fhistory/links')
})

test('%2F never separates the page from a sub-resource', () => {
  const cases = {
    '/pages/docs/a%2Flinks': '/pages/docs/a%2Flinks',
    '/pages/docs/a%2fb%2Fversions%2F3': '/pages/docs/a%2fb%2Fversions%2F3',
    '/pages/docs/a%2Fb/links': '/pages/docs/a%2Fb/links',
    '/pages/docs/a/b%2Flinks': '/pages/docs/a%2Fb%2Flinks',
  }
  for (const [url, folded] of Object.entries(cases)) assert.equal(rewritePageUrl(url), folded)
})

test('empty segments are kept, and are not a page', () => {
  const cases = {
    '/pages/docs/': '/pages/docs/',
    '/pages/docs//': '/pages/docs/%2F',
    '/pages/docs/a/': '/pages/docs/a%2F',
    '/pages/docs//links': '/pages/docs/%2Flinks',
    '/pages/docs//a/links': '/pages/docs/%2Fa/links',
    '/pages/docs/a//links': '/pages/docs/a%2F/links',
    '/pages/docs/a/links/': '/pages/docs/a%2Flinks%2F',
    '/pages/docs/a/versions/': '/pages/docs/a%2Fversions%2F',
    '/pages/docs/a/versions//make-latest': '/pages/docs/a%2Fversions%2F%2Fmake-latest',
  }
  for (const [url, folded] of Object.entries(cases)) assert.equal(rewritePageUrl(url), folded)
})

test('the query and URLs that are not of pages are unchanged', () => {
  assert.equal(rewritePageUrl('/pages/docs/a/b?next=/pages/x/y/links'), '/pages/docs/a%2Fb?next=/pages/x/y/links')
  assert.equal(rewritePageUrl('/pages/docs/a/b/links?limit=1'), '/pages/docs/a%2Fb/links?limit=1')
  assert.equal(rewritePageUrl('/pages/docs/a/b#c/links'), '/pages/docs/a%2Fb#c/links')
  const others = ['/pages', '/pages/', '/pages/docs', '/pages/personal', '/pages/recent?limit=1', '/pages/docs?a/b/c']
  for (const url of [...others, '/', '', '*', '/spaces/docs/links/broken', '/Pages/docs/a/b', '/pagesx/docs/a/b']) {
    assert.equal(rewritePageUrl(url), url)
  }
})

test('an absolute URL loses its origin', () => {
  assert.equal(rewritePageUrl('http://example.com:80/pages/docs/a/b/links'), '/pages/docs/a%2Fb/links')
  assert.equal(rewritePageUrl('HTTPS://example.com/spaces?limit=1'), '/spaces?limit=1')
  assert.equal(rewritePageUrl('http://example.com?/pages/docs/a/b'), '/?/pages/docs/a/b')
})

test('the URL rewrite never throws, is idempotent, and changes only slashes and the origin', () => {
  fc.assert(
    fc.property(fc.oneof(target, anyText), (url) => {
      const folded = rewritePageUrl(url)
      assert.equal(rewritePageUrl(folded), folded)
      const path = url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
      assert.equal(folded.replaceAll(/%2F/gi, '/'), path.replaceAll(/%2F/gi, '/'))
    }),
    { numRuns: 2000 },
  )
})

test('hostile targets take linear time', () => {
  for (const unit of ['/', '/versions', 'a/', '%', '?', 'http://', '%2F']) {
    const url = `/pages/docs/${unit.repeat(100_000)}`
    const start = performance.now()
    rewritePageUrl(url)
    rewritePageUrl(unit.repeat(100_000))
    assert.ok(performance.now() - start < 500, `${unit}: ${performance.now() - start} ms`)
  }
})

test('a router matches every sub-resource and decodes the page once', async () => {
  await using app = fastify({
    rewriteUrl: (req) => rewritePageUrl(req.url ?? '/'),
    routerOptions: { maxParamLength: 5000 },
  })
  app.get('/pages/:space/:path', (req) => ({ route: 'page', params: req.params }))
  for (const name of SUB_RESOURCES) {
    app.get(`/pages/:space/:path/${name}`, (req) => ({ route: name, params: req.params }))
  }
  const get = async (url: string) => (await app.inject(url)).json()
  for (const name of SUB_RESOURCES) {
    const { route, params } = await get(`/pages/docs/a%20b/%2525/c/${name.replace(':n', '3')}?x=1`)
    assert.equal(route, name)
    assert.equal(params.path, 'a b/%25/c')
    if (name.includes(':n')) assert.equal(params.n, '3')
  }
  assert.deepEqual(await get('/pages/docs/a%2Flinks'), { route: 'page', params: { space: 'docs', path: 'a/links' } })
  assert.deepEqual(await get('/pages/docs/a/%6Cinks'), { route: 'links', params: { space: 'docs', path: 'a' } })
  assert.deepEqual(await get('/pages/docs/links'), { route: 'page', params: { space: 'docs', path: 'links' } })
  assert.deepEqual(await get('/pages/docs/a//'), { route: 'page', params: { space: 'docs', path: 'a//' } })
})
