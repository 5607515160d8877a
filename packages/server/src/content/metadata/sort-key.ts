import type { Comparison } from '@recto/contract/filter-ops.ts'
import { isFieldKey } from './value.ts'

/**
 * A binary sort key (memcomparable encoding), in hexadecimal: its bytes compare like the values. Its first byte is the
 * kind of the value, the others are `numberBytes`, `instantBytes` or `textBytes`; values of the last kind are equal.
 */
export type SortKey = string

/** The first byte of a sort key, by the kind of the value. */
const KIND_BYTES = { number: '01', date: '02', text: '03', other: '04' } as const

export const VALUE_ORDER = 'numbers, then dates, then other strings, then anything else'

/** An interval of sort keys; each end is inclusive or exclusive. */
export interface SortRange {
  readonly from: SortKey
  readonly fromIncluded: boolean
  readonly to: SortKey
  readonly toIncluded: boolean
}

/** The number of characters by which strings are ordered. */
export const TEXT_CHARACTERS = 200
/** Makes the seconds of every year from 0 to 9999 positive. */
const SECONDS_BIAS = 2 ** 40

export function toSortKey(value: unknown): SortKey {
  if (typeof value === 'number') return KIND_BYTES.number + numberBytes(value)
  if (typeof value !== 'string') return KIND_BYTES.other
  const instant = parseInstant(value)
  return instant === undefined ? textSortKey(value) : KIND_BYTES.date + instantBytes(instant)
}

/** The sort key of a string that is no date. */
export function textSortKey(value: string): SortKey {
  return KIND_BYTES.text + textBytes(value)
}

/** The interval of values that meet the comparison; undefined for other operands than numbers and dates. */
export function toSortRange(comparison: Comparison, operand: unknown): SortRange | undefined {
  const boundKey = toSortKey(operand)
  const kind = boundKey.slice(0, 2)
  if (kind !== KIND_BYTES.number && kind !== KIND_BYTES.date) return undefined
  const inclusive = comparison === 'gte' || comparison === 'lte'
  if (comparison === 'gt' || comparison === 'gte') {
    return {
      from: boundKey,
      fromIncluded: inclusive,
      to: kind === KIND_BYTES.number ? KIND_BYTES.date : KIND_BYTES.text,
      toIncluded: false,
    }
  }
  return { from: kind, fromIncluded: true, to: boundKey, toIncluded: inclusive }
}

/**
 * The sort key of the operand if values with it are equal to the operand: of dates, which are written in several ways,
 * it is not the whole value, of long strings it has the beginning, and of other values nothing.
 */
export function wholeSortKey(operand: unknown): SortKey | undefined {
  const key = toSortKey(operand)
  const isText = typeof operand === 'string' && key.startsWith(KIND_BYTES.text)
  return typeof operand === 'number' || (isText && operand.length < TEXT_CHARACTERS) ? key : undefined
}

/** The intervals of the strings that may start with a text (dates are instants), and whether all in them do. */
export function prefixRanges(text: string): { readonly ranges: readonly SortRange[]; readonly isDecided: boolean } {
  const from = textSortKey(text)
  const texts = { from, fromIncluded: true, to: `${from}ff`, toIncluded: false } // no byte of UTF-8 is FF
  const dates = datePrefixRange(text)
  return { ranges: dates ? [texts, dates] : [texts], isDecided: !dates && [...text].length <= TEXT_CHARACTERS }
}

/** Dates from the first one that a text may begin to the last one, with a day for offsets on both sides. */
function datePrefixRange(text: string): SortRange | undefined {
  if (/^\d{0,4}$/.test(text) && text.length < 4)
    return { from: KIND_BYTES.date, fromIncluded: true, to: KIND_BYTES.text, toIncluded: false }
  const [form, days] =
    text.length < 7
      ? [`${text.slice(0, 4)}-01`, 366]
      : text.length < 9
        ? [text.slice(0, 7), 31]
        : text.length < 10
          ? [text.endsWith('0') ? `${text}1` : `${text}0`, 10]
          : [text.slice(0, 10), 1]
  const start = parseInstant(form)
  if (!start) return undefined
  const bound = (day: number) => KIND_BYTES.date + instantBytes({ seconds: start.seconds + day * 86_400, fraction: '' })
  return { from: bound(-1), fromIncluded: true, to: bound(days + 1), toIncluded: true }
}

