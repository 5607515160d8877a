import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, rounds } from '../../../../test/support/property.ts'
import { frontMatterEnd } from '../front-matter-block.ts'
import { analysePage } from '../page.ts'
import { followSplices, toChanges } from './edit-changes.ts'
import { applySplices, buildSplices, type Edit } from './edits.ts'

const PAGE = `---
title: T
---
# Top

Intro.

## One

First.

\`\`\`sh
## not a heading
\`\`\`

### Deeper

x

## Two

> ## Quoted

Second.
`

function edited(body: string, ...edits: readonly Edit[]): string {
  return edits.reduce((text, edit, index) => applySplices(text, buildSplices(text, edit, outline(text), index)), body)
}

function outline(body: string) {
  return { headings: analysePage(body).headings, frontMatterEnd: frontMatterEnd(body) }
}

test('append and prepend insert text as separate lines; front matter stays first', () => {
  assert.equal(edited('a', { op: 'append', text: 'b' }), 'a\nb')
  assert.equal(edited('a\n', { op: 'append', text: 'b\n' }), 'a\nb\n')
  assert.equal(edited('', { op: 'append', text: 'b' }), 'b')
  assert.equal(edited('a\r\nc', { op: 'append', text: 'b' }), 'a\r\nc\r\nb')
  assert.equal(edited('a', { op: 'prepend', text: 'b' }), 'b\na')
  assert.equal(edited('---\nx: 1\n---\na', { op: 'prepend', text: 'b' }), '---\nx: 1\n---\nb\na')
  assert.equal(edited('---\nx: 1\n---', { op: 'prepend', text: 'b' }), '---\nx: 1\n---\nb')
})

test('replace requires the exact number of occurrences, else it changes nothing', () => {
  assert.equal(edited('a.b', { op: 'replace', find: '.', text: '$&' }), 'a$&b')
  assert.equal(edited('aaa', { op: 'replace', find: 'a', text: 'aa', expectedCount: 3 }), 'aaaaaa')
  assert.throws(() => edited('aa', { op: 'replace', find: 'a', text: '' }), { code: 'edit_not_applicable' })
  assert.throws(() => edited('b', { op: 'replace', find: 'a', text: '' }), /0 times/)
})

