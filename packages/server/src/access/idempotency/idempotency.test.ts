import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIdempotencyKey } from './idempotency.ts'

test('a key is a quoted string, or the same characters without quotes', () => {
  for (const [header, key] of [
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"a b"', 'a b'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    [' "x" ', 'x'],
    ['KG5LxwFBepaKHyUD==', 'KG5LxwFBepaKHyUD=='],
    ['x'.repeat(255), 'x'.repeat(255)],
  ] as const) {
    assert.equal(parseIdempotencyKey(header), key)
  }
})

test('other keys are rejected', () => {
  for (const header of [
    '',
    ' ',
    '""',
    '"',
    '"a',
    'a"',
    'a b',
    'a, b',
    '"a", "b"',
    '"a";v=1',
    String.raw`"a\b"`,
    'ключ',
    '"ключ"',
    'a\u0000',
    'x'.repeat(256),
  ]) {
    assert.throws(() => parseIdempotencyKey(header), { code: 'idempotency_key_invalid' }, header)
  }
})
