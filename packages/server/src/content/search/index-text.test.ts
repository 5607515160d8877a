import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText, fc } from '../../../../../test/support/property.ts'
import { vectorText } from '../../../../../test/support/vector-text.ts'
import { indexedText } from './index-text.ts'
import { getStemmer } from './indexed-words.ts'
import { foldWord, isJoint, joined, splitParts, splitWords } from './words.ts'

const index = async (body: string) => {
  const facts = { frontmatter: {}, headings: [], links: [], images: [], text: body }
  return vectorText((await indexedText({ path: 'x', title: 'x', facts, language: 'en' })).all)
}

/** The words of a body with their places: written down one by one, then merged. */
function simpleIndex(body: string): Map<string, string[]> {
  const stem = getStemmer('en')
  const places = new Map<string, string[]>()
  // After the title and the path, which are one word each, with the gaps between.
  let position = 1 + 10 + 1 + 100
  const put = (at: number, word: string, weight: string) => {
    const known = places.get(word) ?? []
    if (known.some((place) => Number.parseInt(place, 10) === at)) return
    places.set(word, [...known, `${at}${weight}`])
  }
  const putForms = (at: number, word: string) => {
    put(at, word, 'C')
    put(at, stem(word), '')
  }
  const text = body
  let name: { first: number; words: string[] } = { first: 0, words: [] }
  const endName = () => {
    const whole = joined(name.words)
    if (whole !== undefined) put(name.first, whole, 'C')
  }
  let last = -1
  for (const { word, start, end, cjk } of splitWords(text)) {
    position++
    if (cjk || name.words.length === 0 || !isJoint(text, last, start)) {
      endName()
      name = { first: position, words: [] }
    }
    if (cjk) put(position, word, 'C')
    else {
      name.words.push(word)
      putForms(position, word)
      for (const part of splitParts(text.slice(start, end)).map(foldWord)) if (part !== '') putForms(position, part)
      last = end
    }
  }
  endName()
  return places
}

/** Of the words of the body only, with the places of each in order. */
function written(all: string): Map<string, string[]> {
  const entries = all.split(' ').map((entry) => {
    const [, word = '', places = ''] = /^'(.+)':(.+)$/.exec(entry) ?? []
    return [word, places.split(',').filter((place) => !/^[0-9]{1,2}[AB]$/.test(place))] as const
  })
  return new Map(entries.filter(([, places]) => places.length > 0))
}

const sorted = (places: Map<string, string[]>) =>
  [...places].map(([word, at]) => [word, at.toSorted()] as const).sort(([a], [b]) => (a < b ? -1 : 1))

const piece = fc.oneof(
  anyText,
  fc.constantFrom(
    'getUserId',
    'Get-ChildItem',
    'policies',
    'Policy',
    'x²',
    '日本語',
    'Straße',
    '٣',
    'v2.4.1',
    '½',
    'ﷺ',
    'e\u0301',
  ),
  fc.constantFrom(' ', '-', '.', "'", '\n', '_', '…'),
)
const bodies = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

test('the index of a body has the words that a simple reference finds, whatever was indexed before', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      assert.deepEqual(sorted(written(await index(body))), sorted(simpleIndex(body)))
    }),
  )
})

test('long bodies that are indexed at the same time do not mix', async () => {
  const long = (start: number) => Array.from({ length: 45_000 }, (_, n) => `w${(n * 7 + start) % 9_000}`).join(' ')
  const all = [long(0), long(4_000), long(8_000)]
  const alone: string[] = []
  for (const body of all) alone.push(await index(body))
  const together = await Promise.all(all.map(index))
  assert.deepEqual(together, alone)
  assert.equal(new Set(alone).size, all.length)
  for (const text of alone) assert.equal(new Set(text.match(/'[^']+'/g)).size, text.match(/'[^']+'/g)?.length)
})
