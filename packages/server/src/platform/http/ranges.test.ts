import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRanges } from './ranges.ts'

test('ranges are parsed as RFC 9110, section 14, defines', () => {
  const cases: [string, number, ReturnType<typeof parseRanges>][] = [
    ['bytes=0-4', 10, [{ start: 0, end: 4 }]],
    ['Bytes=0-4', 10, [{ start: 0, end: 4 }]],
    ['bytes=5-', 10, [{ start: 5, end: 9 }]],
    ['bytes=5-99', 10, [{ start: 5, end: 9 }]],
    ['bytes=-3', 10, [{ start: 7, end: 9 }]],
    ['bytes=-30', 10, [{ start: 0, end: 9 }]],
    ['bytes=-0', 10, 'none'],
    ['bytes=10-', 10, 'none'],
    ['bytes=0-', 0, 'none'],
    ['bytes=-1', 0, 'all'],
    ['bytes=10-, 1-2', 10, [{ start: 1, end: 2 }]],
    [
      'bytes=8-9,0-1',
      10,
      [
        { start: 8, end: 9 },
        { start: 0, end: 1 },
      ],
    ],
    [
      'bytes=8-9,0-1,6-8,3-3',
      10,
      [
        { start: 6, end: 9 },
        { start: 0, end: 1 },
        { start: 3, end: 3 },
      ],
    ],
    ['bytes=0-4,2-6,7-7', 10, [{ start: 0, end: 7 }]],
    ['bytes=5-2', 10, 'all'],
    ['bytes=a-b', 10, 'all'],
    ['bytes=-', 10, 'all'],
    ['bytes=', 10, 'all'],
    ['items=0-4', 10, 'all'],
    ['bytes=0-0-0', 10, 'all'],
    // Larger than any integer here (RFC 9110, section 14.1.2).
    [`bytes=5-${2n ** 64n}`, 10, [{ start: 5, end: 9 }]],
    [`bytes=-${2n ** 64n}`, 10, [{ start: 0, end: 9 }]],
    [`bytes=${'9'.repeat(400)}-`, 10, 'none'],
    [`bytes=${Array.from({ length: 51 }, (_, n) => `${n * 2}-${n * 2}`).join()}`, 1000, 'all'],
  ]
  for (const [header, size, expected] of cases) assert.deepEqual(parseRanges(header, size), expected, header)
})
