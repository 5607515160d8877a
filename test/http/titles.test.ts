import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  await service.admin.space('secret', { visibility: 'private' })
  const pages = [
    ['docs/guide', '# Guide'],
    ['docs/guide/deploy', '# Deployment guide'],
    ['docs/guide/deploy-old', '# How we deployed before'],
    ['docs/ops/run_book.v2', '# Night shift'],
    ['docs/menu', '# Crème brûlée & more'],
    ['docs/nihon', '# 日本語の文法'],
    ['docs/it%27s', "# It's <b>`odd`</b> \\ 'quoted'"],
    ['secret/guide', '# Guide to the vault'],
  ]
  for (const [path = '', body = ''] of pages) {
    assertStatus(await service.admin.put(`/pages/${path}`, body), 201)
  }
})
after(() => service[Symbol.asyncDispose]())

async function offered(q: string, more = '', client: Client = service.admin): Promise<string[]> {
  const answer = assertStatus(await client.get(`/titles?q=${encodeURIComponent(q)}${more}`), 200)
  return answer.json.items.map((page: { path: string }) => page.path)
}

test('an equal title is first, then titles with this prefix, then the others', async () => {
  assert.deepEqual(await offered('guide', '&space=docs'), ['guide', 'guide/deploy', 'guide/deploy-old'])
  assert.deepEqual(await offered('Deploym', '&space=docs'), ['guide/deploy'])
  assert.deepEqual(await offered('dep gui', '&space=docs'), ['guide/deploy', 'guide/deploy-old'])
})

test('titles match regardless of case and accents, also in scripts without spaces', async () => {
  assert.deepEqual(await offered('CREME bru'), ['menu'])
  assert.deepEqual(await offered('文法'), ['nihon'])
  assert.deepEqual(await offered(`<b>'odd' \\`), ["it's"])
})

test('a path matches by its prefix and by its words', async () => {
  assert.deepEqual(await offered('guide/deploy-'), ['guide/deploy-old', 'guide/deploy'])
  assert.deepEqual(await offered('book'), ['ops/run_book.v2'])
  assert.deepEqual(await offered('v2 run'), ['ops/run_book.v2'])
})

test('an item has the URL of its page', async () => {
  const { items } = (await service.admin.get('/titles?q=vault')).json
  assert.deepEqual(items, [{ space: 'secret', path: 'guide', title: 'Guide to the vault', url: '/pages/secret/guide' }])
})

test('an empty query returns the latest changes', async () => {
  assertStatus(await service.admin.put('/pages/docs/menu', '# Crème', { 'if-match': '*' }), 200)
  assert.equal((await offered('', '&limit=3')).length, 3)
  assert.equal((await offered(''))[0], 'menu')
  assert.equal((await offered('  '))[0], 'menu')
})

test('pages that the caller cannot read, or in the trash, are not returned', async () => {
  const ann = await newPerson(service.admin, 'Ann')
  assert.deepEqual(await offered('vault', '', ann.client), [])
  assert.ok(!(await offered('', '', ann.client)).includes('secret'))
  assertProblem(await ann.client.get('/titles?q=a&space=secret'), 404, 'not_found')
  assertStatus(await service.admin.delete('/pages/docs/nihon', { 'if-match': '*' }), 204)
  assert.deepEqual(await offered('日本'), [])
})

test('any text is a valid query', async () => {
  for (const q of ["'", '\\', '!&|():*', ':*', '%', '\ud83d\ude00', 'a'.repeat(300), '"<->"', '﷽']) {
    assertStatus(await service.admin.get(`/titles?q=${encodeURIComponent(q)}`), 200)
  }
  assertProblem(await service.admin.get('/titles?q=%00'), 400, 'invalid_request')
  assertProblem(await service.admin.get('/titles?limit=51'), 400, 'invalid_request')
})

test('beyond the number of compared matches the results are sorted by title and path only', async () => {
  const { admin } = service
  const names = ['plumage', ...Array.from({ length: 205 }, (_, n) => `part${n}/kestrel-${n % 7}/notes`), 'roost']
  const pages = names.map((path, n) => ({ path, body: `# ${'Feather '.repeat(1 + (n % 5))}${n}` }))
  for (const slug of ['birds', 'more-birds']) {
    await admin.space(slug)
    const space = { slug, name: slug, description: '' }
    const bundle = { format: 'page-bundle', formatVersion: 1, space, pages }
    assertStatus(await admin.post(`/spaces/${slug}/import`, bundle), 200)
  }
  // What fits best was written last, and first.
  assertStatus(await admin.put('/pages/birds/roost', '# Feather', { 'if-match': '*' }), 200)
  assertStatus(await admin.put('/pages/more-birds/plumage', '# Feathers', { 'if-match': '*' }), 200)
  assert.deepEqual((await offered('feather')).slice(0, 2), ['roost', 'plumage'])
  assert.deepEqual((await offered('feath')).slice(0, 2), ['roost', 'plumage'])
  const expected = names.filter((path) => path.startsWith('part')).sort()
  const listed = (await admin.get('/titles?q=kestrel&limit=50&space=birds')).json.items
  const lengths = (items: readonly { readonly title: string }[]) => items.map(({ title }) => title.length)
  const titles = pages.filter(({ path }) => path.startsWith('part')).map(({ body }) => ({ title: body.slice(2) }))
  assert.deepEqual(
    lengths(listed),
    lengths(titles)
      .sort((a, b) => a - b)
      .slice(0, 50),
  )
  // The order in which rows were written is none of the rule.
  for (const path of expected.slice(0, 8)) {
    const before = assertStatus(await admin.get(`/pages/birds/${path}.md`), 200).text
    assertStatus(await admin.put(`/pages/birds/${path}`, before, { 'if-match': '*' }), 200)
  }
  const again = (await admin.get('/titles?q=kestrel&limit=50&space=birds')).json.items
  assert.deepEqual(lengths(again), lengths(listed))
})
