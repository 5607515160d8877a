import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText, fc } from '../../../../../test/support/property.ts'
import { NameMatcher } from './names.ts'
import { parseQuery } from './query.ts'
import { isStopWord } from './stop-words.ts'
import type { QueryWord } from './term.ts'
import { splitWords } from './words.ts'

/** The same from the definition: each name by itself, each of its words with each word of the query. */
function reference(q: string, weights: readonly number[], { title, path }: { title: string; path: string }) {
  const query = parseQuery(q)
  const isPartial = weights.length > 0
  const terms = query.branches.flat().filter(({ negative }) => !negative)
  const words = terms.flatMap((term, at) =>
    term.words.map((word) => ({ word, weight: isPartial ? (weights[at] ?? 0) : 1 })),
  )
  const typed = splitWords(q).map(({ word }) => word)
  const parts = title.split(/[:;|()–—]|\s-\s/)
  const segments = path.replace(/\/(?:index|readme)$/i, '').split('/')
  const paths = [0, -2, -1].map((from) => segments.slice(from).join('/'))
  const names = [title, ...(parts.length > 1 ? parts : []), ...paths].map((name, index) => {
    const all = splitWords(name).map(({ word }) => word)
    const isLike = (one: string) => words.some(({ word }) => likeness(word, one) > 0)
    const rest = all.filter((word) => isLike(word) || !isStopWord(word, query.languages))
    const isTelling = all.some((word) => isLike(word) && !isStopWord(word, query.languages))
    const isPhrase = all.length > 1 && isTelling && ` ${typed.join(' ')} `.includes(` ${all.join(' ')} `)
    return { words: rest.length > 0 ? rest : all, share: index === 0 ? 1 : 0.9, isPhrase }
  })
  const scores = names.map(({ words: own, share }) => {
    const best = own.map((one) => Math.max(0, ...words.map(({ word }) => likeness(word, one))))
    const covered = best.reduce((sum, each) => sum + each, 0)
    const all = words.reduce((sum, { weight }) => sum + weight, 0)
    const isMet = (word: QueryWord) => own.some((one) => likeness(word, one) > 0)
    const met = words.reduce((sum, { word, weight }) => sum + (isMet(word) ? weight : 0), 0)
    const queryShare = all === 0 ? 0 : met / all
    return covered === 0 ? 0 : share * (covered / own.length) * (isPartial ? Math.sqrt(queryShare) : queryShare)
  })
  const whole = words.map(({ word }) => word.word).join('')
  return {
    score: Math.max(...scores),
    whole: names.some(({ words, isPhrase }) => words.join('') === whole || (isPartial && isPhrase)),
  }
}

function likeness({ word, stems, parts, prefix }: QueryWord, other: string): number {
  if (word === other) return 1
  if (parts.some((part) => part.word === other)) return 0.9
  if (stems.some((stem) => other.startsWith(stem) && other.length - stem.length <= 4)) return 0.8
  return prefix && other.startsWith(word) ? 0.5 : 0
}

const WORDS = [
  'wal',
  'walrus',
  'policies',
  'policy',
  'getUser',
  'user',
  'the',
  'of',
  '日本語',
  'Ærø',
  '2.4',
  'index',
  '-',
  '(',
]
const phrase = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 })
const title = fc.oneof(
  phrase.map((words) => words.join(' ')),
  anyText,
)
const path = fc.array(
  fc.oneof(
    phrase.map((words) => words.join('-')),
    anyText,
  ),
  { maxLength: 4 },
)
const page = fc.record({ title, path: path.map((segments) => segments.join('/')) })
const query = fc.oneof(
  phrase.map((words) => words.join(' ')),
  anyText,
)

test('a page is compared by its best name', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 })
  fc.assert(
    fc.property(query, weights, fc.array(page, { minLength: 1, maxLength: 6 }), (q, weights, pages) => {
      const names = new NameMatcher(parseQuery(q), weights)
      for (const page of pages) assert.deepEqual(names.match(page), reference(q, weights, page))
    }),
  )
})

test('a title that is the query is its whole name, a part of it covers less', () => {
  const names = new NameMatcher(parseQuery('Set-Location'), [])
  assert.deepEqual(names.match({ title: 'SetLocation: examples', path: 'a/b' }), { score: 0, whole: true })
  assert.deepEqual(names.match({ title: 'Set Location', path: 'a/b' }), { score: 1, whole: true })
  assert.deepEqual(names.match({ title: 'x', path: 'set-location/readme' }), { score: 0.9, whole: true })
})
