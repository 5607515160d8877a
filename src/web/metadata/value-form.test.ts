import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asSent, kindOf, markOf, parseValue, textOf } from './value-form.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

test('every value that can be stored comes out of its control as it went in', () => {
  const values = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean())))
  fc.assert(
    fc.property(
      values.filter((value) => value !== null),
      (value) => {
        const kind = kindOf(value)
        assert.deepEqual(parseValue(kind, textOf(kind, value)), { value: plain(value) })
      },
    ),
    { numRuns: 1000 },
  )
})

test('lists are lines, in which text is text and JSON is JSON', () => {
  assert.deepEqual(parseValue('list', 'a b\r\n\r\n3\n"3"\n""'), { value: ['a b', 3, '3', ''] })
  assert.equal(textOf('list', ['a', '3', 3, '', 'x\ny']), 'a\n"3"\n3\n""\n"x\\ny"')
})

test('what is no value of its kind is told', () => {
  for (const [kind, text] of [
    ['number', 'three'],
    ['number', ''],
    ['switch', 'maybe'],
    ['json', '{'],
    ['json', 'null'],
  ] as const) {
    assert.ok('problem' in parseValue(kind, text), `${kind} ${text}`)
  }
})

test('a control that was not touched is known, whatever the browser does to line breaks', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const sent = asSent(text).replaceAll('\n', '\r\n')
      assert.equal(markOf('text', sent), markOf('text', text))
    }),
  )
  assert.notEqual(markOf('text', 'a'), markOf('text', 'b'))
  assert.notEqual(markOf('text', '3'), markOf('number', '3'))
})
