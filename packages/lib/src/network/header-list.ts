/** The trimmed parts of a header field between separators outside quoted strings (RFC 9110, section 5.6). */
export function splitHeader(header: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at <= header.length; at++) {
    if (header[at] === '"') quoted = !quoted
    if (at === header.length || (header[at] === separator && !quoted)) {
      parts.push(header.slice(start, at).trim())
      start = at + 1
    }
  }
  return parts
}

const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '[0-9]{2}:[0-9]{2}:[0-9]{2}'
/** The preferred format, and the two obsolete ones that a recipient has to accept (RFC 9110, section 5.6.7). */
const IMF = new RegExp(`^${DAY}, [0-9]{2} ${MONTH} [0-9]{4} ${TIME} GMT$`)
const RFC_850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, ([0-9]{2})-(${MONTH})-([0-9]{2}) (${TIME}) GMT$`,
)
const ASCTIME = new RegExp(`^${DAY} ${MONTH} [ 0-9][0-9] ${TIME} [0-9]{4}$`)

/** Parses an HTTP date; undefined if it is invalid, because such a header is ignored. */
export function parseHttpDate(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(normalised(text))
  return Number.isNaN(time) ? undefined : new Date(time)
}

function normalised(text: string): string {
  if (IMF.test(text)) return text
  if (ASCTIME.test(text)) return `${text} GMT`
  const [, day, month, year, time] = RFC_850.exec(text) ?? []
  return year === undefined ? '' : `${day} ${month} ${fullYear(Number(year))} ${time} GMT`
}

/** A two-digit year more than 50 years in the future is in the past. */
function fullYear(year: number): number {
  const now = new Date().getUTCFullYear()
  const full = now - (now % 100) + year
  return full > now + 50 ? full - 100 : full
}
