import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertHarmless } from '../../test/support/html-audit.ts'
import { analysePage, renderPage } from './page.ts'
import { sanitise } from './sanitise.ts'

const SIZE = 64 * 1024
const rows = (count: number) => Array.from({ length: count }, (_, index) => index)
const filled = (pattern: string) => pattern.repeat(Math.ceil(SIZE / pattern.length)).slice(0, SIZE)

/** Patterns that take quadratic time somewhere when nobody has thought of them. */
const PATTERNS = [
  '*a_ ',
  '**a ',
  '**x*',
  '_',
  '[',
  '![',
  '[^',
  '[a](',
  '[a](b "',
  '[a][b]',
  '<',
  '<http://',
  '<a b="',
  '<!-- ',
  '<![CDATA[',
  '<?',
  '<b>',
  '<a href=x>',
  '<p><b>',
  '> ',
  '- ',
  '> - ',
  '1. ',
  '- a\n',
  '# a\n',
  '`a``',
  '```\n',
  '~a ~~',
  '|',
  '\\*',
  '&a',
  '&amp;',
  'www.',
  '_www.',
  'www.a ',
  'http://',
  'http://a_b/',
  'http://a.b/(',
  'a@',
  'a@b.c ',
  'a@b.c@',
  ' ',
  '\t',
  '\n',
  '\r',
  '[a\n',
  '[a]: b "\n',
  '</p>',
  '😀*',
  '<li>',
  '<details>\n\n',
  '===\n',
  'a\n',
  'a  \n',
  '<a b>\n',
  '<x\n',
]
const BODIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PATTERNS.map((pattern) => [pattern, filled(pattern)])),
  'raw tags in one block': `<div>\n${filled('<b>')}`,
  'closing tags without opening ones': `<div>\n${filled('<b></i>')}`,
  'a tag of attributes': `<div>\n<a ${rows(8000)
    .map((row) => `a${row}=b `)
    .join('')}>`,
  'tags that never end': `<div>\n${filled('<a ')}`,
  'scripts that never end': `<div>\n${filled('<script>')}`,
  'comments in an address': `<a href="${filled('<!---->')}">`,
  'growing runs of backticks': rows(360)
    .map((row) => `${'`'.repeat(row + 1)}a`)
    .join(' '),
  'deeper and deeper lists': rows(360)
    .map((row) => `${' '.repeat(row)}- a\n`)
    .join(''),
  'many definitions': rows(5000)
    .map((row) => `[a${row}]: /x\n`)
    .join(''),
  'a long definition and many references': `[a]: ${'x'.repeat(SIZE / 2)}\n\n${'[a]'.repeat(SIZE / 6)}`,
  'a footnote for everyone': `[^a]: x\n\n${'[^a]'.repeat(SIZE / 4)}`,
  'footnotes of footnotes': `[^0]\n\n${rows(3000)
    .map((row) => `[^${row}]: a[^${row + 1}]\n`)
    .join('')}`,
  'a wide and long table': `${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n${`${'|a'.repeat(100)}|\n`.repeat(300)}`,
  'a table that fills itself up': `${'a|'.repeat(8)}a\n${'-|'.repeat(8)}-\n${'a\n'.repeat(SIZE / 2)}`,
  'nested links': `${'['.repeat(SIZE / 4)}${'](a)'.repeat(SIZE / 4)}`,
  'YAML of lists': `---\na:\n${'- '.repeat(SIZE / 2 - 8)}\n---\n`,
  'YAML of aliases': `---\na: &a b\nc: [${'*a,'.repeat(SIZE / 3 - 8)}]\n---\n`,
}

test('no body that repeats itself takes long', () => {
  for (const [name, body] of Object.entries(BODIES)) {
    const started = performance.now()
    const { html } = renderPage(body)
    const took = performance.now() - started
    // Far above what any of them takes, far below what a quadratic one would.
    assert.ok(took < 3000, `${JSON.stringify(name)} took ${Math.round(took)} ms`)
    assertHarmless(html, name)
  }
})

const SNIPPETS = [
  ...PATTERNS,
  '](',
  ')',
  ']',
  '>',
  '"',
  "'",
  '-->',
  '/>',
  '</a>',
  '</b>',
  '<a href="./x">',
  '<a href=javascript:x>',
  '[^1]: ',
  '[^1]',
  '[ ] ',
  '[x] ',
  '[!NOTE]',
  '---\n',
  'title: x\n',
  '| a | b |\n|---|:-:|\n',
  '```js\n',
  '<script>',
  '</script>',
  '<style>',
  '<svg>',
  '<math>',
  '<textarea>',
  '<img src=x onerror=y>',
  '<input type=checkbox>',
  '<pre>',
  '<table><tr><td>',
  '&lt;',
  '&#0;',
  '\u0000',
  '\u2028',
  '\uFEFF',
  'Ä',
  '中',
  '\u202E',
  '    ',
  '\n\n',
  '#x',
  'mailto:',
  '://',
  './a.md#b',
  '<a id=x name=y class="anchor z">',
]
const body = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...SNIPPETS) },
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join('').toWellFormed())

test('whatever the body, rendering gives harmless HTML that sanitises to itself', () => {
  fc.assert(
    fc.property(body, (text) => {
      const { html } = renderPage(text)
      assertHarmless(html, text)
      assert.equal(sanitise(html, 'data-none').html, html)
      assert.equal(renderPage(text).html, html)
    }),
    { numRuns: 3000 },
  )
})

test('whatever the body, facts agree, are JSON, and anchors point behind <a of their links', () => {
  fc.assert(
    fc.property(body, (text) => {
      const { html, anchors, ...facts } = renderPage(text)
      assert.deepEqual(facts, analysePage(text))
      assert.deepEqual(JSON.parse(JSON.stringify(facts.frontmatter)), facts.frontmatter)
      for (const value of [facts.title ?? '', ...facts.links.flatMap(({ href, text }) => [href, text])]) {
        assert.ok(value.isWellFormed() && !value.includes('\0'), JSON.stringify(value))
      }
      const count = text.split(/\r\n?|\n/).length
      for (const { line } of [...facts.links, ...facts.headings]) assert.ok(line >= 1 && line <= count)
      let last = -1
      for (const { offset, link } of anchors) {
        assert.ok(offset > last && facts.links[link])
        assert.match(html.slice(offset - 2, offset + 7), /^<a href=/)
        last = offset
      }
      assert.equal(new Set(anchors.map(({ link }) => link)).size, anchors.length)
    }),
    { numRuns: 3000 },
  )
})
