/** Retries with jitter: what follows from an attempt. */
import type { AttemptResult } from '../../platform/outbound/attempt.ts'
import type { DeliveryStatus } from './schema.ts'

export interface DeliveryOutcome {
  readonly status: DeliveryStatus
  /** Until the next attempt, if the status is `pending`. */
  readonly delaySeconds: number | undefined
  /** The receiver answered 410. */
  readonly gone: boolean
}

/** At most this share of a delay is added, so that deliveries that failed together are not retried together. */
const JITTER = 0.2
const MAX_RETRY_AFTER = 24 * 3600

/** Decides what follows from attempt `attemptNumber` (from 1) of a delivery. `random` returns 0 to 1. */
export function decideOutcome(
  result: AttemptResult,
  attemptNumber: number,
  schedule: readonly number[],
  random: () => number = Math.random,
): DeliveryOutcome {
  const { responseStatus: status } = result
  const endWith = (status: DeliveryStatus, gone = false): DeliveryOutcome => ({ status, delaySeconds: undefined, gone })
  if (result.blocked) return endWith('blocked')
  if (status !== null && status >= 200 && status < 300) return endWith('succeeded')
  if (status === 410) return endWith('failed', true)
  const delay = schedule[attemptNumber - 1]
  if (delay === undefined) return endWith('failed')
  const requestedDelay =
    status === 429 || status === 503 ? retryAfterSeconds(result.retryAfter, new Date(result.at)) : undefined
  const delaySeconds = Math.max(delay * (1 + JITTER * random()), Math.min(requestedDelay ?? 0, MAX_RETRY_AFTER))
  return { status: 'pending', delaySeconds, gone: false }
}

/** RFC 9110, section 10.2.3: seconds, or a date; undefined for anything else. */
export function retryAfterSeconds(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value)
  // Date.parse accepts more than HTTP dates, such as `-5`. An HTTP date starts with the day of the week.
  const date = /^\s*[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now.getTime()) / 1000)
}
