import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText, fc } from '../../../../../../test/support/property.ts'
import { foldTitle, parseTitleQuery } from './title-query.ts'

test('the last word is a prefix unless it is a single letter', () => {
  assert.deepEqual(parseTitleQuery(' Crème b '), {
    exact: `'creme' & 'b'`,
    begun: `'creme':*`,
    begunAlone: [],
    prefix: 'Crème b',
  })
  assert.deepEqual(parseTitleQuery('two words two').begunAlone, [`'two':*`, `'words':*`])
  assert.equal(parseTitleQuery('日本語').begun, `'日本' & '本語'`)
  assert.deepEqual(parseTitleQuery('  '), { exact: undefined, begun: undefined, begunAlone: [], prefix: '' })
})

test('an emoji is a word', () => {
  assert.equal(parseTitleQuery('🚀 plan').exact, `'🚀' & 'plan'`)
})

test('no typed character is interpreted by the query language', () => {
  fc.assert(
    fc.property(anyText, (typed) => {
      const { exact = '', begun = '' } = parseTitleQuery(typed)
      for (const text of [exact, begun]) {
        assert.match(
          text,
          /^(?:'(?:[\p{L}\p{N}\p{M}]+|[\p{Extended_Pictographic}\p{Regional_Indicator}])'(?::\*)?(?: & |$))*$/u,
        )
      }
    }),
  )
})

test('titles are compared without case, accents and punctuation', () => {
  assert.equal(foldTitle('  Über: “Straße”—2 '), 'uber strasse 2')
})
