import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage } from '@recto/markdown/analyse.ts'
import { anyText, fc, rounds } from '../../../../../test/support/property.ts'
import { vectorText } from '../../../../../test/support/vector-text.ts'
import {
  firstIdRange,
  type IdRange,
  isShort,
  LARGE_BASE,
  LARGE_BITS,
  nextIdRange,
  SMALL_BITS,
  sampleRange,
} from './id-ranges.ts'
import { indexedText, targetNames } from './index-text.ts'
import { parseQuery, wordsToShow } from './query.ts'
import { packIds, unpackIds } from './shown-ids.ts'
import { listHeadings } from './snippets/headings.ts'
import { snippetMaker } from './snippets/snippet.ts'
import { toTsquery } from './tsquery.ts'
import { foldWord, splitWords } from './words.ts'

/** The highlighted words of a snippet. */
const highlight = (q: string, languages = ['en']) => {
  return { words: wordsToShow(parseQuery(q, languages)), languages }
}
const words = (text: string) => [...splitWords(text)].map(({ word }) => word)

test('word normalisation removes case and accents, also of letters without a decomposition', () => {
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

test('scripts without spaces are tokenised into bigrams', () => {
  assert.deepEqual(words('日本語 と English混ぜ'), ['日本', '本語', '語', 'と', 'english', '混ぜ', 'ぜ'])
  assert.deepEqual(words('가나'), ['가나'])
})

test('word normalisation is idempotent, and words have their offsets in the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const { word, start, end } of splitWords(text)) {
        assert.equal(foldWord(word), word)
        assert.ok(start < end && end <= text.length)
        assert.doesNotMatch(word, /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Regional_Indicator}]/u)
      }
    }),
  )
})

test('emoji are tokens', () => {
  assert.deepEqual(words('Ship it 🚀🎉 now👍🏽 ©'), ['ship', 'it', '🚀', '🎉', 'now', '👍'])
})

test('a page is indexed by words and stems, and by the parts of names and names as one word', async () => {
  const index = async (body: string, frontmatter = {}) =>
    vectorText(
      (
        await indexedText({
          path: 'docs/set-up',
          title: 'T',
          facts: { ...analysePage(body), frontmatter },
          language: 'en',
        })
      ).all,
    )
  const all = await index('Policies of Get-ChildItem, getUserById, v2.4.1 and COVID-19 are 0a1b2c3d')
  for (const word of [
    'policies',
    'polici',
    'get',
    'childitem',
    'child',
    'item',
    'getchilditem',
    'user',
    'id',
    'v241',
    'covid19',
  ])
    assert.ok(all.includes(`'${word}':`), word)
  for (const word of ['a', 'b', '0']) assert.ok(!all.includes(`'${word}':`), word)
  for (const word of ['docs', 'set', 'setup']) assert.ok(all.includes(`'${word}':`), word)
  const more = { tags: ['Red tape'], aliases: 'Prozedere, x', description: 'How to', lang: 'de' }
  const german = await index('Häuser', more)
  for (const word of ['hauser', 'haus', 'tape', 'prozedere', 'how']) assert.ok(german.includes(`'${word}':`), word)
  assert.ok((await index('Häuser', { lang: 'none' })).includes("'hauser':"))
  assert.ok(!(await index('Policies', { lang: 'none' })).includes("'polici':"))
})

test('the headings of a body are found without parsing all of it', () => {
  const body = '---\n# no: 1\n---\n# One\ntext\n```\n# no\n```\nTwo\n---\nmore\n## [Three &amp; *four*](x) ##\nend\n'
  assert.deepEqual(listHeadings(body), ['One', 'Two', 'Three & four'])
})

test('a query is parsed into a tsquery: words, phrases, exclusions, or, and a last prefix', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['one two', `('one' & 'two':*)`],
    ['"one two" three', `(('one' <-> 'two') & 'three':*)`],
    ['one -two', `('one' & !('two'))`],
    ['one -"two three"', `('one' & !(('two' <-> 'three')))`],
    ['one or two three', `('one') | ('two' & 'three':*)`],
    ['node.js', `((('node' <-> 'js':*) | 'nodejs':*))`],
    ['one AND two', `('one' & 'two':*)`],
    ['getUserId', `(('getuserid':* | ('get' & 'user' & 'id')))`],
    ['日本語', `(('日本' <-> '本語'))`],
    ['語', `('語':*)`],
    ['a', `('a')`],
    ['-one', undefined],
    ['one --two', `('one' & 'two':*)`],
    ['one or -two', `('one')`],
    ['"unclosed phrase', `(('unclosed' <-> 'phrase'))`],
    ['', undefined],
    ['" - " or !!!', undefined],
  ]
  for (const [q, expected] of cases) assert.equal(toTsquery(parseQuery(q, []), 'any'), expected, q)
})

test('the names of targets are found, without folders, queries and fragments: of files, and of own pages', () => {
  const body =
    '![a](x/plan.pdf) [b](./a/b.png?x=1.2) [c](d.md) [e](i.txt "title") [f](https://example.org/z.jpg#q) [g](no/stra%C3%9Fe) [h](https://example.org/elsewhere) [i](#here)'
  assert.deepEqual(targetNames(analysePage(body)), ['b.png', 'd', 'i.txt', 'z.jpg', 'straße', 'plan.pdf'])
})

