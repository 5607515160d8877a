import { getPriority, setPriority } from 'node:os'

/** Its share of a busy processor is a third of that of a thread with the usual priority. */
const STEPS = 5
const LOWEST = 19

/**
 * Gives the calling thread a lower priority than the rest of the process, so that requests do not wait for work on many pages while all processors
 * are busy. On Linux alone: there a priority is that of a thread (setpriority(2), "C library/kernel differences"), elsewhere of the process. A
 * sandbox may forbid it, and the work goes on.
 */
export function yieldProcessor(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(LOWEST, getPriority() + STEPS))
  } catch {}
}
