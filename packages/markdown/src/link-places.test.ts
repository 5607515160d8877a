import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Token } from 'markdown-it'
import { fc, rounds } from '../../../test/support/property.ts'
import { convertWikilinks, createVault } from './extensions/wikilinks.ts'
import { findLinkPlaces } from './link-places.ts'
import { createParser, parseBody } from './parser.ts'

const vault = createVault(['Home', 'a', 'b c'])
const others = createVault(['Home', 'a', 'b c'], undefined, false)
const shell = 'if [[ -n "$X" ]]; then echo [[a]]; fi'

test('what is no text stays as it is: code, HTML, formulas, comments, escapes, targets and front matter', () => {
  const kinds = [
    `1. Step\n\n   \`\`\`sh\n   ${shell}\n   \`\`\``,
    `1. Step\n   \`\`\`sh\n   ${shell}\n   \`\`\`\n   [x](y)`,
    `- a\n  - b\n\n    ~~~\n    ${shell}\n    ~~~`,
    `> \`\`\`sh\n> ${shell}\n> \`\`\``,
    `> [!NOTE]\n> \`\`\`\n> [[a]]\n> \`\`\``,
    '    df[[col]]\n    [[a]]',
    '- a\n\n      [[a]]',
    '\tdf[[a]]',
    '`[[a]]` ``a ` [[a]]`` `two\nlines [[a]]`',
    '> `two\n> lines [[a]]`',
    '<pre>\n[[a]]\n\n[[a]]\n</pre>',
    '<div>\n[[a]]\n</div>',
    'b <code>[[a]]</code> <kbd>[[a]]</kbd>',
    '<code>\n\n[[a]]\n\n</code>',
    '<!-- [[a]]\n\n[[a]] -->\nb <!-- [[a]] --> <b title="[[a]]">c</b>',
    '$$\n[[a]]\n$$\n$[[a]]$ $`[[a]]`$\n\n```math\n[[a]]\n```',
    '\\[[no]] [\\[a]] [[a\\]] `x',
    '[[a]](url) [[a]](<u v> "t") [see [[a]] there](url) ![[a]](x.png)',
    '[[a]][r]\n\n[r]: url "[[a]]"',
    '<https://x.y/[[a]]> https://x.y/[[a]]',
    'text[^1] [[^1]]\n\n[^1]: note',
    '[[a`]] b`',
    '---\ntitle: T\nrelated: [[a]]\ntags: [x]\n---\n',
    '\uFEFF---\r\nrelated: [[a]]\r\n---\r\n',
    `| a | b |\n| --- | --- |\n| \`[[a]]\` | c |`,
  ]
  for (const kind of kinds) assert.equal(convertWikilinks(kind, 'n', vault), kind)
})

test('wikilinks beside code, in every block, are found where they are', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['`[[a]]` [[a]] `[[a]]`', '`[[a]]` [a](./a.md) `[[a]]`'],
    ['---\nx: [[a]]\n---\r\n[[a]]\r\n`[[a]]`\r\n[[a]]', '---\nx: [[a]]\n---\r\n[a](./a.md)\r\n`[[a]]`\r\n[a](./a.md)'],
    ['> `[[a]]`\n> - [[a]]\n>   `[[a\n>   ]]` [[a]]', '> `[[a]]`\n> - [a](./a.md)\n>   `[[a\n>   ]]` [a](./a.md)'],
    ['# `[[a]]` [[a]] #\n\n`[[a]]`\n[[a]]\n===', '# `[[a]]` [a](./a.md) #\n\n`[[a]]`\n[a](./a.md)\n==='],
    ['- [ ] [[a]]\n- [x] `[[a]]` [[a]]', '- [ ] [a](./a.md)\n- [x] `[[a]]` [a](./a.md)'],
    ['> [!NOTE]\n> [[a]]', '> [!NOTE]\n> [a](./a.md)'],
    ['[^1]: [[a]]\n[^2]:\n    `[[a]]` [[a]]', '[^1]: [a](./a.md)\n[^2]:\n    `[[a]]` [a](./a.md)'],
    [
      '| `[[a]]` | [[a\\|x]] |\n|---|---|\n| [[a]] | `[[a\\|x]]` [[a]] | [[a]] |',
      '| `[[a]]` | [x](./a.md) |\n|---|---|\n| [a](./a.md) | `[[a\\|x]]` [a](./a.md) | [[a]] |',
    ],
    ['[[[a]]] \\\\[[a]] !\\[[a]] ![[a]]', '[[a](./a.md)] \\\\[a](./a.md) !\\[[a]] [a](./a.md)'],
    ['**[[a|`x`]]** [r] [[a]]\n\n[r]: u', '**[`x`](./a.md)** [r] [a](./a.md)\n\n[r]: u'],
    ['1) a\n\n\t[[a]]\n\n\t    [[a]]', '1) a\n\n\t[a](./a.md)\n\n\t    [[a]]'],
  ]
  for (const [before, after] of cases) assert.equal(convertWikilinks(before, 'n', vault), after)
})