test('a snippet shows the densest matches in <mark> and escapes everything else', () => {
  const body = `# Start\n\n${'filler text '.repeat(100)}\n\nHere <script>alert(1)</script> the "Quick" & brown fox.\n\n${'more filler '.repeat(100)}`
  const snippet = snippetMaker(highlight('quick bro'))(body)
  assert.match(snippet.html, /^… .*&quot;<mark>Quick<\/mark>&quot; &amp; <mark>brown<\/mark> fox\..* …$/)
  assert.deepEqual([snippet.line, snippet.heading], [5, 'Start'])
  assert.equal(snippetMaker(highlight('日本語'))('我喜欢日本語学習。').html, '我喜欢<mark>日本語</mark>学習。')
  fc.assert(
    fc.property(anyText, fc.string(), (text, q) => {
      const safe = snippetMaker(highlight(q))(text).html.replace(/<mark>([^<>]*)<\/mark>/g, '$1')
      assert.doesNotMatch(safe, /[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
    }),
  )
})

test('the query without its prefixes matches more', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['one two', `('one')`],
    ['one "two three"', `('one' & ('two' <-> 'three'))`],
    ['one two.three', `('one')`],
    ['one two/three', `('one' & 'two')`],
    ['one -语', `('one')`],
    ['one or two', undefined],
    ['two -one', `('two' & !('one'))`],
    ['two', undefined],
    ['a -two', `('a' & !('two'))`],
    ['语 -two', undefined],
    ['', undefined],
  ]
  for (const [q, expected] of cases) assert.equal(toTsquery(parseQuery(q, []), 'complete'), expected, q)
})

/** The ranges below an id from a first one on, if each has this many matches. */
function rangesFrom(first: IdRange, amounts: Iterator<number>): IdRange[] {
  const ranges = [first]
  const end = first.below
  let found = 0
  for (;;) {
    const last = ranges.at(-1)
    found = Math.min(2000, found + (amounts.next().value ?? 0))
    const next = last && nextIdRange(last, end - last.low, { found, wanted: 2000 })
    if (!next) return ranges
    ranges.push(next)
  }
}

test('id ranges cover every page id exactly once, from the newest to the oldest', () => {
  const amounts = fc.infiniteStream(fc.integer({ min: 0, max: 2000 }))
  const begin = fc.constantFrom(firstIdRange, sampleRange)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000_000 }), begin, amounts, (end, begin, amounts) => {
      let at = end
      for (const { low, below, partitions } of rangesFrom(begin(end), amounts)) {
        assert.ok(below === at && low < below)
        at = low
        if (!partitions) continue
        const large = (partitions[0] ?? 0) >= LARGE_BASE
        const [bits, base] = large ? [LARGE_BITS, LARGE_BASE] : [SMALL_BITS, 0]
        const [first, last] = [low, below - 1].map((id) => base + Math.floor(id / 2 ** bits))
        assert.deepEqual([partitions[0], partitions.at(-1)], [first, last])
        assert.equal(partitions.length, (last ?? 0) - (first ?? 0) + 1)
      }
      assert.equal(at, 0)
    }),
    { numRuns: rounds(40) },
  )
})

test('a sample with some matches is completed to the first range; with fewer the index is asked for all others', () => {
  const sample = sampleRange(1_000_000)
  assert.equal(sample.below - sample.low, 1024)
  const after = (found: number) => nextIdRange(sample, 1024, { found, wanted: 1000 })
  const rest = after(4)
  assert.ok(rest && isShort(rest))
  assert.deepEqual([rest.low, rest.below], [firstIdRange(1_000_000).low, sample.low])
  for (const found of [0, 3]) assert.deepEqual(after(found), { low: 0, below: sample.low, partitions: undefined })
})

test('the last range names no partitions if it has most of the pages: each match would be looked up in all of them', () => {
  const first = firstIdRange(1_000_000)
  const last = nextIdRange({ ...first, low: 900_000 }, 100_000, { found: 20, wanted: 2000 })
  assert.deepEqual(last, { low: 0, below: 900_000, partitions: undefined })
  const rest = nextIdRange({ ...first, low: 100_000 }, 900_000, { found: 20, wanted: 2000 })
  assert.equal(rest?.partitions?.length, 2)
})

test('packed ids are unpacked unchanged, as many as fit into the limit', () => {
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

test('the length of packed ids does not reveal how many other pages are between them', () => {
  for (const count of [1, 20, 50, 200, 2000]) {
    const lengths = [1, 100, 1000, 15_000].map((gap) => {
      const { text } = packIds(
        Array.from({ length: count }, (_, n) => 1 + n * gap),
        4352,
      )
      assert.equal(unpackIds(text).length, count)
      return text.length
    })
    assert.equal(new Set(lengths).size, 1, `${count} ids: ${lengths}`)
  }
})
