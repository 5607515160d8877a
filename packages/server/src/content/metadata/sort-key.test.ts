import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareText } from '@recto/lib/text/text-order.ts'
import { anyText, fc } from '../../../../../test/support/property.ts'
import {
  entryKey,
  entryKeyRange,
  intersect,
  parseInstant,
  prefixRanges,
  type SortRange,
  toSortKey,
  toSortRange,
  wholeSortKey,
} from './sort-key.ts'

const order = (a: string, b: string) => (a < b ? -1 : Number(a > b))

test('sort keys of numbers compare like the numbers', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(double, double, (a, b) => order(toSortKey(a), toSortKey(b)) === (a < b ? -1 : Number(a > b))),
    { numRuns: 2000 },
  )
  assert.equal(toSortKey(-0), toSortKey(0))
})

test('sort keys of dates compare like their instants, whatever their offset and digits', () => {
  const date = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  fc.assert(
    fc.property(date, date, fc.integer({ min: -14 * 60, max: 14 * 60 }), (a, b, minutes) => {
      const shifted = new Date(b.getTime() + minutes * 60_000).toISOString().slice(0, -1)
      const pad = (n: number) => String(n).padStart(2, '0')
      const away = Math.abs(minutes)
      const local = `${shifted}${minutes < 0 ? '-' : '+'}${pad(Math.floor(away / 60))}:${pad(away % 60)}`
      const expected = Math.sign(a.getTime() - b.getTime())
      return order(toSortKey(a.toISOString()), toSortKey(local)) === expected
    }),
  )
  const same = [
    '2026-01-01',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00.000Z',
    '2025-12-31T19:00:00-05:00',
    '2026-01-01T00:00:00',
  ]
  assert.equal(new Set(same.map(toSortKey)).size, 1)
  const rising = ['2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.10000001Z', '2026-01-01T00:00:00.11Z'].map(toSortKey)
  assert.deepEqual([...rising].sort(), rising)
})

test('a date has one sort key in all forms of RFC 3339, ISO 8601, Python and Java', () => {
  const same = [
    '2026-11-27T10:00:00.123456Z',
    '2026-11-27t10:00:00.123456z',
    '2026-11-27 10:00:00.123456Z',
    '2026-11-27T10:00:00.123456+0000',
    '2026-11-27 10:00:00.123456+00:00',
    '2026-11-27 10:00:00.123456+00',
    '2026-11-27T10:00:00.123456-00:00',
    '2026-11-27T10:53:28.123456+00:53:28',
    '2026-11-27T10:00:00.123456000Z[UTC]',
    '2026-11-27T11:00:00.123456+01:00[Europe/Berlin]',
    '2026-11-27T02:00:00.123456-0800[Etc/GMT+8]',
    '2026-11-27T10:00:00.123456',
  ]
  assert.deepEqual(new Set(same.map(toSortKey)), new Set([toSortKey(same[0])]))
  assert.equal(toSortKey('2026-06-30T23:59:60Z'), toSortKey('2026-07-01'))
  assert.equal(toSortKey('1990-12-31T15:59:60-08:00'), toSortKey('1991-01-01T00:00:00Z'))
  assert.equal(toSortKey('2026-02'), toSortKey('2026-02-01T00:00Z'))
})

test('sort keys of other strings compare like their first 200 code points', () => {
  const text = anyText.filter((value) => !value.includes('\0'))
  fc.assert(
    fc.property(text, text, (a, b) => order(toSortKey(`~${a}`), toSortKey(`~${b}`)) === Math.sign(compareText(a, b))),
  )
  assert.equal(toSortKey(`${'😀'.repeat(200)}a`), toSortKey(`${'😀'.repeat(200)}b`))
  assert.notEqual(toSortKey(`${'😀'.repeat(199)}a`), toSortKey(`${'😀'.repeat(199)}b`))
})

test('numbers sort before dates, dates before other strings, strings before other values', () => {
  const ranked = [-1e308, 1e308, '0000-01-01', '9999-12-31', '', '2026-02-30', 'zz', '\u{10ffff}'].map(toSortKey)
  assert.deepEqual([...ranked].sort(), ranked)
  for (const rest of [true, false, [], {}, [1], null]) {
    assert.ok(toSortKey(rest) > (ranked.at(-1) ?? ''))
    assert.equal(toSortKey(rest), toSortKey({}))
  }
})

test('an impossible date is a string', () => {
  const texts = [
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-01T24:00:00Z',
    '2026-01-01T12:60Z',
    '2026-1-1',
    '26-01-01',
    '2026-01-01_12:00:00Z',
    '2026-01-01T12:00:61Z',
    '2026-01-01T12:00:00 +00:00',
    '2026-01-01T12:00:00+000',
    '2026-01-01T12:00[UTC]',
    '2026-01-01[UTC]',
    '2026-01T12:00Z',
    '2026-00',
    '2026-13',
    '2026',
    '2026-01-01T12:00:00+24:00',
    '2026-01-01Z',
    ' 2026-01-01',
    '2026-01-01T12',
    '20260101',
    '2026-W01',
  ]
  for (const text of texts) assert.equal(parseInstant(text), undefined, text)
  assert.ok(parseInstant('2024-02-29'))
  assert.equal(parseInstant('0099-01-01')?.seconds, Date.parse('0099-01-01T00:00:00Z') / 1000)
})

