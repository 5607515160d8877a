import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const write = async (path: string, body: string) =>
  assertStatus(await service.admin.put(`/pages/docs/${path}`, body), 201).json

test('a definition with a scheme that is not allowed affects no link after it', async () => {
  await write(
    'definitions',
    'See [phone], [bug], [js], [next] and ![pic][js].\n\n[phone]: tel:123\n[bug]: xref:1\n[js]: javascript:alert(1)\n[next]: ./next.md\n',
  )
  const { json } = await service.admin.get('/pages/docs/definitions/links')
  assert.deepEqual(
    json.outbound.map(({ path, line }: { path: string; line: number }) => [path, line]),
    [['next', 1]],
  )
  const { text } = await service.admin.get('/pages/docs/definitions', { accept: 'text/html' })
  assert.match(text, /<p>See <a href="tel:123">phone<\/a>, bug, js, <a [^>]*>next<\/a> and pic\.<\/p>/)
})

test('front matter that is not YAML is front matter, and no heading', async () => {
  const page = await write('bad', '---\n: : bad [\n---\ntext\n')
  assert.equal(page.title, 'bad')
  const read = (await service.admin.page('/pages/docs/bad')).json
  assert.deepEqual(read.frontmatter, {})
  const { text } = await service.admin.get('/pages/docs/bad', { accept: 'text/html' })
  assert.ok(!text.includes('bad ['))
})

test('the title is that of the front matter, else the first heading of level 1, else the last segment', async () => {
  assert.equal((await write('a/one', '---\ntitle: Mine\n---\n# Other')).title, 'Mine')
  assert.equal((await write('a/two', '## Abstract\n\n# Two\n\n# Three')).title, 'Two')
  assert.equal((await write('a/three', '## Abstract\n\ntext')).title, 'three')
})

test('a page of 200,000 headings is written and read', async () => {
  const body = '# a\n'.repeat(200_000)
  await write('headings', body)
  const html = assertStatus(await service.admin.get('/pages/docs/headings', { accept: 'text/html' }), 200).text
  assert.match(html, /<p class="notice" role="note">\s*This page is too complex to be shown as HTML\./)
  assert.equal((await service.admin.get('/pages/docs/headings.md')).text, body)
})
