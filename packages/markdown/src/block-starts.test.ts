import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HtmlRenderer, Parser } from 'commonmark'
import { fc, rounds } from '../../../test/support/property.ts'
import { analysePage, renderPage } from './page.ts'

const parser = new Parser()

/** The targets of the links that commonmark.js finds. */
function referenceLinks(body: string): string[] {
  const walker = parser.parse(body).walker()
  const links: string[] = []
  for (let event = walker.next(); event; event = walker.next()) {
    if (event.entering && event.node.type === 'link') links.push(event.node.destination ?? '')
  }
  return links
}

const hrefs = (body: string) => analysePage(body).links.map(({ href }) => href)

const STARTS = [
  '- ',
  '* ',
  '1. ',
  '2) ',
  '# ',
  '> ',
  '>',
  '***',
  '---',
  '===',
  '```',
  '<div>',
  '<!-- ',
  '[r]: ./r ',
  '',
]

test('a line that is indented by four outside of its list item continues the paragraph, whatever it begins with', () => {
  for (const start of STARTS) {
    for (const indent of [4, 5, 6, 7]) {
      const body = `   - A\n        - B\n${' '.repeat(indent)}${start}[c](./c.md)\n\n[r](./d)\n`
      assert.deepEqual(hrefs(body), referenceLinks(body), body)
      const one = `  - A\n${' '.repeat(indent)}${start}[c](./c.md)\n`
      assert.deepEqual(hrefs(one), referenceLinks(one), one)
    }
  }
  assert.deepEqual(hrefs('   - A\n        - B\n    - [c](./c.md)\n'), ['./c.md'])
  assert.deepEqual(hrefs('   - A\n        - B\n    | a |\n    | - |\n    | [c](./c.md) |\n'), ['./c.md'])
})

const line = fc
  .tuple(
    fc.nat({ max: 11 }),
    fc.constantFrom(...STARTS),
    fc.nat({ max: 5 }),
    fc.constantFrom(...STARTS, '\t'),
    fc.nat({ max: 9 }),
  )
  .map(([indent, start, gap, second, number]) => {
    const link = number < 7 ? `[n](./${number})` : number === 7 ? 'text' : number === 8 ? '[r]' : ''
    return `${' '.repeat(indent)}${start}${' '.repeat(gap)}${second}${link}`
  })

test('the links of nested blocks of all kinds are those of commonmark.js', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.constant('')), { minLength: 1, maxLength: 9 }), (lines) => {
      // A block between rules at the beginning would be front matter.
      const body = `A\n\n${lines.join('\n')}\n`
      assert.deepEqual(
        hrefs(body),
        referenceLinks(body),
        `${body}${new HtmlRenderer().render(parser.parse(body))}${renderPage(body).html}`,
      )
    }),
    { numRuns: rounds(1000) },
  )
})
