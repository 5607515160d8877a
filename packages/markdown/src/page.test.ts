import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corporaMissing, corpusPages } from '../../../test/support/corpora.ts'
import { fc, rounds } from '../../../test/support/property.ts'
import { analysePage, renderPage } from './page.ts'

const hrefs = (body: string) => analysePage(body).links.map(({ href }) => href)
const lines = (body: string) => analysePage(body).links.map(({ line }) => line)

test('the title is that of the front matter, else the first non-empty heading of level 1, else none', () => {
  assert.equal(analysePage('---\ntitle: A\n---\n# B').title, 'A')
  assert.equal(analysePage('---\ntitle: 7\n---\n# B').title, '7')
  for (const title of ["''", '[a]', '~', '" "']) {
    assert.equal(
      analysePage(`---\ntitle: ${title}\n---\ntext\n\n#\n\n## Abstract\n# *B* \`c\` ![d](e)\n# F`).title,
      'B c d',
      title,
    )
  }
  assert.equal(analysePage('Setext *one*\nand two\n===').title, 'Setext one and two')
  assert.equal(analysePage('## Two\n\nSetext\n---\n').title, undefined)
  assert.equal(analysePage('---\n: : bad [\n---\n').title, undefined)
})

test('headings have the ids of GitHub, with a prefix and unique', () => {
  const body = '# A b!\n## A b\n### a-b-1\n#### Ünïcode `code` 中文 _x_\n##### 😀\n###### \n# a b\n'
  assert.deepEqual(
    analysePage(`---\na: 1\n---\n${body}`).headings.map(({ level, id, line }) => [level, id, line]),
    [
      [1, 'user-content-a-b', 4],
      [2, 'user-content-a-b-1', 5],
      [3, 'user-content-a-b-1-1', 6],
      [4, 'user-content-ünïcode-code-中文-x', 7],
      [5, 'user-content-section', 8],
      [6, 'user-content-section-1', 9],
      [1, 'user-content-a-b-2', 10],
    ],
  )
})

test('a heading has an anchor link with an accessible name', () => {
  assert.equal(
    renderPage('## A "b"').html,
    '<div class="heading"><h2 id="user-content-a-b">A "b"</h2>' +
      '<a class="anchor" href="#user-content-a-b" aria-label="Link to A &quot;b&quot;"></a></div>\n'.replace(
        'class="anchor" href="#user-content-a-b"',
        'href="#user-content-a-b" class="anchor"',
      ),
  )
})

test('links of every syntax are found', () => {
  const body = [
    '[inline](./a "title") [reference][r] [r] <https://auto.example/b> https://bare.example/c, www.bare.example.',
    '<a href="./raw">raw</a> me@mail.example',
    '',
    '<div>\n<p><A HREF=./block>block</A></p>\n</div>',
    '',
    '| [table](./cell) |\n| --- |\n| [cell](./cell2) |',
    '',
    '> - [x] [nested](./nested) [^1]',
    '',
    '[r]: ./reference',
    '[^1]: [in a note](./note)',
  ]
  assert.deepEqual(hrefs(body.join('\n')), [
    './a',
    './reference',
    './reference',
    'https://auto.example/b',
    'https://bare.example/c',
    'http://www.bare.example',
    './raw',
    'mailto:me@mail.example',
    './block',
    './cell',
    './cell2',
    './nested',
    './note',
  ])
})

test('text that only looks like a link is none', () => {
  const body = [
    '`[code](./a)` <!-- [comment](./b) <a href="./c">c</a> -->',
    '    [indented](./d)',
    '```\n[fenced](./e)\n```',
    '~~~html\n<a href="./f">f</a>\n~~~',
    '<!--\n\n[g](./g)\n\n-->',
    '![image](./h) ![[inner](./i)](./j)',
    '<a name="k">k</a> <a href="javascript:l">l</a> [m](javascript:m) \\[n](./n) [o]: ./o',
    '<div>\n<!-- <a href="./p">p</a> -->\n</div>',
    '<script>\nconst q = \'<a href="./q">q</a>\'\n</script>',
    '<textarea><a href="./r">r</a></textarea>',
    '<abbr title="<a href=./s>">s</abbr>',
  ]
  assert.deepEqual(hrefs(body.join('\n\n')), [])
})

