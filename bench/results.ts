import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'

/** A figure that a benchmark has measured. */
export interface Result {
  /** The script and what it measured, such as `read: Markdown`. */
  readonly name: string
  readonly value: number
  readonly spread: string
}

/** Reports a figure to `all.ts`, which names the file. */
export function record(name: string, value: number, spread = 'one run'): void {
  const file = process.env.BENCH_RESULTS
  if (file === undefined) return
  const script = basename(process.argv[1] ?? '', '.ts')
  appendFileSync(file, `${JSON.stringify({ name: `${script}: ${name}`, value, spread } satisfies Result)}\n`)
}
