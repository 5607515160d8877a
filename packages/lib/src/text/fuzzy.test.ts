import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldText, fuzzyScore } from './fuzzy.ts'

const score = (text: string, typed: string) => fuzzyScore(foldText(text), foldText(typed))

test('a text that starts with the query ranks before one with a word that does, one that contains it, and one with letters left out', () => {
  const ranked = ['Deployment', 'How to deploy', 'Undeployed', 'Deeply nested'].map((text) => score(text, 'depl'))
  assert.deepEqual(
    ranked,
    [...ranked].sort((a, b) => b - a),
  )
  assert.ok(ranked.every((value) => value > 0))
})

test('every word must match, in any order, without case and accents', () => {
  assert.ok(score('Été à Genève', 'geneve ete') > 0)
  assert.equal(score('Été à Genève', 'geneve hiver'), 0)
})

test('letters may be left out, but not be in another order, and the first one starts a word', () => {
  assert.ok(score('Settings', 'stngs') > 0)
  assert.equal(score('Settings', 'sgnit'), 0)
  assert.equal(score('Settings', 'tings x'), 0)
  assert.equal(score('Settings', 'tngs'), 0)
  assert.equal(score('Backup deploy', 'budy'), 0, 'letters of two words')
})
