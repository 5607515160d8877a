import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderPage } from '../page.ts'
import { MarkdownEngine } from './engine.ts'
import { packLists, unpackLists } from './large-lists.ts'

test('an object with lists of any length is the same after it was packed and unpacked', async () => {
  for (const length of [0, 1, 2_000, 2_001, 6_500]) {
    const given = {
      title: undefined,
      front: { a: [1] },
      list: Array.from({ length }, (_, n) => ({ n, text: `ü${n}` })),
    }
    assert.deepEqual(await unpackLists(structuredClone(packLists(given))), given)
  }
})

test('a page with 20,000 links is rendered as on the main thread, and the event loop turns meanwhile', async () => {
  await using markdown = new MarkdownEngine()
  const body = '[a](./b) '.repeat(20_000)
  let turns = 0
  let answered = false
  const count = () => {
    turns++
    if (!answered) setImmediate(count)
  }
  setImmediate(count)
  const page = await markdown.render(body)
  answered = true
  assert.deepEqual(page, renderPage(body))
  assert.ok(turns > 20, `${turns} turns`)
})
