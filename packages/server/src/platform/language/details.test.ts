import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, rounds } from '../../../../../test/support/property.ts'
import { createTranslator } from './details.ts'

const CATALOGUE = [
  ['Nothing was changed.', 'Nichts wurde geändert.'],
  ['The password is not right.', 'Das Passwort stimmt nicht.'],
  ['The password {0}.', 'Das Passwort {0}.'],
  ['This {0}.', 'Dies {0}.'],
  ['The {0} `{1}` has moved to `{2}`.', '`{1}` ist jetzt unter `{2}`.'],
  ['No {0} is in the trash.', 'Nicht im Papierkorb: {0}.'],
  ['There are {0} threads: delete one first.', 'Es gibt {0} Diskussionen: Löschen Sie eine.'],
  ['must have at least {0} characters', 'muss mindestens {0} Zeichen haben'],
  ['must be {0}', 'muss {0} sein'],
  ['must be {0}, which this release supports', 'muss {0} sein, was dieses Release unterstützt'],
  ['a number', 'eine Zahl'],
  ['page', 'Seite'],
  ['`{0}` {1}.', '`{0}` {1}.'],
] as const
const translate = createTranslator('de', CATALOGUE)

test('a detail is found by its message, with the values that were filled in', () => {
  for (const [detail, translation] of [
    ['The password is not right.', 'Das Passwort stimmt nicht.'],
    ['There are 12 threads: delete one first.', 'Es gibt 12 Diskussionen: Löschen Sie eine.'],
    [
      'There are 12 threads: delete one first. Nothing was changed.',
      'Es gibt 12 Diskussionen: Löschen Sie eine. Nichts wurde geändert.',
    ],
    ['The page `a/b` has moved to `c`.', '`a/b` ist jetzt unter `c`.'],
  ] as const)
    assert.equal(translate(detail), translation)
})

test('a phrase in a detail is translated too, and a detail with one that is not known stays English', () => {
  assert.equal(
    translate('The password must have at least 8 characters.'),
    'Das Passwort muss mindestens 8 Zeichen haben.',
  )
  assert.equal(translate('This must be a number.'), 'Dies muss eine Zahl sein.')
  assert.equal(
    translate('`a b` must be 3, which this release supports.'),
    '`a b` muss 3 sein, was dieses Release unterstützt.',
  )
  for (const detail of ['The password has been used before.', 'This must be a cat of mine.', 'Something else.', ''])
    assert.equal(translate(detail), detail)
})

test('a word is translated where the service filled it in, and stays where somebody wrote it', () => {
  assert.equal(translate('No page is in the trash.'), 'Nicht im Papierkorb: Seite.')
  assert.equal(translate('The page `page` has moved to `a number`.'), '`page` ist jetzt unter `a number`.')
})

test('any values are found again, or the detail stays English', () => {
  const [message, translation] = CATALOGUE[4]
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (path, newPath) => {
      const fill = (text: string) =>
        ['page', path, newPath].reduce(
          (filledText, value, index) => filledText.replace(`{${index}}`, () => value),
          text,
        )
      // A value may hold what comes after it in the message.
      if (path.includes('`') || newPath.includes('`')) return
      assert.equal(translate(fill(message)), fill(translation))
    }),
    { numRuns: rounds(500) },
  )
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...CATALOGUE.flatMap(([english]) => english.split(/\{\d\}/)), ' ', 'x')),
      (pieces) => {
        assert.equal(typeof translate(pieces.join('')), 'string')
      },
    ),
    { numRuns: rounds(500) },
  )
})

test('a long detail of pieces of messages takes no time', () => {
  const pieces = CATALOGUE.flatMap(([english]) => english.split(/\{\d\}/)).join('')
  const began = process.threadCpuUsage().user
  for (const detail of [
    pieces.repeat(8),
    `The password must be ${pieces.repeat(7)}.`,
    'x'.repeat(1_000_000),
    '` '.repeat(900),
  ])
    translate(detail)
  assert.ok(process.threadCpuUsage().user - began < 1_000_000)
})
