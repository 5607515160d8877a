/** A point in time, with all written digits. */
export interface Instant {
  /** Since 1970, rounded down. */
  readonly seconds: number
  /** The digits after the decimal point, without trailing zeros. */
  readonly fraction: string
}

const FORM = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,30}))?)?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * The instant of an ISO 8601 date (`2026-02-28`, its midnight in UTC) or date-time (RFC 3339; seconds and offset are
 * optional, and no offset is UTC). Undefined for any other text, and for days that do not exist.
 */
export function parseInstant(text: string): Instant | undefined {
  const parts = FORM.exec(text)
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0))
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (hour === undefined || hour > 23 || minute === undefined || minute > 59) return undefined
  if (second === undefined || second > 59) return undefined
  const midnight = midnightOf(year, month, day)
  const offset = offsetSeconds(parts[8] ?? 'Z')
  if (midnight === undefined || offset === undefined) return undefined
  return {
    seconds: midnight + hour * 3600 + minute * 60 + second - offset,
    fraction: (parts[7] ?? '').replace(/(?<!0)0+$/, ''),
  }
}

function midnightOf(year: number, month: number, day: number): number | undefined {
  // Not Date.UTC: it takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() / 1000 : undefined
}

function offsetSeconds(offset: string): number | undefined {
  if (offset === 'Z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(4))
  if (hours > 23 || minutes > 59) return undefined
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
}
