import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { firstIdRange, type IdRange, LARGE_BASE, LARGE_BITS, nextIdRange, SMALL_BITS } from './id-ranges.ts'
import { indexedText } from './index-text.ts'
import { plainText } from './plain-text.ts'
import { parseQuery } from './query.ts'
import { packIds, unpackIds } from './shown-ids.ts'
import { snippetOf } from './snippet.ts'
import { foldWord, wordsOf } from './words.ts'

const words = (text: string) => [...wordsOf(text)].map(({ word }) => word)

test('words are folded: case, accents, and letters that only look accented', () => {
  assert.deepEqual(words('Crème BRÛLÉE, Łódź; Straße—Ærø İstanbul Ёлка'), [
    'creme',
    'brulee',
    'lodz',
    'strasse',
    'aero',
    'istanbul',
    'елка',
  ])
  assert.deepEqual(words('node.js snake_case x²'), ['node', 'js', 'snake', 'case', 'x2'])
})

test('scripts without spaces are taken apart into pairs of characters', () => {
  assert.deepEqual(words('日本語 と English混ぜ'), ['日本', '本語', '語', 'と', 'english', '混ぜ', 'ぜ'])
  assert.deepEqual(words('가나'), ['가나'])
})

test('folding twice is folding once, and words tell where they stand', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const { word, start, end } of wordsOf(text)) {
        assert.equal(foldWord(word), word)
        assert.ok(start < end && end <= text.length)
        assert.doesNotMatch(word, /[^\p{L}\p{N}\p{M}]/u)
      }
    }),
  )
})

test('queries are read as people type them', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['one two', `('one' & 'two':*)`],
    ['"one two" three', `(('one' <-> 'two') & 'three':*)`],
    ['one -two', `('one' & !('two'))`],
    ['one -"two three"', `('one' & !(('two' <-> 'three')))`],
    ['one or two three', `('one') | ('two' & 'three':*)`],
    ['node.js', `(('node' <-> 'js':*))`],
    ['日本語', `(('日本' <-> '本語'))`],
    ['語', `('語':*)`],
    ['a', `('a')`],
    ['-one', undefined],
    ['one or -two', `('one')`],
    ['"unclosed phrase', `(('unclosed' <-> 'phrase'))`],
    ['', undefined],
    ['" - " or !!!', undefined],
  ]
  for (const [q, expected] of cases) assert.equal(parseQuery(q).text, expected, q)
})

test('bodies are read without the signs of Markdown', () => {
  const body =
    '---\ntitle: hidden\n---\n# Head\n\nSee [the **guide**](./secret.md "t") <!-- not this -->\n\n- item `code` <b class="x">bold</b> <https://example.org/a>\n\n[ref]: /pages/x\n```js\nlet a\n```\n'
  const text = plainText(body).replace(/\s+/g, ' ').trim()
  assert.equal(text, 'Head See the guide item code bold <https://example.org/a> let a')
})

test('reading a body takes time in proportion to its length, whatever it is', async () => {
  for (const piece of [
    '[',
    '![',
    '<',
    '<a',
    '<!--',
    '](',
    '[a](',
    '`',
    '*',
    '\\',
    '---\n',
    '> ',
    '&',
    '[x]: ',
    'a_',
    '日',
  ]) {
    const body = piece.repeat(Math.ceil((1024 * 1024) / piece.length))
    const begun = performance.now()
    await indexedText('x', body)
    snippetOf(body, [{ word: 'none', prefix: true }])
    // A scan that begins anew at every character would take hours.
    assert.ok(performance.now() - begun < 20_000, piece)
  }
})

test('snippets show the words close together, marked, and escape everything else', () => {
  const body = `# Start\n\n${'filler text '.repeat(100)}\n\nHere <script>alert(1)</script> the "Quick" & brown fox.\n\n${'more filler '.repeat(100)}`
  const snippet = snippetOf(body, [
    { word: 'quick', prefix: false },
    { word: 'bro', prefix: true },
  ])
  assert.match(snippet, /^… .*&quot;<mark>Quick<\/mark>&quot; &amp; <mark>brown<\/mark> fox\..* …$/)
  assert.equal(
    snippetOf('我喜欢日本語学習。', [...parseQuery('日本語').words]),
    '我喜欢<mark>日本語</mark>学習。',
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, q) => {
      const safe = snippetOf(text, parseQuery(q).words).replace(/<mark>([^<>]*)<\/mark>/g, '$1')
      assert.doesNotMatch(safe, /[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
    }),
  )
})

test('what a query says without its prefixes is met by all that it finds', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['one two', `('one')`],
    ['one "two three"', `('one' & ('two' <-> 'three'))`],
    ['one two.three', `('one' & 'two')`],
    ['one -语', `('one')`],
    ['one or two', undefined],
    ['two -one', `('two' & !('one'))`],
    ['two', undefined],
    ['a -two', `('a' & !('two'))`],
    ['语 -two', undefined],
    ['', undefined],
  ]
  for (const [q, expected] of cases) assert.equal(parseQuery(q).loose, expected, q)
})

/** The stretches below an id, when so many matches are found in each. */
function stretchesBelow(end: number, amounts: Iterator<number>): IdRange[] {
  const stretches = [firstIdRange(end)]
  let found = 0
  for (;;) {
    const last = stretches.at(-1)
    found = Math.min(2000, found + (amounts.next().value ?? 0))
    const next = last && nextIdRange(last, end - last.low, { found, wanted: 2000 })
    if (!next) return stretches
    stretches.push(next)
  }
}

test('stretches cover all pages once, from the newest to the oldest', () => {
  const amounts = fc.infiniteStream(fc.integer({ min: 0, max: 2000 }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000_000 }), amounts, (end, amounts) => {
      let at = end
      for (const { low, below, groups } of stretchesBelow(end, amounts)) {
        assert.ok(below === at && low < below)
        at = low
        if (!groups) continue
        const large = (groups[0] ?? 0) >= LARGE_BASE
        const [bits, base] = large ? [LARGE_BITS, LARGE_BASE] : [SMALL_BITS, 0]
        const [first, last] = [low, below - 1].map((id) => base + Math.floor(id / 2 ** bits))
        assert.deepEqual([groups[0], groups.at(-1)], [first, last])
        assert.equal(groups.length, (last ?? 0) - (first ?? 0) + 1)
      }
      assert.equal(at, 0)
    }),
  )
})

test('ids of a cursor are read as they were packed, and as many as fit', () => {
  const ids = fc.uniqueArray(fc.maxSafeNat(), { maxLength: 300 })
  fc.assert(
    fc.property(ids, fc.nat(600), (ids, maxBytes) => {
      const sorted = ids.toSorted((a, b) => a - b)
      assert.deepEqual(unpackIds(packIds(ids, Infinity).text), sorted)
      const { text, fits } = packIds(ids, maxBytes)
      assert.ok(Buffer.byteLength(text, 'base64') <= maxBytes)
      const read = unpackIds(text)
      assert.deepEqual(read, sorted.slice(0, read.length))
      assert.equal(fits, read.length === ids.length)
    }),
  )
})
