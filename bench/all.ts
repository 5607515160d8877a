/**
 * Every benchmark of the table of goals, one after another: `node bench/all.ts [folder]`. A folder that is named keeps the
 * databases with a million pages for the next run. Each heading has the load of the machine before and after.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { benchFolder, print } from './measure.ts'

using folder = benchFolder(process.argv[2])
const kept = (name: string) => {
  const path = join(folder.path, name)
  mkdirSync(path, { recursive: true })
  return path
}
const MILLION = '1000000'

/** A script and its arguments; nine rounds where a script has rounds. */
const RUNS: readonly (readonly string[])[] = [
  ['read', '2', '9'],
  ['write', '2', '9', '6000'],
  ['write', '2', '9', '1000'],
  ['metadata-patch', '2', '9'],
  ['hot-page', '3', '9'],
  ['start', '9'],
  ['webhooks'],
  ['metadata', MILLION, '100', kept('metadata')],
  ['links', MILLION, kept('links')],
  ['search', MILLION, kept('search')],
  ['size', MILLION, '1', '9', kept('size')],
  ['import', '100000'],
  ['rebuild', '20000'],
  ['lifecycle', '10000', '50000'],
  ['markdown'],
  ['loop-delay'],
  ['files'],
  ['streams'],
  ['sign-in'],
  ['agent-day'],
  ['agent-cost'],
  ['relevance'],
]

const failed: string[] = []
for (const [name = '', ...words] of RUNS) {
  const line = [name, ...words].join(' ')
  print(`\n== ${line} (load ${load()})`)
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...words], {
    stdio: 'inherit',
  })
  if (status !== 0) failed.push(line)
  print(`   load ${load()}`)
}
if (failed.length > 0) {
  print(`\nfailed: ${failed.join('; ')}`)
  process.exitCode = 1
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '?'
}
