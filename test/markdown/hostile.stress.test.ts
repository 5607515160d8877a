import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage, renderPage } from '@recto/markdown/page.ts'
import { sanitise } from '@recto/markdown/sanitise.ts'
import { hostileBodies, PATTERNS } from '../support/hostile-bodies.ts'
import { assertHarmless } from '../support/html-audit.ts'
import { fc } from '../support/property.ts'

test('bodies of repeated text are processed in linear time', () => {
  for (const [name, body] of Object.entries(hostileBodies(64 * 1024))) {
    const started = process.cpuUsage()
    const { html } = renderPage(body)
    const took = process.cpuUsage(started).user / 1000
    // Of the processor, not of the clock: far above what any of them takes, far below what a quadratic one would.
    assert.ok(took < 2000, `${JSON.stringify(name)} took ${Math.round(took)} ms`)
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
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...SNIPPETS) }, fc.string({ unit: 'binary', maxLength: 5 })),
    { maxLength: 40 },
  )
  .map((parts) => parts.join('').toWellFormed())

test('the HTML of any body is safe and unchanged by the sanitiser', () => {
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

test('the facts of any body agree and are JSON, and anchor offsets are after the <a of their links', () => {
  fc.assert(
    fc.property(body, (text) => {
      const { html, anchors, tasks, isSource: _, ...facts } = renderPage(text)
      assert.ok(tasks.every((task, index) => index === 0 || task > (tasks[index - 1] ?? 0)))
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
