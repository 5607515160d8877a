import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { IntlMessageFormat } from 'intl-messageformat'
import { formatMessage, listArguments } from './message-format.ts'

const TEXT = fc.string({ unit: fc.constantFrom(...'aé '.split(''), "n't", "''", '#', '>', '"', "'{x}'"), maxLength: 6 })
/** Messages with the arguments `name`, `count` and `kind`, and the element `b`. */
const { message: MESSAGE } = fc.letrec<{ message: string; part: string }>((tie) => ({
  message: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    TEXT,
    fc.constantFrom('{name}', '{ name }', '{count}', '{count, number}', '{count,number}'),
    fc
      .tuple(tie('message'), tie('message'))
      .map(([one, other]) => `{count, plural, =0 {none} one {${one}} other{${other}}}`),
    tie('message').map((other) => `{count, plural, offset:1 =1 {${other}} one {# more} other {# ${other}}}`),
    tie('message').map((two) => `{count, selectordinal, one {#st} two {${two}} other {#th}}`),
    fc.tuple(tie('message'), tie('message')).map(([a, other]) => `{kind, select, page {${a}} other {${other}}}`),
    tie('message').map((content) => `<b>${content}</b>`),
  ),
}))
const VALUES = fc.record({
  name: fc.string(),
  count: fc.integer({ min: 0, max: 3000 }),
  kind: fc.constantFrom('page', 'file'),
})

/** What a part is in the output of both. */
const bold = (content: readonly unknown[]) => `[${content.join('')}]`

test('a message is formatted as by another implementation of ICU MessageFormat', () => {
  const languages = fc.constantFrom('en', 'de', 'pl', 'ar-EG', 'fr')
  fc.assert(
    fc.property(MESSAGE, languages, VALUES, (message, language, values) => {
      let expected: unknown
      try {
        expected = new IntlMessageFormat(message, language).format({ ...values, b: bold })
      } catch {
        return fc.pre(false) // an apostrophe has opened a quotation that is never closed, or ended an option
      }
      const text = formatMessage<string>(message, language, { ...values, b: bold }).join('')
      assert.equal(text, [expected].flat().join(''))
    }),
    { numRuns: 2000 },
  )
})

test('nodes stay nodes, also within plurals and elements', () => {
  const node = { node: true }
  const parts = formatMessage<object>('{count, plural, one {# page of <a>{who}</a>} other {#}}', 'en', {
    count: 1,
    who: node,
    a: (content) => ({ content }),
  })
  assert.deepEqual(parts, ['1', ' page of ', { content: [node] }])
})

test('a message with a mistake is named', () => {
  for (const message of [
    '{',
    '{a',
    '}',
    '{a b}',
    '{n, plural, one {x}}',
    '{n, date}',
    '<b>x',
    '</b>',
    '<b>x</i>',
    '{n, select, {x}}',
  ])
    assert.throws(() => listArguments(message), SyntaxError, message)
})

test('arguments and elements are listed by their names', () => {
  assert.deepEqual(listArguments("{b} <a>{c, plural, other {# '{x}' {d}}}</a>"), ['a', 'b', 'c', 'd'])
})

test('the pseudo-language is longer, between brackets, and leaves values as they are', () => {
  assert.equal(formatMessage('Move {name}', 'en-XA', { name: 'note' }).join(''), '⟦Móóvéé note⟧')
})
