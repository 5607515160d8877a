import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/property.ts'
import { buildExcerpt, lineStarts } from './excerpt.ts'

const bodies = fc.string({ unit: fc.constantFrom('a', 'b', '💡', '\n', '\r', '\r\n', 'é'), maxLength: 60 })

test('the parts of a body add up to the body, within the size limit and without split characters', () => {
  fc.assert(
    fc.property(bodies, fc.integer({ min: 2, max: 20 }), (body, max) => {
      const starts = lineStarts(body)
      let text = ''
      let at: { readonly line: number; readonly column: number } | undefined = { line: 1, column: 1 }
      while (at) {
        const range = { fromLine: at.line, fromColumn: at.column, toLine: starts.length }
        const part = buildExcerpt(body, starts, range, max)
        assert.ok(part.content.length <= max && part.content.isWellFormed())
        assert.ok(part.content !== '' || body === '')
        text += part.content
        at = part.next
      }
      assert.equal(text, body)
    }),
  )
})

test('a range consists of complete lines, and a part ends at a line break if possible', () => {
  const body = 'one\ntwo\r\nthree\rfour\n'
  const starts = lineStarts(body)
  assert.deepEqual(starts, [0, 4, 9, 15])
  const lines = (fromLine: number, toLine: number, max = 100) =>
    buildExcerpt(body, starts, { fromLine, fromColumn: 1, toLine }, max)
  assert.deepEqual(lines(2, 3), { content: 'two\r\nthree\r', fromLine: 2, toLine: 3, next: undefined })
  assert.deepEqual(lines(1, 4, 10), { content: 'one\ntwo\r\n', fromLine: 1, toLine: 2, next: { line: 3, column: 1 } })
  assert.deepEqual(lines(3, 3, 4), { content: 'thre', fromLine: 3, toLine: 3, next: { line: 3, column: 5 } })
})

test('a part that would end at a line break in its first half ends within the long line', () => {
  const body = `# Title\n\n${'word '.repeat(100)}\n`
  const starts = lineStarts(body)
  const part = buildExcerpt(body, starts, { fromLine: 1, fromColumn: 1, toLine: 3 }, 100)
  assert.equal(part.content.length, 100)
  assert.deepEqual(part.next, { line: 3, column: 92 })
})
