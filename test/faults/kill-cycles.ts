/**
 * Kills the service again and again by hand: `npm run faults -- --cycles 1000`. Ends with 1 when anything was wrong; late
 * starts count where the machine was idle meanwhile, or with `--strict`.
 * Two services are killed side by side (`--victims`): most of a cycle is waiting for a start.
 */
import { parseArgs } from 'node:util'
import { type Cycle, KILLS, startVictim } from '../support/kill.ts'
import { describeLate, listLate } from '../support/lateness.ts'
import { times } from '../support/load.ts'
import { runToEnd } from '../support/long-run.ts'

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '30' },
    victims: { type: 'string', default: '2' },
    strict: { type: 'boolean', default: false },
  },
})
const READY_MS = 10_000

const began = performance.now()
const cycles: Cycle[] = []
const lost: string[] = []
let started = 0
await runToEnd(async (tell) => {
  await Promise.all(times(Number(values.victims), () => tell(killRepeatedly())))
  return report()
})

async function killRepeatedly(): Promise<void> {
  await using victim = await startVictim()
  while (started < Number(values.cycles)) {
    const number = started++
    const cycle = await victim.cycle(KILLS[number % KILLS.length] ?? 'node')
    cycles.push(cycle)
    print(
      `${number + 1} ${cycle.kill}: ${cycle.acknowledged} acknowledged, back after ${cycle.backMs.toFixed(0)} ms${describeLate(cycle, READY_MS)}`,
    )
    for (const words of cycle.violations) print(`  VIOLATION ${words}`)
  }
  const gone = await victim.checkAll()
  for (const words of gone) print(`  VIOLATION ${words}`)
  lost.push(...gone)
}

/** Whether nothing was wrong, and no start late for which the machine had time. */
function report(): boolean {
  const backMs = cycles.map(({ backMs }) => backMs).sort((a, b) => a - b)
  const wrong = cycles.reduce((sum, { violations }) => sum + violations.length, lost.length)
  const late = listLate(cycles, READY_MS, values.strict).length
  print(
    `${cycles.length} cycles, ${cycles.reduce((sum, { acknowledged }) => sum + acknowledged, 0)} acknowledged writes: ` +
      `${wrong} violations, ${late} later than ${READY_MS} ms with an idle machine; back after ${backMs[backMs.length >> 1]?.toFixed(0)} ms ` +
      `in the median, ${backMs.at(-1)?.toFixed(0)} ms at most; ${((performance.now() - began) / 1000 / cycles.length).toFixed(1)} s a cycle`,
  )
  return wrong + late === 0
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
