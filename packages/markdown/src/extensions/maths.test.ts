import assert from 'node:assert/strict'
import { test } from 'node:test'
import { analysePage, renderPage } from '../page.ts'

const body = (markdown: string) => renderPage(markdown).html.trim()

test('inline formulas are distinguished from amounts of money as on GitHub', () => {
  assert.equal(body('It is $e^{i\\pi}+1 = 0$.'), '<p>It is <span class="math">e^{i\\pi}+1 = 0</span>.</p>')
  assert.equal(body('So $`a_b*c*`$, too'), '<p>So <span class="math">a_b*c*</span>, too</p>')
  assert.equal(body('($x$)-$y$'), '<p>(<span class="math">x</span>)-<span class="math">y</span></p>')
  for (const plain of ['$5 and $10', '$5-$10', 'a$b$', '$HOME/bin:$PATH', '$ x$', '$x $', '\\$x$', '$$', '$$$$']) {
    assert.doesNotMatch(body(plain), /class="math"/, plain)
  }
})

test('the source of a formula is unchanged: no emphasis, no links, no tags', () => {
  assert.equal(
    body('$a < b_1 \\$ *c* [x](/pages/a/b) <b>$'),
    '<p><span class="math">a &lt; b_1 \\$ *c* [x](/pages/a/b) &lt;b&gt;</span></p>',
  )
  assert.deepEqual(analysePage('$[x](/pages/a/b)$').links, [])
  assert.equal(analysePage('# The $x^2$ law').title, 'The x^2 law')
})

test('display formulas: on one line, on several, in a paragraph, in a code block', () => {
  assert.equal(body('$$x < 1$$'), '<div class="math">x &lt; 1</div>')
  assert.equal(body('$$\nx\n\ny\n$$\n\nz'), '<div class="math">x\n\ny</div>\n<p>z</p>')
  assert.equal(body('> $$\n> x\n> $$'), '<blockquote>\n<div class="math">x</div>\n</blockquote>')
  assert.equal(body('a $$x$$ b'), '<p>a <span class="math math-display">x</span> b</p>')
  assert.equal(body('```math\nx & y\n```'), '<div class="math">x &amp; y</div>')
  assert.doesNotMatch(body('$$\nno end'), /class="math"/)
})

test('a diagram is rendered as its source, which the browser replaces', () => {
  assert.equal(
    body('```mermaid\ngraph TD; A-->B\n```'),
    '<div class="diagram"><pre tabindex="0"><code>graph TD; A--&gt;B\n</code></pre></div>',
  )
})

test('a formula spans no code, and no dollar sign of a tag, a URL or a code block closes it', () => {
  for (const plain of [
    '$HOME, then match `^foo$`',
    '$HOME and `a` costs 5$.',
    '$$ and `x$$`',
    '$`a` and `b`$',
    '$HOME ``a`b$`` c$',
    '$HOME <a title="x$">t</a>',
    '$HOME <https://example.org/x$>',
    '$HOME [x](./y$)',
    '$$ is the pid\n\n```\necho $$\n```',
    '$$\n\n```sh\necho $$\n```',
    '$$ first\n\nlast $$',
    '- $$ is\n\n  ~~~\n  echo $$\n  ~~~',
  ]) {
    assert.doesNotMatch(body(plain), /class="math/, plain)
  }
  assert.equal(body('$HOME, then match `^foo$`'), '<p>$HOME, then match <code>^foo$</code></p>')
  assert.deepEqual(
    analysePage('$HOME [x](./y$)').links.map(({ href }) => href),
    ['./y$'],
  )
  // Later formulas, and backticks that open no code span.
  assert.match(body('$HOME `x$` and $y$'), /<span class="math">y<\/span>/)
  assert.match(body("$\\text{`a'}$"), /<span class="math">/)
  assert.match(body('$a < b$ and `c`'), /<span class="math">a &lt; b<\/span>/)
})
