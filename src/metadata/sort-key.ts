import { type Instant, parseInstant } from './instant.ts'

/**
 * Where a value ranks among all values, as hexadecimal bytes that compare like the values: numbers, then dates, then
 * other strings (by their first 200 characters), then the rest, which ranks as one.
 */
export type SortKey = string

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte'

/** A stretch of sort keys, its ends with or without themselves. */
export interface SortRange {
  readonly from: SortKey
  readonly fromIncluded: boolean
  readonly to: SortKey
  readonly toIncluded: boolean
}

const NUMBER = '01'
const DATE = '02'
const TEXT = '03'
const REST = '04'
const TEXT_CHARACTERS = 200
/** Makes the seconds of every year from 0 to 9999 positive. */
const SECONDS_BIAS = 2 ** 40

/** The rank of a value. */
export function sortKeyOf(value: unknown): SortKey {
  if (typeof value === 'number') return NUMBER + numberBytes(value)
  if (typeof value !== 'string') return REST
  const instant = parseInstant(value)
  return instant === undefined ? TEXT + textBytes(value) : DATE + instantBytes(instant)
}

/** The values that compare so with `operand`, which is of their kind; undefined when it is neither number nor date. */
export function rangeOf(comparison: Comparison, operand: unknown): SortRange | undefined {
  const bound = sortKeyOf(operand)
  const kind = bound.slice(0, 2)
  if (kind !== NUMBER && kind !== DATE) return undefined
  const inclusive = comparison === 'gte' || comparison === 'lte'
  if (comparison === 'gt' || comparison === 'gte') {
    return {
      from: bound,
      fromIncluded: inclusive,
      to: kind === NUMBER ? DATE : TEXT,
      toIncluded: false,
    }
  }
  return { from: kind, fromIncluded: true, to: bound, toIncluded: inclusive }
}

/** Where the entry of a key with such a value ranks among all entries, in hexadecimal; no key holds a NUL. */
export function rankOf(key: string, sort: SortKey): string {
  return `${Buffer.from(key).toString('hex')}00${sort}`
}

/** The stretch of all entries of a key. */
export function wholeKey(key: string): SortRange {
  return {
    from: rankOf(key, ''),
    fromIncluded: true,
    to: `${Buffer.from(key).toString('hex')}01`,
    toIncluded: false,
  }
}

/** The bits of a double, turned so that they compare as unsigned bytes: negative ones all, positive ones the sign. */
function numberBytes(value: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value === 0 ? 0 : value)
  const bits = bytes.readBigUInt64BE()
  const sign = 1n << 63n
  bytes.writeBigUInt64BE(bits & sign ? ~bits & (sign * 2n - 1n) : bits | sign)
  return bytes.toString('hex')
}

function instantBytes({ seconds, fraction }: Instant): string {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(seconds + SECONDS_BIAS, 0, 6)
  return bytes.toString('hex') + Buffer.from(fraction).toString('hex')
}

function textBytes(text: string): string {
  // Twice as many units hold as many characters, whatever they are: long texts are not taken apart in vain.
  const start = [...text.slice(0, 2 * TEXT_CHARACTERS)].slice(0, TEXT_CHARACTERS).join('')
  return Buffer.from(start).toString('hex')
}
