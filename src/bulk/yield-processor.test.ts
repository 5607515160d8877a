import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { packBody } from '../lib/encoding/body-codec.ts'
import { planMemory } from '../lib/memory-plan.ts'
import { runInBulk, startBulk } from './bulk.ts'

const skip = process.platform !== 'linux' && 'priorities of threads are those of Linux'

test('only the thread that parses in bulk has a lower priority than the process', { skip }, async () => {
  await using bulk = startBulk(planMemory())
  const usual = getPriority()
  const from = { space: 'docs', path: 'x', publicOrigin: 'http://localhost' }
  const data = await packBody(Buffer.from('[a](./a)'))
  const items = Array.from({ length: 30 }, () => ({ from, data }))
  const found = await runInBulk(bulk, { kind: 'links', items }, () => data.length)
  assert.ok(found.every((links) => links !== undefined))
  assert.equal(getPriority(), usual)
  assert.deepEqual(new Set(priorities()), new Set([usual, Math.min(19, usual + 5)]))
})

/** The priorities of the threads of this process (proc_pid_stat(5), field 19). */
function priorities(): number[] {
  const tasks = '/proc/self/task'
  return readdirSync(tasks).map((thread) => {
    const [, fields = ''] = readFileSync(`${tasks}/${thread}/stat`, 'utf8').split(') ')
    return Number(fields.split(' ')[16])
  })
}
