import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage } from '@recto/markdown/page.ts'
import { fc } from '../../../../../test/support/property.ts'
import { removeLinksFrom } from './remove-links.ts'

const markdown = { analyse: async (body: string) => analysePage(body) }
const unlink = (body: string) => removeLinksFrom(markdown, body, (href) => href === './gone' || href === './a(b)')

test('a link is replaced by its text, and all other bytes are unchanged', async () => {
  assert.equal(
    await unlink('See [the **old** page](./gone "Title") and [kept](./kept).\r\n'),
    'See the **old** page and [kept](./kept).\r\n',
  )
  assert.equal(await unlink('[a](<./gone>) [b [c]](./gone) [d](./a(b))'), 'a b [c] d')
  assert.equal(await unlink('[![image](./i.png)](./gone)'), '![image](./i.png)')
})

test('code, images and reference links are unchanged', async () => {
  assert.equal(await unlink('`[a](./gone)` and [b](./gone)'), '`[a](./gone)` and b')
  for (const body of ['`[a](./gone)`', '![a](./gone)', '[a][r]\n\n[r]: ./gone', '<a href="./gone">a</a>', 'none'])
    assert.equal(await unlink(body), undefined, body)
})

test('in any body no other link is lost', async () => {
  const part = fc.constantFrom(
    '[a](./gone)',
    '[b](./kept)',
    '`',
    '[',
    ']',
    '(',
    ')',
    '!',
    '\\',
    ' ',
    '\n',
    '\n\n',
    'x',
    '*',
    '<',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 14 }), async (parts) => {
      const body = parts.join('')
      const after = await unlink(body)
      if (after === undefined) return
      const kept = (text: string) =>
        analysePage(text)
          .links.filter(({ href }) => href !== './gone')
          .map(({ href }) => href)
      assert.deepEqual(kept(after), kept(body))
    }),
    { numRuns: 500 },
  )
})

test('hostile bodies take time in proportion to their length', async () => {
  for (const piece of ['[', '](', '[a](', '](./gone', '[a](./gone "', '\\[']) {
    const began = performance.now()
    await removeLinksFrom({ analyse: async () => analysePage('') }, piece.repeat(100_000), (href) => href === './gone')
    assert.ok(performance.now() - began < 10_000, piece)
  }
})
