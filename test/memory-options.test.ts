import assert from 'node:assert/strict'
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { semiSpaceMb } from '../bin/memory-options.js'
import { ROOT } from './support/process.ts'

const MEGABYTE = 1024 * 1024
const skip = process.platform === 'linux' ? false : 'other systems have neither execve nor glibc'

const folder = mkdtempSync(join(tmpdir(), 'recto-memory-options-'))
after(() => rmSync(folder, { recursive: true }))
/** Says what a service would run with. */
const program = join(folder, 'program.mjs')
writeFileSync(
  program,
  `import { restartWithMemoryOptions } from ${JSON.stringify(join(ROOT, 'bin/memory-options.js'))}
restartWithMemoryOptions()
const seen = { options: process.execArgv, words: process.argv.slice(2), arenas: process.env.MALLOC_ARENA_MAX, pid: process.pid }
if (process.send) process.send(seen)
else console.log(JSON.stringify(seen))`,
)

test('semi-spaces have 16 MB from 1.2 GB of memory on, 2 MB with 256 MB, and powers of two between', () => {
  const sizes = [64, 256, 512, 768, 1024, 1216, 64 * 1024].map((memory) => semiSpaceMb(memory * MEGABYTE))
  assert.deepEqual(sizes, [2, 2, 4, 8, 8, 16, 16])
})

test('a process without options is restarted with limits for semi-spaces and arenas', { skip }, async () => {
  const { options, words, arenas, isSameProcess } = await run(['--no-warnings'], {})
  assert.equal(options[0], '--no-warnings')
  assert.match(options[1] ?? '', /^--max-semi-space-size=\d+$/)
  assert.deepEqual(words, ['serve'])
  assert.equal(arenas, '2')
  assert.ok(isSameProcess)
})

test('semi-spaces that are too large are limited, wherever they are given', { skip }, async () => {
  const option = '--max-semi-space-size=64'
  for (const { options } of [await run([option], {}), await run([], { NODE_OPTIONS: option })]) {
    assert.match(options.at(-1) ?? '', /^--max-semi-space-size=(2|4|8|16)$/)
  }
})

test('options that are given stay as they are', { skip }, async () => {
  const { options, arenas } = await run(['--max-semi-space-size=1'], { MALLOC_ARENA_MAX: '3' })
  assert.deepEqual(options, ['--max-semi-space-size=1'])
  assert.equal(arenas, '3')
})

test('a process with a channel to its parent keeps it, and is not restarted', { skip }, async () => {
  const child = fork(program, ['serve'], { execArgv: [], env: { PATH: process.env.PATH } })
  const [seen] = (await once(child, 'message')) as [Seen]
  assert.deepEqual(seen.options, [])
})

interface Seen {
  readonly options: readonly string[]
  readonly words: readonly string[]
  readonly arenas?: string
  readonly pid: number
}

async function run(options: readonly string[], env: Readonly<Record<string, string>>) {
  const running = promisify(execFile)(process.execPath, [...options, program, 'serve'], {
    env: { PATH: process.env.PATH, ...env },
  })
  const seen: Seen = JSON.parse((await running).stdout)
  return { ...seen, isSameProcess: seen.pid === running.child.pid }
}
