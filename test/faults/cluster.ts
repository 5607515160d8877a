/**
 * Three nodes on a replicated PostgreSQL that fails over, by hand: `node test/faults/cluster.ts --rounds 100`. Needs
 * haproxy and PostgreSQL as Debian packages them. Ends with 1 when anything was wrong; writes that are back late
 * count where the machine was idle meanwhile, or with `--strict`.
 */
import { parseArgs } from 'node:util'
import { FAULTS, missingForCluster, type Round, startCluster } from '../support/cluster.ts'
import { describeLate, listLate } from '../support/lateness.ts'
import { runToEnd } from '../support/long-run.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, strict: { type: 'boolean', default: false } },
})
const BACK_MS = 5_000

const why = missingForCluster()
if (why) throw new Error(why)
await runToEnd(async (tell) => {
  const began = performance.now()
  await using cluster = await startCluster()
  const rounds: Round[] = []
  for (let number = 0; number < Number(values.rounds); number++) {
    const round = await tell(cluster.round(FAULTS[number % FAULTS.length] ?? 'the primary is killed'))
    rounds.push(round)
    const { fault, acknowledged, backMs, violations } = round
    const late = describeLate(round, BACK_MS)
    print(`${number + 1} ${fault}: ${acknowledged} acknowledged, back after ${backMs.toFixed(0)} ms${late}`)
    for (const words of violations) print(`  VIOLATION ${words}`)
  }
  const lost = await tell(cluster.checkAll())
  for (const words of lost) print(`  VIOLATION ${words}`)

  const wrong = rounds.reduce((sum, { violations }) => sum + violations.length, lost.length)
  const late = listLate(rounds, BACK_MS, values.strict)
  const acknowledged = rounds.reduce((sum, round) => sum + round.acknowledged, 0)
  print(
    `${rounds.length} rounds, ${acknowledged} acknowledged writes: ${wrong} violations, ${late.length} later than ${BACK_MS} ms with an idle machine; ${((performance.now() - began) / 1000 / rounds.length).toFixed(1)} s a round`,
  )
  for (const fault of FAULTS) {
    const times = rounds.filter((round) => round.fault === fault).map(({ backMs }) => backMs)
    times.sort((a, b) => a - b)
    if (times.length > 0) {
      print(
        `  ${fault}: back after ${times[times.length >> 1]?.toFixed(0)} ms in the median, ${times.at(-1)?.toFixed(0)} ms at most`,
      )
    }
  }
  return wrong + late.length === 0
})

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
