import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithinEdits } from './edits.ts'

test('a text is within edits of another: letters inserted, deleted, replaced and transposed', () => {
  for (const [one, other, edits] of [
    ['word', 'word', 0],
    ['word', 'words', 1],
    ['word', 'wrd', 1],
    ['word', 'ward', 1],
    ['word', 'wrod', 1],
    ['', 'a', 1],
    ['authetnicaton', 'authentication', 2],
    ['accomodaton', 'accommodation', 2],
    ['abc', 'cab', 2],
    ['', 'ab', 2],
    ['abcd', 'badc', 2],
    ['abcdef', 'xbcdey', 2],
  ] as const) {
    assert.ok(isWithinEdits(one, other, edits), `${one} ${other}`)
    assert.ok(isWithinEdits(other, one, edits), `${other} ${one}`)
    if (edits > 0) assert.ok(!isWithinEdits(one, other, edits - 1), `${one} ${other}, too few`)
  }
})
