import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service

before(async () => {
  service = await startService()
  const { admin } = service
  await admin.space('docs', { name: 'The [docs]' })
  await admin.space('secret', { visibility: 'private' })
  for (const [page, body] of [
    ['docs/guide', '---\ntitle: The guide\n---\n# Guide\n\nIntro.\n'],
    ['docs/guide/start', '# Start [here]\n\nFirst.\n'],
    ['docs/guide-old', '# Old guide\n'],
    ['docs/other', '# Other\n'],
    ['docs/no-page/child', '# Child\n'],
    ['secret/plan', '# Plan\n'],
  ]) {
    assertStatus(await admin.put(`/pages/${page}`, body as string), 201)
  }
})
after(() => service[Symbol.asyncDispose]())

const get = (path: string, by = service.admin) => by.get(path)

test('a page and all below it are one Markdown document with a table of contents', async () => {
  const { address } = service.app
  const answer = assertStatus(await get('/pages/docs/guide?format=md'), 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/markdown/)
  assert.equal(
    answer.text,
    `# The docs: guide

## Contents

1. [The guide](#page-1): guide
2. [Start here](#page-2): guide/start

---

<a id="page-1"></a>

Page docs/guide, version 1: <${address}/pages/docs/guide>

# Guide

Intro.

---

<a id="page-2"></a>

Page docs/guide/start, version 1: <${address}/pages/docs/guide/start>

# Start [here]

First.
`,
  )
})

test('a folder without a page of its own is a subtree, too; a page that is not there is 404', async () => {
  assert.match(assertStatus(await get('/pages/docs/no-page?format=md'), 200).text, /\[Child\]/)
  assertProblem(await get('/pages/docs/none?format=md'), 404, 'not_found')
  const to = { path: 'moved' }
  assertStatus(await service.admin.post('/pages/docs/other/move', { to }, { 'if-match': '"1"' }), 200)
  assert.equal((await get('/pages/docs/other?format=md')).status, 308)
})

test('the list of pages has the document of a prefix, or of the whole space', async () => {
  const titles = async (path: string) =>
    [...assertStatus(await get(path), 200).text.matchAll(/^\d+\. \[([^\]]*)\]/gm)].map(([, title]) => title)
  assert.deepEqual(await titles('/spaces/docs/pages?format=md&prefix=guide'), ['The guide', 'Old guide', 'Start here'])
  assert.equal((await titles('/spaces/docs/pages?format=md')).length, 5)
  assert.match((await get('/pages/personal?format=md')).text, /No pages\./)
})

test('a subtree is limited to the pages that the caller can read', async () => {
  const visitor = await newPerson(service.admin, 'visitor')
  const answers = ['secret', 'none'].map((space) => `/spaces/${space}/pages?format=md`)
  for (const path of [...answers, '/pages/secret/plan?format=md', '/pages/none/plan?format=md']) {
    assertProblem(await get(path, visitor.client), 404, 'not_found')
  }
})

test('a long subtree is bounded, and its parts together have every page once', async () => {
  const text = 'A sentence of some length that is here for its length.\n'.repeat(1_000)
  const pages = Array.from({ length: 9 }, (_, n) => ({ path: `long/${n}`, body: `# Long ${n}\n\n${text}` }))
  pages.push({ path: 'long/huge', body: `# Huge\n\n${'x'.repeat(300_000)}` })
  const bundle = {
    format: 'page-bundle',
    formatVersion: 1,
    space: { slug: 'docs', name: 'docs', description: '' },
    pages,
  }
  assertStatus(await service.admin.post('/spaces/docs/import', bundle), 200)
  const paths: string[] = []
  let parts = 0
  for (let url: string | undefined = '/pages/docs/long?format=md'; url !== undefined; parts++) {
    const answer = assertStatus(await get(url), 200)
    assert.ok(answer.text.length < 205_000, `${answer.text.length} characters`)
    paths.push(...[...answer.text.matchAll(/^Page docs\/(\S+), version/gm)].map(([, path]) => path as string))
    const next = /Truncated\. Continue: <([^>]*)>/.exec(answer.text)?.[1]
    assert.equal(/<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1], next)
    if (answer.text.includes('# Huge')) {
      assert.match(answer.text, /Truncated\. The whole page: <[^>]*\/pages\/docs\/long\/huge\.md>/)
    }
    url = next?.slice(service.app.address.length)
  }
  assert.deepEqual(
    paths,
    pages.map(({ path }) => path),
  )
  assert.ok(parts >= 4)
})

test('parameters that do not fit together are rejected', async () => {
  for (const query of ['format=md&version=1', 'cursor=x', 'format=html']) {
    assertProblem(await get(`/pages/docs/guide?${query}`), 400, 'invalid_request')
  }
  assertProblem(await get('/pages/docs/guide?format=md&cursor=x'), 400, 'invalid_cursor')
})

test('llms.txt describes the service to everybody, and lists what the caller can read', async () => {
  const { address } = service.app
  const anonymous = assertStatus(await service.nobody.get('/llms.txt'), 200)
  assert.match(anonymous.headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(anonymous.text, /^# Recto\n\n> /)
  assert.ok(anonymous.text.includes(`${address}/mcp`))
  assert.doesNotMatch(anonymous.text, /docs\/guide|secret|## Spaces/)

  const own = assertStatus(await get('/llms.txt'), 200).text
  assert.ok(own.startsWith(anonymous.text.slice(0, 300)))
  assert.ok(own.includes(`- [The docs](${address}/spaces/docs/pages?format=md)`))
  assert.ok(own.includes(`- [Plan](${address}/pages/secret/plan.md): secret/plan`))
  const visitor = await newPerson(service.admin, 'reader')
  const theirs = assertStatus(await get('/llms.txt', visitor.client), 200).text
  assert.match(theirs, /pages\/docs\/guide\.md/)
  assert.doesNotMatch(theirs, /secret/)
  assert.equal((await service.as('svc_wrong').get('/llms.txt')).status, 401)
})
