import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderPage } from '../page.ts'
import { MarkdownEngine } from './engine.ts'

test('a body of the maximum size is processed', async () => {
  await using markdown = new MarkdownEngine({ cpuMs: 30_000 })
  const body = '# Large\n\n'.padEnd(1024 * 1024, 'A sentence with a [link](./x) and *emphasis*.\n\n')
  const [facts, page] = await Promise.all([markdown.analyse(body), markdown.render(body)])
  assert.equal(facts.title, 'Large')
  assert.equal(page.anchors.length, facts.links.length)
})

test('formula delimiters that open and never close take linear time', () => {
  for (const part of ['$a ', '$$\n', '$`a ', '$a$b', '> $$\n', '- $$\n', '$$a ', '\\$']) {
    const began = performance.now()
    renderPage(part.repeat(Math.ceil(200_000 / part.length)))
    assert.ok(performance.now() - began < 4_000, part)
  }
})
