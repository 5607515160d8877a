import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileNames } from './plain-text.ts'

test('the names of files in targets are found, without folders, queries and fragments, and not those of pages', () => {
  const body =
    '![a](x/plan.pdf) [b](./a/b.png?x=1.2) [c](d.md) [e](i.txt "title") [f](https://example.org/z.jpg#q) [g](no/extension)'
  assert.deepEqual(fileNames(body), ['plan.pdf', 'b.png', 'i.txt', 'z.jpg'])
})