test('a link is reported as it was written, with escapes and entities decoded', () => {
  assert.deepEqual(hrefs('[a](./Ä%20b&amp;c\\_d#Frag) [b](<./with space>) <a href="./x&amp;y">c</a>'), [
    './Ä%20b&c_d#Frag',
    './with space',
    './x&y',
  ])
})

test('the text of a link is its visible text', () => {
  const body =
    '[a *b* `c` ![d](e) &amp; \\*\nf](x) <a href=y>g <b>h</b></a> [![only](image)](z) <a href=w><img alt=i></a>'
  assert.deepEqual(
    analysePage(body).links.map(({ text }) => text),
    ['a b c d & * f', 'g h', 'only', 'i'],
  )
  assert.equal(analysePage('<a href=x>\n\nover\n\n## blocks\n\n</a> not').links[0]?.text, 'over blocks')
})

test('the line of a link is its line in the body', () => {
  assert.deepEqual(lines('---\na: 1\n---\n\n[a](a)\ntext\n[b](b) `x\ny` [c](c)\n'), [5, 7, 8])
  assert.deepEqual(lines('> text\n> [a](a)\n\n- x\n\n  y\n  [b](b)\n\n| h |\n|---|\n| z |\n| [c](c) |'), [2, 7, 12])
  assert.deepEqual(lines('a\r\n\r\nb\r\n[c](c)\r\n'), [4])
  assert.deepEqual(lines('> [!NOTE]\n> [a](a)\n\n- [ ] b\n  [c](c)\n- [x]\n  [d](d)'), [2, 5, 7])
  assert.deepEqual(
    lines('<div\n>\n<a\nhref="x">x</a></div>\n\n<b\n>[y](y)</b> z@example.org\nq@example.org'),
    [3, 7, 7, 8],
  )
  assert.deepEqual(lines('[the label\nbreaks](x)\n[r\ns]\n\n[r s]: y'), [1, 3])
})

test('fragments of page links get the prefix of ids, others are unchanged', () => {
  const page = (href: string) => /href="([^"]*)"/.exec(renderPage(`[a](${href})`).html)?.[1]
  assert.equal(page('#part'), '#user-content-part')
  assert.equal(page('./x#part'), './x#user-content-part')
  assert.equal(page('../x.md?y#part'), '../x.md?y#user-content-part')
  assert.equal(page('/pages/a/b#part'), '/pages/a/b#user-content-part')
  assert.equal(page('x/y.md#part'), 'x/y.md#user-content-part')
  for (const same of [
    '#',
    '#top',
    '#user-content-part',
    '/docs#part',
    'https://x.example/a.md#part',
    'x.png#part',
    './x#:~:text=a',
  ]) {
    assert.equal(page(same), same)
  }
})

test('anchor offsets are after the <a of each rendered link', () => {
  const page = renderPage('# H\n\n[a](./a)[^1] <a class=x href="./b">b</a> `x` https://c.example\n\n[^1]: [d](./d)')
  assert.deepEqual(
    page.anchors.map(({ offset, link }) => [page.links[link]?.href, page.html.slice(offset - 2, offset + 9)]),
    [
      ['./a', '<a href="./'],
      ['./b', '<a href="./'],
      ['https://c.example', '<a href="ht'],
      ['./d', '<a href="./'],
    ],
  )
})

test('analysis and rendering agree', () => {
  const body = '---\ntitle: T\n---\n# H\n\n[a](b) <a href=c>d</a>'
  const { html: _, anchors: __, isSource: ___, tasks: ____, ...facts } = renderPage(body)
  const { text: _____, textLines: ______, ...analysed } = analysePage(body)
  assert.deepEqual(facts, analysed)
})

