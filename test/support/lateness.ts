import { cpus, loadavg } from 'node:os'

/** How long it took until writes succeeded again, and how much of the machine was idle meanwhile. */
export interface Back {
  readonly backMs: number
  /** From 0 to 1. */
  readonly idleShare: number
}

/** With more of the machine idle, what is late waits for nothing but the service. */
const IDLE = 0.3

/** Begins to measure; the result says how idle the machine has been since. */
export function watchIdle(): () => number {
  const before = processorTimes()
  return () => {
    const now = processorTimes()
    return (now.idle - before.idle) / Math.max(now.total - before.total, 1)
  }
}

/** In words, for the line of a round: nothing where it was in time. */
export function describeLate({ backMs, idleShare }: Back, limitMs: number): string {
  if (backMs <= limitMs) return ''
  const load = loadavg()[0]?.toFixed(1)
  return `; LATER than ${limitMs} ms (load ${load}, ${Math.round(idleShare * 100)} % of the machine idle)`
}

/**
 * Those that are late and count: the machine had time for them. On a busy machine the clock says nothing about the
 * service. `strict` counts all, for a machine that does nothing else.
 */
export function listLate<Round extends Back>(rounds: readonly Round[], limitMs: number, strict: boolean): Round[] {
  return rounds.filter(({ backMs, idleShare }) => backMs > limitMs && (strict || idleShare > IDLE))
}

function processorTimes(): { readonly idle: number; readonly total: number } {
  let [idle, total] = [0, 0]
  for (const { times } of cpus()) {
    idle += times.idle
    total += times.user + times.nice + times.sys + times.irq + times.idle
  }
  return { idle, total }
}
