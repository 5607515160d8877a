import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { Lexeme, Vector, type Weight } from '../../packages/server/src/content/search/vector.ts'
import { binaryArray } from '../../packages/server/src/platform/database/values.ts'
import { fc } from '../support/property.ts'
import { createTestDatabase } from '../support/test-database.ts'

const closing = new AsyncDisposableStack()
let client: pg.Client
before(async () => {
  client = new pg.Client(closing.use(await createTestDatabase()).connection)
  await client.connect()
  closing.defer(() => client.end())
})
after(() => closing.disposeAsync())

const WORDS = ['a', 'ab', 'b', 'straße', '日本', '🚀', 'z'.repeat(300), '\u{ffe6}', '𝒜']
const placed = fc.record({
  word: fc.constantFrom(...WORDS),
  position: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 16_380, max: 17_000 })),
  weight: fc.constantFrom<Weight>('A', 'B', 'C', 'D'),
})

/** The same vector as PostgreSQL reads it from a text, which has one place at each position. */
function simpleText(given: readonly { word: string; position: number; weight: Weight }[]): string {
  const places = new Map<string, Map<number, Weight>>()
  for (const { word, position, weight } of given) {
    const ofWord = places.get(word) ?? new Map<number, Weight>()
    const at = Math.min(position, 16_383)
    if (!ofWord.has(at)) ofWord.set(at, weight)
    places.set(word, ofWord)
  }
  return [...places].map(([word, at]) => `'${word}':${[...at].map(([place, weight]) => `${place}${weight}`)}`).join(' ')
}

test('PostgreSQL reads the same vectors from the binary format as from texts, in whatever order words are added', async () => {
  const lists = fc.array(fc.array(placed, { maxLength: 30 }), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(lists, async (given) => {
      const vectors = given.map((list) => {
        const lexemes = new Map(WORDS.map((word) => [word, new Lexeme(word)]))
        const vector = new Vector()
        for (const { word, position, weight } of list)
          vector.addAt(position, lexemes.get(word) ?? new Lexeme(word), weight)
        return vector.toBytes()
      })
      const { rows } = await client.query(
        'select $1::tsvector[]::text[] as found, $2::text[]::tsvector[]::text[] as expected',
        [binaryArray('tsvector', vectors), given.map(simpleText)],
      )
      assert.deepEqual(rows[0].found, rows[0].expected)
    }),
  )
})

test('a word has at most 255 places, and PostgreSQL reads them', async () => {
  const vector = new Vector()
  const lexeme = new Lexeme('often')
  for (let position = 1; position < 1_000; position++) vector.addAt(position, lexeme, 'C')
  const { rows } = await client.query('select $1::tsvector::text as found', [vector.toBytes()])
  assert.equal(rows[0].found, `'often':${Array.from({ length: 255 }, (_, n) => `${n + 1}C`)}`)
})
