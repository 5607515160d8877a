import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, rounds } from '../../../../test/support/property.ts'
import { createNames, findOriginal, isConflictCopy, nameConflictCopy, parseName } from './names.ts'

const character = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...'aAbBéÉıİßσς.%+25~:*?"<>|(){} -_#'.split('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
)
const word = fc.oneof(
  { weight: 8, arbitrary: fc.array(character, { minLength: 1, maxLength: 6 }).map((all) => all.join('')) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'CON',
      'nul.txt',
      'com1',
      '.git',
      'a.md',
      'A.MD',
      '%41',
      '100%',
      'x%+',
      '__MACOSX',
      'img (conflict 0123abcd).png',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('长'.repeat(85), 'x'.repeat(255), '.'.repeat(250), '%'.repeat(255), 'É'.repeat(127)),
  },
)
/** What the service accepts as a path. */
const path = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/').normalize('NFC'))
  .filter((text) =>
    text
      .split('/')
      .every(
        (segment) =>
          segment !== '' &&
          segment !== '.' &&
          segment !== '..' &&
          segment === segment.trim() &&
          !/[\p{Cc}\\]/u.test(segment),
      ),
  )
const item = fc.record({ kind: fc.constantFrom('page' as const, 'file' as const), path })

const folded = (name: string) => name.normalize('NFD').toUpperCase().normalize('NFD').toLowerCase()

test('names are reversible, accepted by every file system, and distinct without letter case', () => {
  fc.assert(
    fc.property(fc.uniqueArray(item, { maxLength: 8, selector: ({ kind, path }) => `${kind} ${path}` }), (items) => {
      const names = createNames([])
      const files = new Map<string, string>()
      const folders = new Map<string, string>()
      for (const { kind, path } of items) {
        const name = names.create(kind, path)
        assert.deepEqual(parseName(name), { kind, path }, name)
        const pieces = name.split('/')
        for (const piece of pieces) {
          assert.ok(Buffer.byteLength(piece) <= 255, piece)
          assert.doesNotMatch(piece, /[<>:"|?*\\]|^\.|\.$|^$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i)
        }
        assert.ok(!isConflictCopy(name), name)
        assert.ok(!files.has(folded(name)), name)
        files.set(folded(name), name)
        for (let length = 1; length < pieces.length; length++) {
          const folder = pieces.slice(0, length).join('/')
          assert.equal(folders.get(folded(folder)) ?? folder, folder)
          folders.set(folded(folder), folder)
        }
      }
      for (const folder of folders.keys()) assert.ok(!files.has(folder), folder)
    }),
    { numRuns: rounds(100) },
  )
})

test('plain paths are their own names, and a page has its folder beside it', () => {
  const names = createNames([])
  assert.equal(names.create('page', 'guide/start'), 'guide/start.md')
  assert.equal(names.create('page', 'guide'), 'guide.md')
  assert.equal(names.create('file', 'guide/a b.png'), 'guide/a b.png')
  assert.equal(names.create('page', 'Guide'), '%47uide.md')
  assert.equal(createNames(['Guide.md']).create('page', 'guide'), '%67uide.md')
  assert.equal(names.create('file', 'notes.md'), 'notes%2Emd')
  assert.equal(names.create('page', 'a:b'), 'a%3Ab.md')
  assert.deepEqual(parseName('cafe\u0301.md'), { kind: 'page', path: 'caf\u00e9' })
})

test('the copy of a file in conflict names the file', () => {
  const copy = nameConflictCopy('img/a.b.png', '0123abcd4567')
  assert.equal(copy, 'img/a.b (conflict 0123abcd).png')
  assert.ok(isConflictCopy(copy))
  assert.equal(findOriginal(copy), 'img/a.b.png')
  assert.equal(nameConflictCopy('img.d/LICENSE', '0123abcd4567'), 'img.d/LICENSE (conflict 0123abcd)')
})
