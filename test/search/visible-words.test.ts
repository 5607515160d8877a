import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage } from '@recto/markdown/analyse.ts'
import { CORPORA, corporaMissing, corpusFiles } from '../support/corpora.ts'
import { missingWords } from '../support/visible-words.ts'

/** Kinds of Markdown, each with the words that it shows. */
const KINDS: readonly (readonly [body: string, ...words: readonly string[]])[] = [
  ['|a|b|\n|-|-|\n|Zebrina|ext4711|', 'Zebrina', 'ext4711'],
  ['```xml\n<account id="k77"><owner/></account>\n```', '<account id="k77"><owner/></account>'],
  ['`Map<TenantId, AccountRow>`', 'Map<TenantId, AccountRow>'],
  ['Call `f[a](payloadarg)`', 'f[a](payloadarg)'],
  ['    [indented](code)', '[indented](code)'],
  ['See[^1]\n\n[^1]: One-line footnote', 'One-line', 'footnote'],
  ['text\n[key]: value', '[key]: value'],
  ['`a|grepword`', 'a|grepword'],
  ['p~tildeword', 'p~tildeword'],
  ['un<em>believe</em>able', 'unbelieveable'],
  ['un**believe**able', 'unbelieveable'],
  ['Stra&szlig;e &#x41;bc', 'Straße', 'Abc'],
  ['> [!TIP]\n> quoted', 'tip', 'quoted'],
  ['- [x] done\n1. first', 'done', 'first'],
  ['$a_b$ and\n$$\nxsum\n$$', 'a_b', 'xsum'],
  ['<table><tr><td>left<td>right</table>', 'left', 'right'],
  ['one<br>two', 'one', 'two'],
  ['![an alt](x.png)', 'an alt'],
  ['```mermaid\ngraph TD; Login-->Orders\n```', 'Login-->Orders'],
  ['<https://example.org/angle> www.example.org/bare', 'https://example.org/angle', 'www.example.org/bare'],
  ['a \\*escaped\\* b', '*escaped*'],
  ['<details><summary>more</summary>\n\ninside\n</details>', 'more', 'inside'],
  ['[ref][r]\n\n[r]: /x "t"', 'ref'],
  ['Setext\n===', 'Setext'],
  ['<script>let shown = 1</script>', 'let shown = 1'],
  ['a &lt;b&gt; &amp;amp; c', '<b>', '&amp;'],
]

test('the text of a page has what a reader sees, as it is shown, and no word of it is missing in the index', async () => {
  for (const [body, ...words] of KINDS) {
    const { text } = analysePage(body)
    for (const word of words) assert.ok(text.includes(word), `${JSON.stringify(text)} has no ${word}`)
    assert.deepEqual(await missingWords(body), [], body)
  }
  const { text } = analysePage('---\nsecret: 1\n---\n<!-- not this -->\n[ref]: /pages/x\n[^none]: unused\n')
  assert.equal(text.trim(), '')
})

test('the text knows the line of each part', () => {
  const { text, textLines } = analysePage('---\na: 1\n---\n# h\n\none\ntwo\n\n```\ncode\n```\n| a |\n|---|\n| cell |\n')
  const lines = Array.from({ length: textLines.length / 2 }, (_, n) => [
    text.slice(textLines[2 * n], textLines[2 * n + 2]).trim(),
    textLines[2 * n + 1],
  ])
  assert.deepEqual(lines, [
    ['h', 4],
    ['one\ntwo', 6],
    ['code', 10],
    ['a', 12],
    ['cell', 14],
  ])
})

/** Every page by hand, one in some otherwise. */
const EVERY = Number(process.env.RECTO_PAGES_EVERY ?? 25)

test('no word of real pages is missing', { skip: corporaMissing }, async () => {
  const bodies = CORPORA.flatMap((corpus) => [...corpusFiles(corpus)])
  const missing: string[] = []
  for (const [path, body] of bodies.filter((_, n) => n % EVERY === 0)) {
    const words = await missingWords(body.toString('utf8'))
    if (words.length > 0) missing.push(`${path}: ${words.slice(0, 5)}`)
  }
  assert.deepEqual(missing, [])
})