test('alerts, tables, tasks and footnotes have accessible names', () => {
  const { html } = renderPage(
    '> [!WARNING]\n> Hot\n\n- [x] a\n- [ ] b\n\n|a|b|\n|:-:|-|\n|c|d|\n\nx[^n] y[^n]\n\n[^n]: z',
  )
  assert.match(
    html,
    /<div class="alert alert-warning" role="note">\n<p class="alert-title"><bdi>Warning<\/bdi><\/p>\n<p>Hot<\/p>/,
  )
  assert.match(html, /<input type="checkbox" checked disabled aria-label="Done" \/> a/)
  assert.match(html, /<input type="checkbox" disabled aria-label="Not done" \/> b/)
  assert.match(
    html,
    /<div class="table" role="group" aria-label="Table" tabindex="0"><table>\s*<thead>\s*<tr>\s*<th class="align-center">a/,
  )
  assert.match(html, /<a href="#user-content-fn:1" id="user-content-fnref:1:2" aria-label="Footnote 1">1<\/a>/)
  assert.match(html, /<section class="footnotes" role="doc-endnotes" aria-label="Footnotes">/)
  assert.match(html, /href="#user-content-fnref:1" class="footnote-backref" aria-label="Back to reference 1">/)
})

test('code is highlighted by its language, and plain without one', () => {
  assert.match(renderPage('```TS\nconst a = 1\n```').html, /<code class="language-TS"><span class="hljs-keyword">const/)
  assert.match(renderPage('```nosuch\n<b>\n```').html, /<code class="language-nosuch">&lt;b&gt;/)
  assert.match(renderPage('```\n<b>\n```').html, /<pre tabindex="0"><code>&lt;b&gt;/)
  assert.doesNotMatch(renderPage(`\`\`\`js\n${'let a\n'.repeat(9000)}\`\`\``).html, /hljs/)
})

test('the links of real pages are those that another parser found', { skip: corporaMissing }, () => {
  for (const [corpus, space] of [
    ['rustc-guide', 'rustc'],
    ['eips', 'eips'],
  ] as const) {
    for (const page of corpusPages(corpus)) {
      const folder = page.path.split('/').slice(0, -1)
      const found = hrefs(page.body)
        .filter((href) => href.startsWith(`/pages/${space}/`) || href.startsWith('./'))
        .map((href) => decodeURIComponent(href.replace(/[?#].*$/, '').replace(/\.md$/, '')))
        .map((href) =>
          href.startsWith('./') ? [...folder, href.slice(2)].join('/') : href.slice(`/pages/${space}/`.length),
        )
      assert.deepEqual(found.sort(), page.links.map(([, target]) => target).sort(), `${corpus}: ${page.path}`)
    }
  }
})

test('the facts derived without rendering equal those of rendering', () => {
  const pieces = [
    '[a](./b)',
    '<a href="./c">',
    '</a>',
    '<b>',
    '*d*',
    '`e`',
    'www.f.example',
    'https://g.example',
    'h@i.example',
    '[^1]',
    '\n\n[^1]: ![j](./k)\n\n',
    '\n\n',
    '\n',
    '- ',
    '> ',
    '# ',
    '\n---\n',
    '| l |\n| - |\n',
    '[m]: ./n\n\n',
    '[m]',
    'o',
    ' ',
    '!',
    '<',
    '@',
    '\\',
  ]
  const body = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(body, (text) => {
      const { html: _, anchors: __, isSource: ___, tasks: ____, ...rendered } = renderPage(text)
      const { text: _____, textLines: ______, ...analysed } = analysePage(text)
      assert.deepEqual(analysed, rendered)
    }),
    { numRuns: rounds(500) },
  )
})

test('top-level blocks of a page with right-to-left text get a direction, unless they have one', () => {
  assert.equal(
    renderPage('سلام\n\n- a\n  - b\n').html,
    '<p dir="auto">سلام</p>\n<ul dir="auto">\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>\n',
  )
  assert.equal(
    renderPage('<p dir="ltr">&#1587;</p>\n<div dir="rtl"><p>a</p></div>\n<p>b</p>').html,
    '<p dir="ltr">س</p>\n<div dir="rtl"><p>a</p></div>\n<p dir="auto">b</p>',
  )
  assert.equal(renderPage('<center dir="rtl"><p>س</p></center>').html, '<p dir="auto">س</p>')
  assert.equal(renderPage('plain\n').html, '<p>plain</p>\n')
})
