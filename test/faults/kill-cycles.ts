/** Kills the service again and again by hand: `npm run faults -- --cycles 1000`. Ends with 1 when anything was wrong. */
import { parseArgs } from 'node:util'
import { type Cycle, KILLS, startVictim } from '../support/kill.ts'

const { values } = parseArgs({ options: { cycles: { type: 'string', default: '30' } } })
const READY_MS = 10_000

await using victim = await startVictim()
const cycles: Cycle[] = []
for (let number = 0; number < Number(values.cycles); number++) {
  const cycle = await victim.cycle(KILLS[number % KILLS.length] ?? 'node')
  cycles.push(cycle)
  print(
    `${number + 1} ${cycle.kill}: ${cycle.acknowledged} acknowledged, back after ${cycle.backMs.toFixed(0)} ms`,
  )
  for (const words of cycle.violations) print(`  VIOLATION ${words}`)
}
const lost = await victim.checkAll()
for (const words of lost) print(`  VIOLATION ${words}`)

const times = cycles.map(({ backMs }) => backMs).sort((a, b) => a - b)
const wrong = cycles.reduce((sum, { violations }) => sum + violations.length, lost.length)
const late = times.filter((ms) => ms > READY_MS).length
print(
  `${cycles.length} cycles, ${cycles.reduce((sum, { acknowledged }) => sum + acknowledged, 0)} acknowledged writes: ` +
    `${wrong} violations, ${late} later than ${READY_MS} ms; back after ${times[times.length >> 1]?.toFixed(0)} ms ` +
    `in the median, ${times.at(-1)?.toFixed(0)} ms at most`,
)
process.exitCode = wrong + late > 0 ? 1 : 0

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