test('a section ends at the next heading of its level; a # in a code block or a quotation is no heading', () => {
  const body = edited(PAGE, { op: 'replaceSection', heading: 'One', text: 'New.' })
  assert.equal(body, PAGE.replace(/First\..*?(?=## Two)/s, 'New.\n\n'))
  assert.throws(() => edited(PAGE, { op: 'replaceSection', heading: 'not a heading', text: '' }), /fits no heading/)
  assert.throws(() => edited(PAGE, { op: 'replaceSection', heading: 'Quoted', text: '' }), /fits no heading/)
})

test('a replaced section keeps one heading where the text repeats it', () => {
  const once = edited(PAGE, { op: 'replaceSection', heading: 'One', text: 'New.' })
  for (const text of [
    '## One\n\nNew.',
    '## **One** \r\nNew.',
    '\n## One ##\nNew.',
    'One\n---\nNew.',
    '## [One](./one)\n\n\nNew.',
  ]) {
    assert.equal(edited(PAGE, { op: 'replaceSection', heading: 'One', text }), once)
  }
  const other = edited(PAGE, { op: 'replaceSection', heading: 'One', text: '### One\n\nNew.' })
  assert.match(other, /## One\n\n### One\n\nNew\.\n/)
})

test('text is appended to a section before the next one of its level, and continues its list or table', () => {
  const appended = (body: string, text: string) => edited(body, { op: 'appendToSection', heading: 'A', text })
  assert.equal(appended('## A\n\nx\n\n### B\n\ny\n\n## C\n', 'z'), '## A\n\nx\n\n### B\n\ny\n\nz\n\n## C\n')
  assert.equal(appended('## A\n## C\n', 'z\n'), '## A\n\nz\n\n## C\n')
  assert.equal(appended('## A', 'z'), '## A\n\nz\n')
  assert.equal(appended('## A\n\nx', 'z'), '## A\n\nx\n\nz\n')
  assert.equal(appended('# A\r\n\r\n- x\r\n\r\n# C', '- z'), '# A\r\n\r\n- x\r\n- z\r\n\r\n# C')
  assert.equal(appended('# A\n\n1. x\n   more\n# C', '2. z'), '# A\n\n1. x\n   more\n2. z\n\n# C')
  assert.equal(appended('# A\n\n| a |\n|---|\n', '| z |'), '# A\n\n| a |\n|---|\n| z |\n')
  assert.equal(appended('# A\n\n- x\n\nEnd.\n', '- z'), '# A\n\n- x\n\nEnd.\n\n- z\n')
})

test('a heading is found by its text without inline marks, and similar ones are suggested', () => {
  const body = '# A\n\n## The `npm` **start** script\n\nx\n'
  for (const heading of [
    'The npm start script',
    '## The `npm` **start** script',
    'The [npm](x) start script',
    '## The npm start script ##',
  ]) {
    assert.match(edited(body, { op: 'insertAfter', heading, text: 'y' }), /script\n\ny\n\nx/, heading)
  }
  assert.throws(
    () => edited(body, { op: 'insertAfter', heading: 'Start script', text: 'y' }),
    /fits no heading of the page; similar: "The npm start script"/,
  )
})

test('text is inserted before a heading or directly after it, separated by empty lines', () => {
  assert.equal(
    edited(PAGE, { op: 'insertBefore', heading: 'Two', text: 'Before.' }),
    PAGE.replace('## Two', 'Before.\n\n## Two'),
  )
  assert.equal(
    edited(PAGE, { op: 'insertAfter', heading: 'Two', text: 'Behind.' }),
    PAGE.replace('## Two\n', '## Two\n\nBehind.\n'),
  )
  assert.equal(edited('Set\n===', { op: 'insertAfter', heading: 'Set', text: 'x' }), 'Set\n===\n\nx\n')
  assert.equal(edited('Set\n===\ny', { op: 'insertBefore', heading: 'Set', text: 'x' }), 'x\n\nSet\n===\ny')
})

test('equal headings are distinguished by level or occurrence', () => {
  const body = '# A\n\n1\n\n## A\n\n2\n\n## A\n\n3\n'
  assert.throws(() => edited(body, { op: 'replaceSection', heading: 'A', text: 'x' }), /fits 3 headings/)
  assert.equal(
    edited(body, { op: 'replaceSection', heading: 'A', level: 2, occurrence: 2, text: 'x' }),
    '# A\n\n1\n\n## A\n\n2\n\n## A\n\nx\n',
  )
  assert.throws(
    () => edited(body, { op: 'replaceSection', heading: 'A', occurrence: 4, text: 'x' }),
    /fits only 3 headings/,
  )
})

const line = fc.oneof(
  fc.constantFrom(
    '# A',
    '## B',
    '### C',
    '## A',
    '```',
    '> # Q',
    '',
    '- item',
    'text',
    'Setext\n---',
    '    # code',
    '---',
    'x: 1',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const body = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.constantFrom('\n', '\r\n', '\r'), fc.boolean())
  .map(([lines, newline, end]) => lines.join(newline) + (end ? newline : ''))
const text = fc.array(line, { maxLength: 3 }).map((lines) => lines.join('\n'))
const heading = fc.constantFrom('A', 'B', 'C', 'Setext')
const edit = fc.oneof(
  fc.record({ op: fc.constant('append' as const), text }),
  fc.record({ op: fc.constant('prepend' as const), text }),
  fc.record({ op: fc.constant('replace' as const), find: fc.constantFrom('A', 'text', '- ', '\n\n'), text }),
  fc.record({
    op: fc.constantFrom(
      'replaceSection' as const,
      'appendToSection' as const,
      'insertBefore' as const,
      'insertAfter' as const,
    ),
    heading,
    text,
  }),
)

test('no edit changes characters outside its range, and the reported lines contain its text', () => {
  fc.assert(
    fc.property(body, fc.array(edit, { minLength: 1, maxLength: 4 }), (original, edits) => {
      let current = original
      let touched: ReturnType<typeof followSplices> = []
      for (const [index, one] of edits.entries()) {
        let splices: ReturnType<typeof buildSplices>
        try {
          splices = buildSplices(current, one, outline(current), index)
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'edit_not_applicable')
          continue
        }
        const next = applySplices(current, splices)
        // The reference: the text between the splices is unchanged, in the same order.
        const kept: string[] = []
        let from = 0
        for (const { at, remove } of splices) {
          kept.push(current.slice(from, at))
          from = at + remove
        }
        kept.push(current.slice(from))
        assert.equal(
          next,
          kept.flatMap((part, n) => (n < splices.length ? [part, splices[n]?.insert ?? ''] : [part])).join(''),
        )
        if (one.op !== 'replace') {
          // A section keeps its heading: a text that repeats it is inserted without it.
          const rest = one.text.replace(/^[\r\n]*(?:#.*|.*\n---)(?:\n|$)[\r\n]*/, '')
          const insert = splices[0]?.insert ?? ''
          assert.ok(insert.includes(one.text) || (one.op === 'replaceSection' && insert.includes(rest)))
        }
        touched = followSplices(touched, index, splices)
        current = next
      }
      const lines = current.split(/\r\n|\r|\n/).length
      for (const { fromLine, toLine } of toChanges(current, touched)) {
        assert.ok(fromLine >= 1 && fromLine <= toLine && toLine <= lines, `${fromLine}-${toLine} of ${lines}`)
      }
    }),
    { numRuns: rounds(250) },
  )
})

test('an edit at a heading changes no other heading of the page', () => {
  fc.assert(
    fc.property(
      body,
      heading,
      fc.constantFrom('insertBefore' as const, 'insertAfter' as const, 'appendToSection' as const),
      (original, name, op) => {
        const before = analysePage(original)
        if (before.headings.filter(({ text, nested }) => text === name && !nested).length !== 1) return
        const after = analysePage(edited(original, { op, heading: name, text: 'plain words' }))
        assert.deepEqual(
          after.headings.map(({ text, level }) => [text, level]),
          before.headings.map(({ text, level }) => [text, level]),
        )
      },
    ),
    { numRuns: rounds(250) },
  )
})
