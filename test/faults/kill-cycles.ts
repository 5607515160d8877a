/**
 * Kills the service again and again by hand: `npm run faults -- --cycles 1000`. Ends with 1 when anything was wrong.
 * Two services are killed side by side (`--victims`): most of a cycle is waiting for a start.
 */
import { parseArgs } from 'node:util'
import { type Cycle, KILLS, startVictim } from '../support/kill.ts'
import { times } from '../support/load.ts'

const { values } = parseArgs({
  options: { cycles: { type: 'string', default: '30' }, victims: { type: 'string', default: '2' } },
})
const READY_MS = 10_000

const began = performance.now()
const cycles: Cycle[] = []
const lost: string[] = []
let started = 0
await Promise.all(times(Number(values.victims), killRepeatedly))

async function killRepeatedly(): Promise<void> {
  await using victim = await startVictim()
  while (started < Number(values.cycles)) {
    const number = started++
    const cycle = await victim.cycle(KILLS[number % KILLS.length] ?? 'node')
    cycles.push(cycle)
    print(`${number + 1} ${cycle.kill}: ${cycle.acknowledged} acknowledged, back after ${cycle.backMs.toFixed(0)} ms`)
    for (const words of cycle.violations) print(`  VIOLATION ${words}`)
  }
  const gone = await victim.checkAll()
  for (const words of gone) print(`  VIOLATION ${words}`)
  lost.push(...gone)
}

const backMs = cycles.map(({ backMs }) => backMs).sort((a, b) => a - b)
const wrong = cycles.reduce((sum, { violations }) => sum + violations.length, lost.length)
const late = backMs.filter((ms) => ms > READY_MS).length
print(
  `${cycles.length} cycles, ${cycles.reduce((sum, { acknowledged }) => sum + acknowledged, 0)} acknowledged writes: ` +
    `${wrong} violations, ${late} later than ${READY_MS} ms; back after ${backMs[backMs.length >> 1]?.toFixed(0)} ms ` +
    `in the median, ${backMs.at(-1)?.toFixed(0)} ms at most; ${((performance.now() - began) / 1000 / cycles.length).toFixed(1)} s a cycle`,
)
process.exitCode = wrong + late > 0 ? 1 : 0

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
