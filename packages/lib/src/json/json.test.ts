import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { anyText, fc, rounds } from '../../../../test/support/property.ts'
import { decodeUtf8, isJsonObject, JsonError, JsonMembersError, jsonEqual, parseJson } from './json.ts'

const suite = resolve(import.meta.dirname, '../../../../../shared/data/json/JSONTestSuite.json')

interface Case {
  readonly name: string
  readonly expect: 'accept' | 'reject' | 'either'
  readonly b64: string
}

/** The grammar allows these; here they are rejected, because parsers disagree on which of the two values counts. */
const EQUAL_KEYS = ['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json']
/** Undefined in the suite, and accepted, because a double keeps it. */
const TAKEN = ['i_number_too_big_pos_int.json']

function accepts(body: Uint8Array): boolean {
  const text = decodeUtf8(body)
  if (text === undefined) return false
  try {
    parseJson(text)
    return true
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error))
    return false
  }
}

test('the results equal those of the JSON test suite', {
  skip: !existsSync(suite) && 'no corpus at ../shared/data',
}, () => {
  const { parsing } = JSON.parse(readFileSync(suite, 'utf8')) as { parsing: Case[] }
  assert.equal(parsing.length, 318)
  const wrong = parsing
    .filter(({ name, expect, b64 }) => {
      const wanted = expect === 'either' ? TAKEN.includes(name) : expect === 'accept' && !EQUAL_KEYS.includes(name)
      return accepts(Buffer.from(b64, 'base64')) !== wanted
    })
    .map(({ name }) => name)
  assert.deepEqual(wrong, [])
})

function jsonErrorOf(text: string, limits?: { maxDepth?: number }): JsonError {
  try {
    parseJson(text, limits)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  return assert.fail(`accepted: ${text.slice(0, 100)}`)
}

test('values equal those of JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), fc.nat(4), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent)
      assert.deepEqual(parseJson(text), JSON.parse(text))
    }),
  )
})

test('mutated JSON is accepted exactly when JSON.parse accepts it', () => {
  const token = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"a"', '"b"', '"', '\\', '\\n', '\\u0041', '\\u00', '\\x', ' ', '\n', '\t', '\v'],
    ...[
      '1',
      '0',
      '-',
      '.',
      'e',
      'E',
      '+',
      '1.5',
      'true',
      'false',
      'null',
      'nul',
      'NaN',
      "'",
      '/',
      '\ufeff',
      '\u0000',
      'é',
    ],
  )
  const noise = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''))
  const nearly = fc
    .tuple(fc.json({ maxDepth: 3 }), fc.nat(), token)
    .map(([text, at, token]) => `${text.slice(0, at % (text.length + 1))}${token}${text.slice(at % (text.length + 1))}`)
  fc.assert(
    fc.property(fc.oneof(noise, nearly), (text) => {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        jsonErrorOf(text)
        return
      }
      try {
        assert.deepEqual(parseJson(text), value)
      } catch (error) {
        if (!(error instanceof JsonError)) throw error
        assert.match(error.message, /twice|too large|too small|surrogate|digits/)
      }
    }),
    { numRuns: rounds(2000) },
  )
})

test('a JsonError has the offset, line and column of the mistake', () => {
  const { offset, line, column, message } = jsonErrorOf('{\r\n  "a": 1,\n  "b": tru\n}')
  assert.deepEqual({ offset, line, column, message }, { offset: 20, line: 3, column: 8, message: 'Expected a value' })
  assert.match(jsonErrorOf('[1').message, /Expected "," or "\]", but the text ends/)
  assert.match(jsonErrorOf('').message, /Expected a value, but the text ends/)
  assert.match(jsonErrorOf('1 2').message, /nothing after/)
  assert.match(jsonErrorOf('{a:1}').message, /key/)
  assert.match(jsonErrorOf('{"a" 1}').message, /":"/)
  assert.match(jsonErrorOf('"\u0001"').message, /control character/)
})

test('the error of a duplicate key has its pointer', () => {
  assert.equal(jsonErrorOf('{"a":1,"a":1}').pointer, '/a')
  assert.equal(jsonErrorOf('{"x":[0,{"a/b~c":{"k":1,"\\u006b":2}}]}').pointer, '/x/1/a~1b~0c/k')
  assert.equal(jsonErrorOf('{"":1,"":2}').pointer, '/')
  assert.deepEqual(parseJson('{"a":{"a":1},"b":[{"a":1},{"a":1}]}'), { a: { a: 1 }, b: [{ a: 1 }, { a: 1 }] })
  const long = 'k'.repeat(100_000)
  assert.equal(jsonErrorOf(`{"${long}":1,"${long}":2}`).pointer, undefined)
})