/** What is in both intervals; nothing is, if its `from` is after its `to`. */
export function intersect(a: SortRange, b: SortRange): SortRange {
  const { from, fromIncluded } = a.from > b.from || (a.from === b.from && !a.fromIncluded) ? a : b
  const { to, toIncluded } = a.to < b.to || (a.to === b.to && !a.toIncluded) ? a : b
  return { from, fromIncluded, to, toIncluded }
}

/** The key of an entry (`metadata_entry.rank`) in hexadecimal: metadata key, NUL (in no key), sort key. */
export function entryKey(key: string, sort: SortKey): string {
  return entryPrefix(key) + sort
}

/** What an entry has before the sort key: a field of the page nothing (fields.ts). */
export function entryPrefix(key: string): string {
  return isFieldKey(key) ? '' : `${Buffer.from(key).toString('hex')}00`
}

/** The interval of the keys of all entries of a metadata key. */
export function entryKeyRange(key: string): SortRange {
  return {
    from: entryKey(key, ''),
    fromIncluded: true,
    to: isFieldKey(key) ? 'ff' : `${Buffer.from(key).toString('hex')}01`,
    toIncluded: false,
  }
}

/** A double whose bytes compare as unsigned: all bits of a negative one are inverted, else the sign bit. */
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
  // A character has at most two UTF-16 units.
  const start = [...text.slice(0, 2 * TEXT_CHARACTERS)].slice(0, TEXT_CHARACTERS).join('')
  return Buffer.from(start).toString('hex')
}

/** A point in time, with all written digits. */
interface Instant {
  /** Since 1970, rounded down. */
  readonly seconds: number
  /** The digits after the decimal point, without trailing zeros. */
  readonly fraction: string
}

/**
 * RFC 3339 as a whole: letters of either case, a blank in place of `T`, leap seconds. Also what ISO 8601, Python and
 * Java write: a month, no seconds, no offset, an offset without colon, without minutes or with seconds, and the name of
 * the time zone after the offset (RFC 9557).
 */
const FORM = new RegExp(
  `^(?<year>\\d{4})-(?<month>\\d\\d)(?:-(?<day>\\d\\d)(?:[Tt ](?<hour>\\d\\d):(?<minute>\\d\\d)` +
    `(?::(?<second>\\d\\d)(?:\\.(?<fraction>\\d{1,30}))?)?` +
    `(?:(?<offset>[Zz]|[+-]\\d\\d(?::?\\d\\d(?::\\d\\d)?)?)(?:\\[[\\w+/.-]{1,64}\\])?)?)?)?$`,
)

/**
 * The instant of a date (`2026-02-28`, its midnight in UTC; `2026-02`, that of its first day) or of a date-time, which
 * without offset is in UTC. A leap second is the second after it, as in POSIX. Undefined for any other text, and for
 * days that do not exist.
 */
export function parseInstant(text: string): Instant | undefined {
  const parts = FORM.exec(text)?.groups
  if (!parts) return undefined
  const number = (name: string, absent = 0) => Number(parts[name] ?? absent)
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')]
  const midnight = toMidnight(number('year'), number('month'), number('day', 1))
  const offset = offsetSeconds(parts.offset ?? 'Z')
  if (midnight === undefined || offset === undefined) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  return {
    seconds: midnight + hour * 3600 + minute * 60 + second - offset,
    fraction: (parts.fraction ?? '').replace(/(?<!0)0+$/, ''),
  }
}

function toMidnight(year: number, month: number, day: number): number | undefined {
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / 1000 : undefined
}

function offsetSeconds(offset: string): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = (offset.match(/\d\d/g) ?? []).map(Number)
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds)
}
