import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/property.ts'
import { linesOf, markedText, merge3, type Piece, settledText } from './merge.ts'

const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n')
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('', 'end'))
  .map(([lines, tail]) => lines.join('') + tail)

const side = (pieces: readonly Piece[], name: 'base' | 'mine' | 'theirs') =>
  pieces.map((piece) => (piece.kind === 'settled' ? piece.lines : piece[name]).join('')).join('')

test('what only one side changed is the result, and what both changed alike too', () => {
  fc.assert(
    fc.property(text, text, (base, changed) => {
      assert.equal(settledText(merge3(base, changed, base)), changed)
      assert.equal(settledText(merge3(base, base, changed)), changed)
      assert.equal(settledText(merge3(base, changed, changed)), changed)
    }),
    { numRuns: 2000 },
  )
})

test('the sides are equals: exchanged, the conflicts are the same with their sides exchanged', () => {
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      const there = merge3(base, mine, theirs)
      const back = merge3(base, theirs, mine)
      assert.equal(side(there, 'mine'), side(back, 'theirs'))
      assert.equal(settledText(there), settledText(back))
    }),
    { numRuns: 2000 },
  )
})

test('changes of different places are both taken: any edits of two halves apart from each other', () => {
  const fence = 'fence 1\nfence 2\n'
  const unfenced = text.map((part) =>
    linesOf(part)
      .map((own) => own.replace(/\n?$/, '\n'))
      .join(''),
  )
  fc.assert(
    fc.property(unfenced, unfenced, unfenced, unfenced, (top, bottom, newTop, newBottom) => {
      const merged = merge3(top + fence + bottom, newTop + fence + bottom, top + fence + newBottom)
      assert.equal(settledText(merged), newTop + fence + newBottom)
    }),
    { numRuns: 2000 },
  )
})

test('no line of either side is lost: every line is settled, in a conflict, or was given up by the other', () => {
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      const pieces = merge3(base, mine, theirs)
      const kept = new Set(linesOf(markedText(pieces, { mine: 'm', theirs: 't' })))
      const closed = (own: string) => own.replace(/\n?$/, '\n')
      const known = new Set(linesOf(base).map(closed))
      for (const own of [...linesOf(mine), ...linesOf(theirs)].map(closed)) {
        if (!known.has(own)) assert.ok([...kept].map(closed).includes(own), own)
      }
    }),
    { numRuns: 1000 },
  )
})

test('two ways for one line are a conflict that names both', () => {
  const pieces = merge3('one\ntwo\nthree\n', 'one\nmine\nthree\n', 'one\ntheirs\nthree\n')
  assert.equal(settledText(pieces), undefined)
  assert.equal(
    markedText(pieces, { mine: 'yours', theirs: 'version 3' }),
    'one\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> version 3\nthree\n',
  )
})