test('__proto__ is an ordinary key at every level, and is detected as a duplicate', () => {
  const value = parseJson('{"__proto__":{"polluted":1},"a":[{"__proto__":2,"constructor":{"prototype":3}}]}')
  assert.ok(isJsonObject(value))
  assert.ok(Object.hasOwn(value, '__proto__'))
  assert.equal(Object.getPrototypeOf(value), Object.prototype)
  assert.equal(value.polluted, undefined)
  assert.equal(
    JSON.stringify(value),
    '{"__proto__":{"polluted":1},"a":[{"__proto__":2,"constructor":{"prototype":3}}]}',
  )
  assert.equal(jsonErrorOf('{"__proto__":1,"__proto__":2}').pointer, '/__proto__')
})

test('nesting is limited, and deep nesting does not overflow the stack', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.doesNotThrow(() => parseJson(nested(64)))
  assert.equal(jsonErrorOf(nested(65)).pointer, '/0'.repeat(64))
  assert.doesNotThrow(() => parseJson('{"a":[1]}', { maxDepth: 2 }))
  assert.equal(jsonErrorOf('{"a":[{}]}', { maxDepth: 2 }).pointer, '/a/0')
  assert.match(jsonErrorOf('['.repeat(100_000)).message, /64/)
  assert.match(jsonErrorOf('{"a":'.repeat(100_000)).message, /64/)
  assert.match(jsonErrorOf('['.repeat(100_000), { maxDepth: 1_000_000 }).message, /the text ends/)
})

test('lone surrogates are rejected, in keys and values, escaped or not; pairs are accepted', () => {
  const lone = ['\\ud800', '\\uDFFF', '\\ud83dx', '\\ud83d\\ud83d', '\\ude00\\ud83d', '\\ud83d\\n', '\\ud83d\\\\ude00']
  for (const text of [...lone, '\ud800', '\udfff', '\ud83d\\ude00', '\\ud83d\ude00']) {
    assert.match(jsonErrorOf(`["${text}"]`).message, /surrogate/, text)
    assert.match(jsonErrorOf(`{"${text}":1}`).message, /surrogate/, text)
  }
  assert.deepEqual(parseJson('["\\ud83d\\uDE00", "😀", "\\\\ud800"]'), ['😀', '😀', '\\ud800'])
})

test('numbers beyond the range of a double are rejected', () => {
  for (const number of ['1e309', '-1E+400', '1e99999', '9'.repeat(310), '1.8e308']) {
    assert.equal(jsonErrorOf(`{"n":[0,${number}]}`).pointer, '/n/1', number)
  }
  assert.deepEqual(parseJson('[1.7976931348623157e308,-0,1E2]'), [Number.MAX_VALUE, -0, 100])
})

test('integers that a double would change are rejected', () => {
  const changed = ['9007199254740993', '-9007199254740993', '9007199254740993.00']
  for (const number of [...changed, '1152921504606846976', '1'.repeat(300)]) {
    assert.equal(jsonErrorOf(`{"n":[0,${number}]}`).pointer, '/n/1', number)
  }
  for (const number of ['9007199254740992', '1e21', '1000000000000000000000', '0e999']) {
    assert.deepEqual(parseJson(number), Number(number))
  }
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (integer) => {
      const kept = BigInt(Number(integer).toLocaleString('fullwide', { useGrouping: false })) === integer
      if (kept) assert.equal(parseJson(String(integer)), Number(integer))
      else assert.throws(() => parseJson(String(integer)), JsonError)
    }),
  )
})

test('invalid UTF-8 decodes to undefined, and a byte order mark is kept', () => {
  const bad = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80], [0x80]]
  for (const bytes of bad) assert.equal(decodeUtf8(Uint8Array.from(bytes)), undefined)
  assert.equal(decodeUtf8(Uint8Array.from([0xef, 0xbb, 0xbf, 0x61])), '\ufeffa')
  assert.equal(decodeUtf8(Buffer.from('xay').subarray(1, 2)), 'a')
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(text.isWellFormed())
      assert.equal(decodeUtf8(Buffer.from(text)), text)
    }),
  )
})

