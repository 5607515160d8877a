import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs', { name: 'The <Docs>' })
})
after(() => service[Symbol.asyncDispose]())

test('a page is a complete document with language and title, and loads only from its origin', async () => {
  await service.admin.put(
    '/pages/docs/guide/start',
    '# Start & more\n\n## One\n\n## Two\n\n### Three\n\n[link](./other)',
  )
  const { text, headers } = assertStatus(await service.admin.get('/pages/docs/guide/start'), 200)
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
  assert.match(text, /<title>Start &amp; more · The &lt;Docs&gt;<\/title>/)
  assert.match(text, /<nav class="contents beside-text" aria-label="On this page">/)
  assert.match(text, /<link rel="alternate" type="text\/markdown" href="\/pages\/docs\/guide\/start\.md">/)
  assert.doesNotMatch(
    text,
    /<script(?! (?:type="module" )?src="\/assets\/[\w.]+"(?: fetchpriority="low")?><\/script>)|<style| style=| on\w+=|https?:\/\//,
  )
  const sheet = /<link rel="stylesheet" href="([^"]+)">/.exec(text)?.[1] ?? ''
  const asset = assertStatus(await service.nobody.get(sheet), 200)
  assert.match(asset.headers.get('content-type') ?? '', /^text\/css/)
  assert.match(asset.headers.get('cache-control') ?? '', /immutable/)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
})

test('an old version says so and links to the latest', async () => {
  await service.admin.put('/pages/docs/old', 'one')
  await service.admin.put('/pages/docs/old', 'two', { 'if-match': '"1"' })
  const old = await service.admin.get('/pages/docs/old?version=1')
  assert.match(old.text, /This is version 1 of 2\. <a href="\/pages\/docs\/old">/)
  assert.doesNotMatch((await service.admin.get('/pages/docs/old')).text, /This is version/)
})

test('the ETag of a document changes with everything it shows', async () => {
  await service.admin.put('/pages/docs/tagged', 'same')
  const before = (await service.admin.get('/pages/docs/tagged')).headers.get('etag')
  await service.admin.patch('/spaces/docs', { name: 'Renamed' })
  const after = (await service.admin.get('/pages/docs/tagged')).headers.get('etag')
  assert.notEqual(before, after)
})

test('every kind of response has security headers', async () => {
  for (const path of ['/pages/docs/old', '/pages/docs/old.md', '/me', '/nothing', '/healthz']) {
    const { headers } = await service.admin.get(path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'same-origin')
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  }
})

test('a document is gzipped if accepted, with its own ETag', async () => {
  await service.admin.put('/pages/docs/zipped', `# Zipped\n\n${'many words '.repeat(500)}`)
  const ask = (encoding: string, more = {}) =>
    service.admin.get('/pages/docs/zipped', { accept: 'text/html', 'accept-encoding': encoding, ...more })
  const [zipped, plain] = [await ask('br;q=1, gzip'), await ask('gzip;q=0')]
  assert.equal(zipped.headers.get('content-encoding'), 'gzip')
  assert.equal(plain.headers.get('content-encoding'), null)
  assert.equal(zipped.text, plain.text)
  assert.equal(zipped.headers.get('etag'), plain.headers.get('etag')?.replace(/"$/, '-gzip"'))
  assert.match(zipped.headers.get('vary') ?? '', /accept-encoding/i)
  const known = assertStatus(await ask('gzip', { 'if-none-match': zipped.headers.get('etag') ?? '' }), 304)
  assert.equal(known.headers.get('content-encoding'), null)
})

test('the browser compiles the scripts of a screen while it downloads them', async () => {
  const { text } = await service.admin.get('/edit/docs/old', { accept: 'text/html' })
  const scripts = [...text.matchAll(/<script [^>]*src="([^"]+\.js)"/g)].map(([, source = '']) => source)
  assert.ok(scripts.some((path) => path.includes('/editor.')))
  for (const path of scripts.filter((each) => !each.includes('/appearance.'))) {
    assert.match((await service.admin.get(path)).text, /^\/\/# allFunctionsCalledOnLoad\n/, path)
  }
})

test('a 304 keeps the Content Security Policy of the cached document', async () => {
  const { headers } = assertStatus(await service.admin.get('/pages/docs/old', { accept: 'text/html' }), 200)
  const known = { accept: 'text/html', 'if-none-match': headers.get('etag') ?? '' }
  const answer = assertStatus(await service.admin.get('/pages/docs/old', known), 304)
  assert.equal(answer.headers.get('content-security-policy'), null)
})

test('/docs lists every operation, and each has a screen with its parameters, an example and its errors', async () => {
  const { text } = assertStatus(await service.nobody.get('/docs'), 200)
  const { paths } = (await service.nobody.get('/openapi.json')).json
  const methods: { operationId: string }[] = Object.values<object>(paths).flatMap(Object.values)
  for (const { operationId } of methods) assert.ok(text.includes(`href="/docs/${operationId}"`), operationId)
  const put = assertStatus(await service.nobody.get('/docs/pages.put'), 200).text
  assert.match(put, /<code>If-Match<\/code>.*<code>note<\/code>.*precondition_failed/s)
  assert.match(put, /curl -X PUT .*First draft.*\/pages\/docs\/guide%2Fstart/s)
  assertProblem(await service.nobody.get('/docs/pages.nothing'), 404, 'not_found')
})

test('a module that several islands share is preloaded once', async () => {
  for (const url of ['/pages/docs/guide/start', '/browse/docs', '/edit/docs/guide/start']) {
    const { text } = assertStatus(await service.admin.get(url, { accept: 'text/html' }), 200)
    const preloads = [...text.matchAll(/<link rel="modulepreload" href="([^"]+)"[^>]*>/g)].map(([, href]) => href)
    assert.ok(preloads.length > 0)
    assert.deepEqual(preloads, [...new Set(preloads)], url)
  }
})

test('the start screen lists spaces and recent changes, a space lists its pages', async () => {
  assert.match(assertStatus(await service.admin.get('/'), 200).text, /<a class="cover" href="\/open\/docs">/)
  assert.match(
    assertStatus(await service.admin.get('/browse/docs'), 200).text,
    /<a href="\/pages\/docs\/guide\/start">/,
  )
  assertProblem(await service.admin.get('/browse/nowhere'), 404, 'not_found')
  assertProblem(await service.nobody.get('/'), 401, 'unauthorized')
})

test('an asset that does not exist is 404', async () => {
  for (const name of ['recto.css', 'nothing.css', '..%2F..%2Fpackage.json']) {
    assertProblem(await service.nobody.get(`/assets/${name}`), 404, 'not_found')
  }
})
