import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, rounds } from '../../../../test/support/property.ts'
import { type MergedPart, markedText, merge3, settledText } from './merge.ts'
import { splitLines } from './split-lines.ts'

const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n')
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('', 'end'))
  .map(([lines, tail]) => lines.join('') + tail)

const side = (pieces: readonly MergedPart[], name: 'base' | 'mine' | 'theirs') =>
  pieces.map((piece) => (piece.kind === 'settled' ? piece.lines : piece[name]).join('')).join('')

test('changes of one side, and equal changes of both, are merged', () => {
  fc.assert(
    fc.property(text, text, (base, changed) => {
      assert.equal(settledText(merge3(base, changed, base)), changed)
      assert.equal(settledText(merge3(base, base, changed)), changed)
      assert.equal(settledText(merge3(base, changed, changed)), changed)
    }),
    { numRuns: rounds(500) },
  )
})

test('merging is symmetric: exchanged sides give the same conflicts with their sides exchanged', () => {
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      const there = merge3(base, mine, theirs)
      const back = merge3(base, theirs, mine)
      assert.equal(side(there, 'mine'), side(back, 'theirs'))
      assert.equal(settledText(there), settledText(back))
    }),
    { numRuns: rounds(500) },
  )
})

test('changes in different places are merged: any edits of two separate halves', () => {
  const fence = 'fence 1\nfence 2\n'
  const unfenced = text.map((part) =>
    splitLines(part)
      .map((own) => own.replace(/\n?$/, '\n'))
      .join(''),
  )
  fc.assert(
    fc.property(unfenced, unfenced, unfenced, unfenced, (top, bottom, newTop, newBottom) => {
      const merged = merge3(top + fence + bottom, newTop + fence + bottom, top + fence + newBottom)
      assert.equal(settledText(merged), newTop + fence + newBottom)
    }),
    { numRuns: rounds(500) },
  )
})

test('no line of either side is lost: each is merged, in a conflict, or deleted by the other side', () => {
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      const pieces = merge3(base, mine, theirs)
      const kept = new Set(splitLines(markedText(pieces, { mine: 'm', theirs: 't' })))
      const closed = (own: string) => own.replace(/\n?$/, '\n')
      const known = new Set(splitLines(base).map(closed))
      for (const own of [...splitLines(mine), ...splitLines(theirs)].map(closed)) {
        if (!known.has(own)) assert.ok([...kept].map(closed).includes(own), own)
      }
    }),
    { numRuns: 1000 },
  )
})

test('two different changes of one line are a conflict with both', () => {
  const pieces = merge3('one\ntwo\nthree\n', 'one\nmine\nthree\n', 'one\ntheirs\nthree\n')
  assert.equal(settledText(pieces), undefined)
  assert.equal(
    markedText(pieces, { mine: 'yours', theirs: 'version 3' }),
    'one\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> version 3\nthree\n',
  )
})
