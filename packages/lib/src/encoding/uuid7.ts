import { randomUUID } from 'node:crypto'

const COUNTER_MAX = 0xfff
/** The counter of a new millisecond starts in the lower half, so that it can be incremented. */
const SEED_MASK = 0x7ff
const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const last = { time: 0, counter: 0 }

/**
 * A new UUID version 7 in lower case. Within the process each one sorts after the one before it, even if the clock
 * stops or goes back (RFC 9562, section 6.2, method 1: a counter in `rand_a`). `now` is in milliseconds since 1970.
 */
export function uuid7(now: number = Date.now()): string {
  // randomUUID draws from a pool and has already set the variant bits, which versions 4 and 7 share.
  const random = randomUUID()
  if (now > last.time) {
    last.time = Math.trunc(now)
    last.counter = Number.parseInt(random.slice(0, 3), 16) & SEED_MASK
  } else if (last.counter < COUNTER_MAX) {
    last.counter += 1
  } else {
    last.time += 1
    last.counter = 0
  }
  const time = last.time.toString(16).padStart(12, '0')
  const counter = last.counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${random.slice(19)}`
}

/** Whether the text has the form of a UUID, of any version and in either case. */
export function isUuid(text: string): boolean {
  return FORM.test(text)
}
