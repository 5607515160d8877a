/** Runs the files whose tests failed in the last run once more, one after the other: `npm run test:failed`. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const list = 'node_modules/.failed-tests'
const files = readFileSync(list, 'utf8').split('\n').filter(Boolean)
if (files.length === 0) throw new Error(`${list} names no file: the run ended before its tests`)
process.stdout.write(`\nThe files of failed tests run once more, alone:\n  ${files.join('\n  ')}\n\n`)
const { status } = spawnSync('npm', ['run', '-s', 'test:shared', '--', '--test-concurrency=1', ...files], {
  stdio: 'inherit',
})
if (status === 0) {
  process.stdout.write(`\nFLAKY: these passed alone. Mend them:\n  ${files.join('\n  ')}\n`)
}
process.exitCode = status ?? 1