test('equality is that of JSON', () => {
  assert.ok(jsonEqual(parseJson('{"a":1,"b":[1.0,-0,null]}'), parseJson('{"b":[1,0,null],"a":1e0}')))
  const different = [
    [1, '1'],
    [0, false],
    [null, {}],
    [[], {}],
    [null, undefined],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [parseJson('{"__proto__":{}}'), { x: {} }],
    [{ toString: 1 }, {}],
    ['é', 'e\u0301'],
  ]
  for (const [a, b] of different) {
    assert.equal(jsonEqual(a, b), false, `${JSON.stringify(a)} ${JSON.stringify(b)}`)
    assert.equal(jsonEqual(b, a), false)
  }
})

test('equality agrees with the canonical text, and holds between a value and its copy', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
      assert.ok(jsonEqual(a, shuffled(a)))
      assert.equal(jsonEqual(a, b), canonical(a) === canonical(b))
    }),
  )
})

test('comparing deep values does not overflow the stack', () => {
  const deep = (depth: number) => JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`)
  assert.ok(jsonEqual(deep(50_000), deep(50_000)))
})

function shuffled(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner) =>
    isJsonObject(inner) ? Object.fromEntries(Object.entries(inner).reverse()) : inner,
  )
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
  return `{${members.sort().join()}}`
}

test('keys and elements are counted in the complete text, up to the limit', () => {
  const limits = { maxKeys: 3, maxElements: 4 }
  assert.deepEqual(parseJson('{"a":{"b":1},"c":[1,2,3,4]}', limits), { a: { b: 1 }, c: [1, 2, 3, 4] })
  // The text after the fourth key is not read.
  for (const text of ['{"a":1,"b":1,"c":1,"d":?', '[{"a":1},{"a":1},{"a":{"a":1}}]', '[[1,2],[3,4],[5,6,7]?']) {
    assert.throws(() => parseJson(text, limits), JsonMembersError)
  }
})

/** A decimal literal as `digits` times a power of ten, exactly. */
function toFraction(literal: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const bare = digits.replace(/0+$/, '')
  return bare === '' ? '0' : `${sign}${bare}e${Number(power) - fraction.length + digits.length - bare.length}`
}

test('a number is exact or refused, whatever its form', () => {
  const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${maxLength}}$`))
  const literal = fc
    .tuple(fc.constantFrom('', '-'), digits(24), fc.option(digits(24)), fc.option(fc.integer({ min: -340, max: 330 })))
    .map(([sign, whole, fraction, power]) => {
      const bare = whole.replace(/^0+(?=\d)/, '')
      return `${sign}${bare}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : `e${power}`}`
    })
  fc.assert(
    fc.property(literal, (text) => {
      let value: unknown
      try {
        value = parseJson(text)
      } catch (error) {
        assert.ok(error instanceof JsonError)
        assert.match(error.message, /digits|too large|too small/)
        assert.notEqual(toFraction(JSON.stringify(Number(text))), toFraction(text))
        return
      }
      const { length } = toFraction(text).replace(/e.*|-/g, '')
      const isSame = toFraction(JSON.stringify(value)) === toFraction(text)
      assert.ok(isSame || toFraction(Number(value).toPrecision(length)) === toFraction(text), text)
    }),
    { numRuns: rounds(3000) },
  )
})

test('doubles are accepted in all forms in which programs write them', () => {
  fc.assert(
    fc.property(
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.integer({ min: 17, max: 40 }),
      (value, count) => {
        assert.equal(parseJson(JSON.stringify(value)), value === 0 ? 0 : value)
        if (value === 0 || (Number.isInteger(value) && Math.abs(value) < 1e21)) return
        assert.equal(parseJson(value.toExponential(count)), value)
      },
    ),
    { numRuns: rounds(2000) },
  )
})

test('numbers that a double would change are refused with their place', () => {
  for (const [literal, reason] of [
    ['1546130668394913822', /beyond 2\^53/],
    ['1546130668394913822.0', /beyond 2\^53/],
    ['1546130668394913822e0', /beyond 2\^53/],
    ['1.546130668394913822e18', /beyond 2\^53/],
    ['9007199254740993.5', /more digits/],
    ['0.12345678901234567891', /more digits/],
    ['1.23456789e-320', /more digits/],
    ['1e400', /too large/],
    ['-1e400', /too large/],
    ['1e-400', /too small/],
    ['-0.1e-400', /too small/],
  ] as const) {
    const error = jsonErrorOf(`{"a": [0, ${literal}]}`)
    assert.match(error.message, reason, literal)
    assert.deepEqual([error.pointer, error.column], ['/a/1', 11])
  }
  for (const literal of ['0e999', '0.0', '-0e-999', '1e22', '5e-324', '4.9e-324', '0.1', '0.10000000000000001', '1e23'])
    assert.equal(parseJson(literal), Number(literal))
})
