import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeUtf8, JsonError, parseJson } from './json.ts'

test('a mebibyte of hostile input is scanned in linear time', () => {
  const size = 1 << 20
  const bodies = {
    'one string': JSON.stringify({ body: 'x'.repeat(size) }),
    escapes: JSON.stringify({ body: '\n"'.repeat(size / 4) }),
    keys: JSON.stringify(Object.fromEntries(Array.from({ length: size / 16 }, (_, i) => [`key-${i}`, i]))),
    objects: `[${'{"a":1},'.repeat(size / 8)}0]`,
    integers: `[${'9007199254740992,'.repeat(size / 17)}0]`,
    digits: `[0.${'0'.repeat(size)}1]`,
    numbers: `[${'1.5e10,'.repeat(size / 7)}0]`,
    blanks: `[${' '.repeat(size)}`,
  }
  for (const [name, body] of Object.entries(bodies)) {
    const start = performance.now()
    scan(Buffer.from(body))
    const took = performance.now() - start
    assert.ok(took < 2000, `${name}: ${took} ms`)
  }
})

/** Either outcome is fine here. */
function scan(body: Uint8Array): void {
  try {
    parseJson(decodeUtf8(body) ?? '')
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error))
  }
}
