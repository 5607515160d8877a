/** A point in time, with all written digits. */
export interface Instant {
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
