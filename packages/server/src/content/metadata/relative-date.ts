import { inputError } from '@recto/contract/errors.ts'
import { RELATIVE_DATE } from '@recto/contract/filter-ops.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'

/** The time of a query, and the time zone that decides which day is today. */
export interface Clock {
  readonly now: Date
  readonly timeZone: string
}

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 }
const MONTHS: Readonly<Record<string, number>> = { m: 1, y: 12 }

/** The clock of a query; rejects an unknown time zone. */
export function clockIn(now: Date, timeZone = 'UTC'): Clock {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    const message = 'must be an IANA time zone, such as Europe/Berlin'
    throw inputError('invalid_request', `The parameter timeZone ${message}.`, 'timeZone', message)
  }
  return { now, timeZone }
}

/** The date of `{ "$date": "today+90d" }`, as bare text: midnight in UTC. Any other operand as it is. */
export function resolveDate(operand: unknown, { now, timeZone }: Clock): unknown {
  if (!isJsonObject(operand) || typeof operand.$date !== 'string' || Object.keys(operand).length > 1) return operand
  const [, base, amount = '+0', unit = 'd'] = RELATIVE_DATE.exec(operand.$date) ?? []
  if (base === undefined) return operand
  const start = base === 'now' ? now : new Date(now.toLocaleDateString('sv', { timeZone }))
  const shiftedDate = addMonths(start, Number(amount) * (MONTHS[unit] ?? 0))
  shiftedDate.setTime(shiftedDate.getTime() + Number(amount) * (HOURS[unit] ?? 0) * 3_600_000)
  return shiftedDate.toISOString()
}

/** The same day of another month, or its last day. */
function addMonths(start: Date, months: number): Date {
  const date = new Date(start)
  date.setUTCMonth(date.getUTCMonth() + months)
  if (date.getUTCDate() !== start.getUTCDate()) date.setUTCDate(0)
  return date
}
