import { locale } from './t.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY
/** The largest unit that fits, for times within a week. */
const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

/**
 * Shows the times of a document in the time zone of the browser: recent ones relative to now, if it is given, each with
 * the exact time as title.
 */
export function showLocalTimes(now?: number): void {
  const elements = document.querySelectorAll<HTMLTimeElement>('time[datetime]')
  // The first format of the browser takes long.
  if (elements.length === 0) return
  const lang = locale()
  const date = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' })
  const exact = new Intl.DateTimeFormat(lang, { dateStyle: 'full', timeStyle: 'long' })
  for (const element of elements) {
    const at = Date.parse(element.dateTime)
    if (Number.isNaN(at)) continue
    element.title = exact.format(at)
    const isAbsolute = now === undefined || 'absolute' in element.dataset
    const ago = isAbsolute ? undefined : timeAgo(now - at, lang)
    element.textContent = ago ?? date.format(at)
  }
}

/** Undefined for times in the future and those more than a week ago. */
function timeAgo(passedSeconds: number, lang: string): string | undefined {
  if (passedSeconds < -MINUTE || passedSeconds >= WEEK) return undefined
  const [unit, length] = UNITS.find(([, each]) => passedSeconds >= each) ?? []
  return unit === undefined || length === undefined
    ? new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(0, 'second')
    : new Intl.RelativeTimeFormat(lang).format(-Math.trunc(passedSeconds / length), unit)
}