test('where the folder is no vault only existing notes and own headings are linked', () => {
  const text = '[[a]] [[Absent]] [[ -n x ]] [[#Part]] [[#No part]] ![[x.png]]\n\n## Part'
  assert.equal(
    convertWikilinks(text, 'n', others),
    '[a](./a.md) [[Absent]] [[ -n x ]] [Part](#part) [[#No part]] ![[x.png]]\n\n## Part',
  )
})

test('a sized image before a line of text does not make HTML of it', () => {
  const turn = (text: string) => convertWikilinks(text, 'n', vault)
  const image = '<img src="./x.png" alt="x.png" width="30">'
  assert.equal(turn('![[x.png|30]]\n*caption* [[a]]'), `${image}<br>\n*caption* [a](./a.md)`)
  assert.equal(turn('> - ![[x.png|30]]\n>   *caption*'), `> - ${image}<br>\n>   *caption*`)
  assert.equal(turn('![[x.png|30]]\n\nx ![[x.png|30]]\ny'), `${image}\n\nx ${image}\ny`)
})

const md = createParser()

/** All that is no text, in order. */
function opaqueParts(body: string): string[] {
  const parts: string[] = []
  const visit = (tokens: readonly Token[]) => {
    for (const { type, content, children } of tokens) {
      if (/^(?:fence|code_|html_|math_)/.test(type)) parts.push(`${type} ${content}`)
      if (children) visit(children)
    }
  }
  const { tokens, frontMatter } = parseBody(md, body)
  visit(tokens)
  return [JSON.stringify(frontMatter.data), ...parts]
}

const line = fc
  .array(
    fc.constantFrom(
      ...['[[a]]', '[[b c|x]]', '[[Home#h]]', '![[a]]', '[[', ']]', '[', ']', '(u)', '\\', '`', '``', '$', '$$', '!'],
      ...[
        '<code>',
        '</code>',
        '<!-- [[a]] -->',
        '<b>',
        '|',
        '\\|',
        '*',
        '~~~',
        '```',
        '> ',
        '- ',
        '1. ',
        '    ',
        '\t',
        '#',
      ],
      ...['[^1]', '[^1]: ', '[ ] ', 'word', ' ', ' ', '---', '| --- | --- |', ': ', '&#91;', '<', 'https://x.y/', '\r'],
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

test('any text with `[[` everywhere keeps all bytes outside of wikilinks, and everything that is no text', () => {
  const body = fc
    .tuple(fc.constantFrom('', '---\nr: [[a]]\n---\n'), fc.array(line, { maxLength: 12 }))
    .map(([start, lines]) => start + lines.join('\n'))
  fc.assert(
    fc.property(body, (text) => {
      const places = findLinkPlaces(text).filter(({ kind }) => kind === 'wikilink')
      const expected: string[] = []
      let end = 0
      for (const { offset } of places) {
        const [link = ''] = /^!?\[\[[^[\]\n]*\]\]/.exec(text.slice(offset)) ?? []
        assert.notEqual(link, '', 'a place is a wikilink')
        expected.push(text.slice(end, offset))
        end = offset + link.length
      }
      expected.push(text.slice(end))
      const after = convertWikilinks(text, 'n', vault)
      // Each part between two wikilinks is in the result, in this order, and links are all there is between them.
      let at = 0
      for (const [index, part] of expected.entries()) {
        if (index > 0) {
          const [link = ''] = /^\[(?:\\.|[^\\[\]])*\]\([^\s()]*\)/.exec(after.slice(at)) ?? []
          assert.notEqual(link, '', after.slice(at))
          at += link.length
        }
        assert.ok(after.startsWith(part, at), JSON.stringify({ part, after }))
        at += part.length
      }
      assert.equal(at, after.length)
      assert.deepEqual(opaqueParts(after), opaqueParts(text))
      assert.equal(convertWikilinks(text, 'n', createVault([], undefined, false)), text)
    }),
    { numRuns: rounds(1000) },
  )
})
