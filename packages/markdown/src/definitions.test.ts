import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Node, Parser } from 'commonmark'
import { fc, rounds } from '../../../test/support/property.ts'
import { collectFacts } from './facts.ts'
import { analysePage, renderPage } from './page.ts'
import { createParser } from './parser.ts'
import { isAllowedLink } from './urls.ts'

/** Our parser without its extensions of CommonMark. */
const md = createParser()
md.inline.ruler.disable(['linkify', 'www', 'math_inline', 'footnote_reference'])
md.block.ruler.disable(['table', 'math_block', 'footnote_definition'])
md.core.ruler.disable('linkify')
const reference = new Parser()

const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:', 'xref:', 'ftp:', 'javascript:', 'data:', 'x-y.z+1:', '']
const LABELS = ['a', 'b', 'B', 'a b', 'ß', 'x*y']
const target = fc
  .tuple(fc.constantFrom(...SCHEMES), fc.constantFrom('1', '//h/x', 'x,y', '/p(1)', '%20', 'a&amp;b', 'é', ''))
  .map((parts) => parts.join(''))
const longTarget = fc.constantFrom('http:', 'xref:').map((scheme) => scheme + 'x'.repeat(9000))
const label = fc.constantFrom(...LABELS)
const title = fc.constantFrom('', ' "t"', " 't'", '\n(t)', ' "t" x', ' "t')
const written = fc.oneof(
  target,
  target.map((url) => `<${url}>`),
  { arbitrary: longTarget, weight: 1 },
)
const definition = fc
  .tuple(fc.constantFrom('', ' ', '> ', '- '), label, written, title)
  // In a quotation or a list an empty line ends it: what follows is not read as a part of it.
  .map(([indent, name, url, rest]) => `${indent}[${name}]: ${url}${rest}\n${indent.trim() === '' ? '' : '\n'}`)
const use = fc.oneof(
  label.map((name) => `[${name}]`),
  fc.tuple(label, label).map(([text, name]) => `[${text}][${name}]`),
  fc.tuple(label, written, title).map(([text, url, rest]) => `[${text}](${url}${rest})`),
  fc.tuple(label, target).map(([text, url]) => `![${text}](${url})`),
  fc.tuple(label, label, target).map(([outer, inner, url]) => `[x [${inner}] ![${outer}](${url})](${url})`),
  target.map((url) => `<${url}>`),
)
// Without constructs that markdown-it parses differently: an indented or lazy line after a definition, and blocks that
// cannot interrupt a paragraph.
const body = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: definition },
      { weight: 4, arbitrary: use.map((text) => `${text} `) },
      { weight: 2, arbitrary: fc.constantFrom('\n', '\n\n', 'word', '# x ', '**', '`', '\\', '- x ') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('<div>\n', '<b>', '<!-- c -->\n', '-\n', '1.\n', '[', ']', '[]', '[[', ']]'),
      },
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join('').replace(/^( ?\[.*\]: .*\n(?:\(t\)\n)?)(?=<b>|-\n|1\.\n)/gm, '$1\n'))

test('a body has the links that commonmark.js finds, for targets of any scheme', () => {
  fc.assert(
    fc.property(body, (text) => {
      const { links } = collectFacts(md.parse(text, { extent: 'all' }), 0)
      const found = links.map(({ href }) => comparable(href)).sort()
      assert.deepEqual(found, commonmarkLinks(text))
    }),
    { numRuns: rounds(400) },
  )
})

test('a definition with a scheme that is not allowed is a definition, and so are those after it', () => {
  const schemes = ['xref:y', 'ftp://h/x', 'javascript:alert(1)', 'data:text/html,x', 'x'.repeat(9000), 'tel:123']
  for (const blocked of schemes) {
    const text = `[one] and [two], ![pic][one], <ftp://h/x>\n\n[one]: ${blocked}\n[two]: ./two.md\n`
    const { html } = renderPage(text)
    assert.ok(!html.includes(']:'), html)
    assert.equal(html.includes('javascript:') || html.includes('data:'), false, html)
    assert.match(html, blocked.startsWith('tel:') ? /<a href="tel:123">one<\/a> and/ : /<p>one and/)
    assert.match(html, /, pic, ftp:\/\/h\/x<\/p>/)
    assert.ok(analysePage(text).links.some(({ href, line }) => href === './two.md' && line === 1))
  }
})

test('the text of a link that is not rendered is not linkified, and keeps its marks', () => {
  const { html, links } = renderPage('[a@b.example *b* `c`](xref:y) [x ![i](data:,1)](https://h.example/)')
  assert.match(html, /<p>a@b\.example <em>b<\/em> <code>c<\/code> <a href="https:\/\/h\.example\/"[^>]*>x i<\/a><\/p>/)
  assert.deepEqual(
    links.map(({ href }) => href),
    ['https://h.example/'],
  )
})

/** The allowed targets of all links except raw HTML, as parsed by commonmark.js. */
function commonmarkLinks(text: string): string[] {
  const walker = reference.parse(text).walker()
  const found: string[] = []
  for (let event = walker.next(); event; event = walker.next()) {
    const node: Node = event.node
    if (event.entering && node.type === 'link' && isAllowedLink(node.destination ?? '')) {
      found.push(comparable(node.destination ?? ''))
    }
  }
  return found.sort()
}

/** commonmark.js percent-encodes targets while parsing, and we do so in rendering. */
function comparable(href: string): string {
  return encodeURI(href).replace(/%25([0-9a-f]{2})/gi, '%$1')
}
