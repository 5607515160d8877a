import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText, fc } from '../../../../test/support/property.ts'
import { cleanLine, isSingleLine, jsonLine, showLine } from './single-line.ts'

const LEGAL = [
  '',
  'Ann Lee',
  'Überprüfung: 100 % (β-Version) – „neu“',
  'e\u0301',
  'no\u00a0break',
  'می‌خواهم', // Persian, with ZWNJ
  'کتاب‌های سال‌۲۰۲۶',
  '۱۴۰۵ ه\u200d.ش',
  'क्‍ष क्‌ष', // Devanagari, with ZWJ and ZWNJ
  'ന്\u200d', // a chillu of Malayalam
  'ශ්‍රී ලංකා', // Sinhala
  'שלום עולם',
  'مرحبا بالعالم',
  '日本語 葛\u{e0100}飾',
  '👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️‍🔥 👩🏽‍🚀 🧔‍♂️',
  '☎︎ ☎️ 1️⃣ #️⃣ 🇩🇪',
  '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', // the flag of England
]

test('names of all scripts and emoji are text of one line, and stay as they are', () => {
  for (const text of LEGAL) {
    assert.ok(isSingleLine(text), JSON.stringify(text))
    assert.equal(cleanLine(text), text.trim().replaceAll('\u00a0', ' '))
    assert.equal(showLine(text), text)
  }
})

test('controls, separators of lines, direction marks and lone invisible characters are no text of one line', () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter((code) => code < 0x20 || code > 0x7e)
  const marks = [
    0x61c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
  ]
  const invisible = [
    0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2064, 0x206a, 0x3164,
  ]
  const others = [0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xd800, 0xdfff]
  for (const code of [...controls, ...marks, ...invisible, ...others]) {
    const character = String.fromCodePoint(code)
    for (const text of [character, `a${character}b`, `Ann${character}`, `${character}Ann`]) {
      assert.ok(!isSingleLine(text), `${code.toString(16)} in ${JSON.stringify(text)}`)
      assert.ok(!showLine(text).includes(character) && !cleanLine(text).includes(character))
    }
  }
  // Emoji and tags that are incomplete, and joiners in scripts without them.
  for (const text of [
    '👩\u200d',
    '\u200d💻',
    '1\ufe0f',
    '\u{1f3f4}\u{e0067}',
    'ad\u200dmin',
    'ad\u200cmin',
    'е\u200dа',
  ])
    assert.ok(!isSingleLine(text), JSON.stringify(text))
})

test('a cleaned or shown text, and JSON, is of one line, whatever it was, and forged lines are part of it', () => {
  fc.assert(
    fc.property(
      anyText,
      fc.constantFrom('\n', '\r\n', '\u001b[2J', '\u202e', '\u2028', '\u200b', '\u{e0041}'),
      (text, middle) => {
        for (const line of [showLine(text + middle + text), cleanLine(text + middle + text)]) {
          assert.ok(isSingleLine(line), JSON.stringify(line))
          assert.equal(showLine(line), line)
        }
      },
    ),
    { numRuns: 2000 },
  )
  fc.assert(
    fc.property(anyText, fc.constantFrom('\n', '\u202e', '\u2028', '\u200b', '\u{e0041}', '  '), (text, middle) => {
      const value = { [middle + text]: [text + middle + text] }
      assert.ok(isSingleLine(jsonLine(value)), jsonLine(value))
      assert.deepEqual(JSON.parse(jsonLine(value)), value)
    }),
    { numRuns: 2000 },
  )
  assert.equal(showLine('X\n2026-01-01 page.updated by \u001b[1mCEO'), 'X 2026-01-01 page.updated by \ufffd[1mCEO')
})