test('a range contains values of one type only', () => {
  const within = (value: unknown, comparison: 'gt' | 'gte' | 'lt' | 'lte', operand: unknown) => {
    const range = toSortRange(comparison, operand)
    assert.ok(range)
    const key = toSortKey(value)
    const above = range.fromIncluded ? key >= range.from : key > range.from
    return above && (range.toIncluded ? key <= range.to : key < range.to)
  }
  assert.ok(within(2, 'gt', 1) && !within(1, 'gt', 1) && within(1, 'gte', 1))
  assert.ok(within(-2, 'lt', 1) && !within(1, 'lt', 1) && within(1, 'lte', 1))
  assert.ok(within('2026-01-02', 'gt', '2026-01-01') && within('0000-01-01', 'lt', '2026-01-01'))
  for (const other of ['2026-01-01', 'text', true, [], {}]) {
    for (const comparison of ['gt', 'gte', 'lt', 'lte'] as const) assert.ok(!within(other, comparison, 0))
  }
  for (const other of [1, 'text', true, []]) {
    for (const comparison of ['gt', 'gte', 'lt', 'lte'] as const) assert.ok(!within(other, comparison, '2026-01-01'))
  }
  assert.equal(toSortRange('gt', 'text'), undefined)
  assert.equal(toSortRange('gt', true), undefined)
})

test('the range of equal values contains no other value, and is left out where sort keys are not exact', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(
      0,
      -0,
      1,
      2 ** 53 - 1,
      '1',
      'a',
      'A',
      '',
      'x'.repeat(199),
      'x'.repeat(200),
      '2026-01-01',
      '2026-01-01T00:00:00Z',
      true,
    ),
    fc.string({ maxLength: 210 }).filter((text) => text.isWellFormed()),
  )
  fc.assert(
    fc.property(value, value, (operand, stored) => {
      const key = wholeSortKey(operand)
      return key === undefined || (toSortKey(stored) === key) === (stored === operand)
    }),
    { numRuns: 2_000 },
  )
  for (const operand of ['2026-01-01', 'x'.repeat(200), true, null, ['a'], { a: 1 }]) {
    assert.equal(wholeSortKey(operand), undefined)
  }
  assert.ok(wholeSortKey('x'.repeat(199)) && wholeSortKey(0) && wholeSortKey(''))
})

function has({ from, fromIncluded, to, toIncluded }: SortRange, key: string): boolean {
  return (fromIncluded ? key >= from : key > from) && (toIncluded ? key <= to : key < to)
}

test('strings that start with a text are in its intervals, and others are not where these decide', () => {
  const date = fc.constantFrom(
    '2026-01-31',
    '2026-02',
    '2026-12-31T23:59:60.5-23:59',
    '2027-01-01T00:00+23:59',
    '0000-01-01T00:00+23:59',
    '9999-12-31T23:59-23:59',
    '2024-02-29 10:00',
  )
  const value = fc.oneof(date, fc.string({ unit: 'grapheme' }), fc.constantFrom('20', '2026', `${'x'.repeat(210)}y`))
  const text = fc.tuple(value, fc.nat(220)).map(([whole, length]) => [...whole].slice(0, length).join(''))
  fc.assert(
    fc.property(value, text, (stored, start) => {
      const { ranges, isDecided } = prefixRanges(start)
      const isInRanges = ranges.some((range) => has(range, toSortKey(stored)))
      return isDecided ? isInRanges === stored.startsWith(start) : isInRanges || !stored.startsWith(start)
    }),
    { numRuns: 5_000 },
  )
})

test('the ranks of a key are a contiguous range', () => {
  const key = fc.string({ minLength: 1 }).filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text))
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string().filter((text) => text.isWellFormed()),
    fc.boolean(),
  )
  fc.assert(
    fc.property(key, key, value, (own, other, stored) => {
      const { from, to } = entryKeyRange(own)
      const rank = entryKey(other, toSortKey(stored))
      return (rank >= from && rank < to) === (own === other)
    }),
  )
})

test('an intersection has what is in both intervals', () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('2026-01-01', '2026-01-02', 'a'))
  const comparison = fc.constantFrom('lt', 'lte', 'gt', 'gte' as const)
  const range = fc
    .tuple(comparison, value)
    .map(([op, operand]) => toSortRange(op, operand))
    .filter((found) => found !== undefined)
  fc.assert(
    fc.property(range, range, value, (a, b, element) => {
      const key = toSortKey(element)
      return has(intersect(a, b), key) === (has(a, key) && has(b, key))
    }),
    { numRuns: 1000 },
  )
})
