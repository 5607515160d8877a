import type { AttemptResult } from '../outbound/attempt.ts'

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'blocked'

/** What an attempt leads to. */
export interface Outcome {
  readonly status: DeliveryStatus
  /** Until the next attempt, where the status is `pending`. */
  readonly delaySeconds: number | undefined
  /** The receiver says that it is gone for good. */
  readonly gone: boolean
}

/** Of a wait, at most so much is added, so that what failed together does not come back together. */
const JITTER = 0.2
const MAX_RETRY_AFTER = 24 * 3600

/** Decides on a delivery after its attempt number `number`, the first being 1. `random` gives 0 to 1. */
export function decide(
  result: AttemptResult,
  number: number,
  schedule: readonly number[],
  random: () => number = Math.random,
): Outcome {
  const { responseStatus: status } = result
  const ended = (status: DeliveryStatus, gone = false): Outcome => ({ status, delaySeconds: undefined, gone })
  if (result.blocked) return ended('blocked')
  if (status !== null && status >= 200 && status < 300) return ended('succeeded')
  if (status === 410) return ended('failed', true)
  const wait = schedule[number - 1]
  if (wait === undefined) return ended('failed')
  const asked = status === 429 || status === 503 ? retryAfterSeconds(result.retryAfter, result.at) : undefined
  const delaySeconds = Math.max(wait * (1 + JITTER * random()), Math.min(asked ?? 0, MAX_RETRY_AFTER))
  return { status: 'pending', delaySeconds, gone: false }
}

/** RFC 9110, section 10.2.3: seconds, or a date; undefined for anything else. */
export function retryAfterSeconds(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value)
  // Date.parse takes more than HTTP dates, such as `-5`; those name their day of the week.
  const date = /^\s*[A-Z][a-z]+, /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now.getTime()) / 1000)
}
