import { print, processorTime } from './measure.ts'
import { record } from './results.ts'

/** Requests of one kind, and the processes whose processor time they cost. */
export interface Timing {
  readonly name: string
  readonly of: { readonly pid: number; readonly cluster: string }
  work(run: number): Promise<unknown>
}

/** The first requests are not counted. */
const WARM_UP = 3
/** Requests of one kind before those of the next one. */
const BLOCK = 10

/**
 * How long single requests take, one after another, and how much processor time the service and its database take for
 * one: unlike the times it hardly depends on what else runs on the machine. Several kinds alternate, so that all see
 * the same machine. Nothing is timed where only the data is made (BENCH_FILL_ONLY).
 */
export async function timeEach(runs: number, ...timings: readonly Timing[]): Promise<void> {
  if (process.env.BENCH_FILL_ONLY !== undefined) return
  const measured = timings.map((timing) => ({ ...timing, times: [] as number[], processor: 0 }))
  for (const { work } of measured) for (let run = 0; run < WARM_UP; run++) await work(runs + run)
  for (let from = 0; from < runs; from += BLOCK) {
    for (const timing of measured) {
      const spent = processorTime(timing.of)
      for (let run = from; run < Math.min(from + BLOCK, runs); run++) {
        const began = performance.now()
        await timing.work(run)
        timing.times.push(performance.now() - began)
      }
      timing.processor += spent()
    }
  }
  for (const { name, times, processor } of measured) reportTimes(name, times, processor / runs)
}

function reportTimes(name: string, unsorted: readonly number[], processor: number): void {
  const times = unsorted.toSorted((a, b) => a - b)
  const shown = (share: number) => at(times, share).toFixed(1)
  for (const percent of [95, 99]) {
    const spread = `p50 ${shown(0.5)}, longest ${shown(1)}, processor ${processor.toFixed(2)}`
    record(`${name} p${percent}`, at(times, percent / 100), spread)
  }
  const figures = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${shown(share).padStart(7)}`).join('  ')
  print(`${name.padEnd(50)} ${figures}  processor ${processor.toFixed(2).padStart(7)} ms`)
}

function at(times: readonly number[], share: number): number {
  return times[Math.ceil(share * times.length) - 1] ?? 0
}
