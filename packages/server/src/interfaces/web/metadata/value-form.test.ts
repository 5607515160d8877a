import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../../test/support/property.ts'
import { asSent, chooseKind, controlText, digestValue, parseValue } from './value-form.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

test('every storable value survives its control unchanged', () => {
  const values = fc.oneof(fc.jsonValue(), fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean())))
  fc.assert(
    fc.property(
      values.filter((value) => value !== null),
      (value) => {
        const kind = chooseKind(value)
        assert.deepEqual(parseValue(kind, controlText(kind, value)), { value: plain(value) })
      },
    ),
    { numRuns: 1000 },
  )
})

test('lists are edited one element per line, as text or JSON', () => {
  assert.deepEqual(parseValue('list', 'a b\r\n\r\n3\n"3"\n""'), { value: ['a b', 3, '3', ''] })
  assert.equal(controlText('list', ['a', '3', 3, '', 'x\ny']), 'a\n"3"\n3\n""\n"x\\ny"')
})

test('a value that does not fit its control is an error', () => {
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

test('an unchanged control is recognised despite the line breaks of browsers', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const sent = asSent(text).replaceAll('\n', '\r\n')
      assert.equal(digestValue('text', sent), digestValue('text', text))
    }),
  )
  assert.notEqual(digestValue('text', 'a'), digestValue('text', 'b'))
  assert.notEqual(digestValue('text', '3'), digestValue('number', '3'))
})
